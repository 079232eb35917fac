/** Reads the playground's controls. */
import { FIELD_KINDS, type FieldKind, type FieldValue } from "../src/service/request/fieldKinds.ts";
import { withPoint } from "./numbers.ts";
import { toPoints } from "./units.ts";

/** The settings of a call as the controls describe them, without the PDF. */
export interface Settings {
  operation: "text" | "image";
  /** HTTP path of the operation. `tool` is the name of the MCP tool for the same operation. */
  path: string;
  tool: string;
  /** The JSON values of all fields that are required or differ from their defaults. */
  fields: Record<string, FieldValue>;
  image?: File | undefined;
}

/** Returns the forms of all operations. The page shows only one of them. */
export function forms(): HTMLFormElement[] {
  return [...document.querySelectorAll<HTMLFormElement>("form.controls")];
}

/** Reads the settings of the selected operation. */
export function readSettings(): Settings {
  const chosen = document.querySelector<HTMLInputElement>("input[name=operation]:checked")?.value;
  const form = forms().find(({ dataset }) => dataset.operation === chosen)!;
  const { operation, path, tool } = form.dataset as Record<"operation" | "path" | "tool", string>;
  return { operation: operation as Settings["operation"], path, tool, ...valuesOf(form) };
}

/** Returns the values of a form's controls that are required or differ from their defaults. */
function valuesOf(form: HTMLFormElement): Pick<Settings, "fields" | "image"> {
  const fields: Settings["fields"] = {};
  let image: File | undefined;
  for (const control of form.elements) {
    if (!isControl(control) || !control.name) continue;
    if (control.type === "file") image = (control as HTMLInputElement).files?.[0];
    else if (control.required || differsFromDefault(control)) fields[control.name] = readControl(control);
  }
  return { fields, image };
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function isControl(element: Element): element is Control {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  );
}

/** Returns whether a control's value differs from its default, which the server rendered. */
function differsFromDefault(control: Control): boolean {
  if (control instanceof HTMLSelectElement) return control.selectedOptions[0]?.defaultSelected === false;
  if (control instanceof HTMLInputElement) {
    if (control.type === "radio") return control.checked && !control.defaultChecked;
    if (control.type === "checkbox") return control.checked !== control.defaultChecked;
  }
  return control.value !== "" && control.value !== control.defaultValue;
}

function readControl(control: Control): FieldValue {
  const text = control.type === "checkbox" ? String((control as HTMLInputElement).checked) : control.value;
  const kind = control.dataset.kind as FieldKind;
  const value = FIELD_KINDS[kind].parse(kind === "number" ? withPoint(text) : text);
  return control.dataset.length !== undefined && typeof value === "number" ? toPoints(value) : value;
}

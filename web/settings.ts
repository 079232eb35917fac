/** What the playground's controls say. */

/** A call as the controls describe it: all that it takes but the file. */
export interface Settings {
  operation: "text" | "image";
  /** The operation's path over HTTP, and its name as an MCP tool. */
  path: string;
  tool: string;
  /** The fields that differ from their defaults, and those that have none, as JSON has them. */
  fields: Record<string, string | number>;
  image?: File | undefined;
}

/** Returns the forms of the operations. The page shows one of them. */
export function forms(): HTMLFormElement[] {
  return [...document.querySelectorAll<HTMLFormElement>("form.controls")];
}

/** Reads the settings of the operation that is chosen. */
export function readSettings(): Settings {
  const chosen = document.querySelector<HTMLInputElement>("input[name=operation]:checked")?.value;
  const form = forms().find(({ dataset }) => dataset.operation === chosen)!;
  const { operation, path, tool } = form.dataset as Record<"operation" | "path" | "tool", string>;
  const fields: Settings["fields"] = {};
  let image: File | undefined;
  for (const control of form.elements) {
    if (control instanceof HTMLTextAreaElement) fields[control.name] = control.value;
    if (!(control instanceof HTMLInputElement) || !control.name) continue;
    if (control.type === "file") image = control.files?.[0];
    else if (hasOwnValue(control)) fields[control.name] = typedValue(control);
  }
  return { operation: operation as Settings["operation"], path, tool, fields, image };
}

/** Tells whether a control says something else than its default, which is what the server has rendered. */
function hasOwnValue(control: HTMLInputElement): boolean {
  if (control.type === "radio") return control.checked && !control.defaultChecked;
  if (control.type === "number" && control.validity.badInput) return true;
  return control.value !== "" && control.value !== control.defaultValue;
}

function typedValue(control: HTMLInputElement): string | number {
  return control.type === "number" || control.type === "range" ? control.valueAsNumber : control.value;
}

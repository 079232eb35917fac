/** Writes the playground's settings to a link, reads settings from a link, and applies them to the controls. */
import type { FieldValue } from "../src/service/request/fieldKinds.ts";
import { forms, type Settings } from "./settings.ts";
import { fromPoints } from "./units.ts";

/** Settings that can be stored and shared: they contain no files and no password. */
export interface StoredSettings {
  operation: Settings["operation"];
  fields: Record<string, FieldValue>;
}

/** Beginning of the part of the address that contains the settings. Browsers send no part after `#` to a server. */
const PREFIX = "#settings=";

/** Returns settings without files and passwords. */
export function storable({ operation, fields: { password: _, ...fields } }: Settings): StoredSettings {
  return { operation, fields };
}

/** Returns a link to this page with settings, without files and passwords. */
export function linkTo(settings: Settings): string {
  return location.origin + location.pathname + PREFIX + encodeURIComponent(JSON.stringify(storable(settings)));
}

/** Sets the controls to the settings in this page's address. Returns false if the address contains no settings. */
export function takeSettings(): boolean {
  return location.hash.startsWith(PREFIX) && applySettings(parsed(location.hash.slice(PREFIX.length)));
}

/**
 * Selects an operation, and sets its controls to the given settings. Sets its controls without a given setting to their
 * defaults, except the password and files.
 * @returns false if the settings name no operation of this page
 */
export function applySettings(settings: unknown): boolean {
  const { operation, fields } = Object(settings) as Partial<StoredSettings>;
  const form = forms().find(({ dataset }) => dataset.operation === operation);
  if (!form) return false;
  document.querySelector<HTMLInputElement>(`input[name=operation][value=${form.dataset.operation}]`)!.checked = true;
  for (const control of form.elements) if (isSet(control)) setToDefault(control);
  for (const [name, value] of Object.entries(fields ?? {})) setControl(form, name, String(value));
  return true;
}

function parsed(encoded: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(encoded));
  } catch {
    return undefined;
  }
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Returns whether a control belongs to the settings. Files and the password do not: they belong to the document. */
function isSet(control: Element): control is Control {
  if (control instanceof HTMLInputElement) return control.type !== "file" && control.name !== "password";
  return control instanceof HTMLTextAreaElement || control instanceof HTMLSelectElement;
}

function setToDefault(control: Control): void {
  if (control instanceof HTMLSelectElement)
    for (const option of control.options) option.selected = option.defaultSelected;
  else if (control instanceof HTMLInputElement && ["radio", "checkbox"].includes(control.type))
    control.checked = control.defaultChecked;
  else control.value = control.defaultValue;
}

/** Sets a field of a form. A choice keeps its value if it does not offer the given value. */
function setControl(form: HTMLFormElement, name: string, value: string): void {
  for (const control of form.elements) {
    if (!isSet(control) || control.name !== name) continue;
    if (control instanceof HTMLSelectElement) {
      for (const option of control.options) if (option.value === value) option.selected = true;
    } else if (control instanceof HTMLTextAreaElement) control.value = value;
    else if (control.type === "radio") control.checked ||= control.value === value;
    else if (control.type === "checkbox") control.checked = value === "true";
    else control.value = control.dataset.length === undefined ? value : fromPoints(Number(value));
  }
}

/** Sets one field of the selected operation to a value, or to its default if the value is undefined. */
export function setField(operation: string, name: string, value: FieldValue | undefined): void {
  const form = forms().find(({ dataset }) => dataset.operation === operation)!;
  if (value !== undefined) setControl(form, name, String(value));
  else for (const control of form.elements) if (isSet(control) && control.name === name) setToDefault(control);
}

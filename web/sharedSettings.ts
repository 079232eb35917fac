/** Puts the playground's settings into a link, and takes them from a link. */
import { forms, type Settings } from "./settings.ts";

/** Beginning of the part of the address that has the settings. Browsers send no part after `#` to a server. */
const PREFIX = "#settings=";

/** Returns a link to this page with settings, without files and passwords. */
export function linkTo({ operation, fields }: Settings): string {
  const { password: _, ...shared } = fields;
  return (
    location.origin + location.pathname + PREFIX + encodeURIComponent(JSON.stringify({ operation, fields: shared }))
  );
}

/** Sets the controls to the settings in this page's address. Returns false if the address has none. */
export function takeSettings(): boolean {
  const shared = location.hash.startsWith(PREFIX) ? parsed(location.hash.slice(PREFIX.length)) : undefined;
  const form = forms().find(({ dataset }) => dataset.operation === shared?.operation);
  if (!shared || !form) return false;
  document.querySelector<HTMLInputElement>(`input[name=operation][value=${form.dataset.operation}]`)!.checked = true;
  form.reset();
  for (const [name, value] of Object.entries(shared.fields ?? {})) setControl(form, name, String(value));
  return true;
}

function parsed(encoded: string): { operation?: unknown; fields?: object } | undefined {
  try {
    return Object(JSON.parse(decodeURIComponent(encoded)));
  } catch {
    return undefined;
  }
}

function setControl(form: HTMLFormElement, name: string, value: string): void {
  for (const control of form.elements) {
    if (control instanceof HTMLInputElement && control.name === name) {
      if (control.type === "radio") control.checked = control.value === value;
      else if (control.type === "checkbox") control.checked = value === "true";
      else if (control.type !== "file") control.value = value;
    } else if (control instanceof HTMLTextAreaElement || control instanceof HTMLSelectElement) {
      if (control.name === name) control.value = value;
    }
  }
}

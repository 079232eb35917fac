/**
 * Runs the buttons that copy a link to the settings, show the call as code, and reset the settings. Applies the
 * settings in the page's address.
 */
import { addRecent, forgetLatest, remembered } from "./history.ts";
import { forgetFiles } from "./keptFile.ts";
import { forms, readSettings } from "./settings.ts";
import { linkTo, storable, takeSettings } from "./sharedSettings.ts";

/** Enables the buttons. `changed` is called after settings are applied or reset. */
export function enableSharing(changed: () => void): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-shares]"))
    button.addEventListener("click", () => share(document.getElementById(button.dataset.shares!)!));
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-shows]"))
    button.addEventListener("click", () => showCode(button.dataset.shows!));
  document.getElementById("reset")!.addEventListener("click", () => {
    for (const form of forms()) resetForm(form);
    document.getElementById("shared")!.textContent = "";
    changed();
    forgetLatest();
    forgetFiles();
  });
  const take = () => {
    remembered(storable(readSettings())); // the visitor can undo the linked settings
    if (!takeSettings()) return;
    history.replaceState(null, "", location.pathname); // a reload keeps later changes
    document.getElementById("playground")!.scrollIntoView();
    changed();
  };
  addEventListener("hashchange", take);
  take();
}

/** Resets a form, except the password, which belongs to the document. */
function resetForm(form: HTMLFormElement): void {
  const field = form.elements.namedItem("password") as HTMLInputElement;
  const { value } = field;
  form.reset();
  field.value = value;
}

/**
 * Copies a link to the settings. The status confirms the copy, or shows the link if the browser does not allow copying.
 */
async function share(status: HTMLElement): Promise<void> {
  const settings = readSettings();
  const link = linkTo(settings);
  addRecent(storable(settings));
  status.textContent = await navigator.clipboard.writeText(link).then(
    () => "The link was copied. It has no file and no password.",
    () => link,
  );
}

/** Shows the call as code for a client. */
function showCode(client: string): void {
  const tab = document.querySelector<HTMLInputElement>(`[name=client][value=${client}]`)!;
  tab.checked = true;
  document.getElementById("snippets-title")!.scrollIntoView();
  tab.focus();
}

/** Shows the notices of a result as warnings, with a button that corrects the settings if possible. */
import { noticeInPlainWords } from "./plainWords.ts";
import type { Settings } from "./settings.ts";
import { setField } from "./sharedSettings.ts";

/** A correction that a button makes: the button's label, and the new values of fields or a function to call. */
type Mend = { label: string } & ({ fields: Record<string, string | number | undefined> } | { act: () => void });

/** A warning, with the corrections that the visitor can choose. */
export interface Warning {
  words: string;
  mends: readonly Mend[];
}

const list = document.getElementById("warnings")!;

/** Returns the warnings for the notices of a result and the settings that led to it. */
export function noticeWarnings(notices: readonly string[], settings: Settings): Warning[] {
  return notices.map((notice) => ({
    words: noticeInPlainWords(notice).replaceAll("`", ""),
    mends: [mendFor(notice.split(";")[0]!, settings) ?? []].flat(),
  }));
}

/** The shown warnings as JSON, so that the same warnings are not announced again. */
let shown = "";

/** Shows warnings about the marked file. `changed` is called after a correction. */
export function showWarnings(warnings: readonly Warning[], { operation }: Settings, changed: () => void): void {
  const next = JSON.stringify([operation, warnings]);
  if (next === shown) return;
  shown = next;
  const hadFocus = list.contains(document.activeElement);
  list.replaceChildren(
    ...warnings.map(({ words, mends }) => {
      const item = document.createElement("li");
      const text = document.createElement("p");
      text.textContent = words;
      item.append(text, ...mends.map((mend) => buttonFor(mend, operation, changed)));
      return item;
    }),
  );
  // the pressed button is gone, so the focus goes to the next warning, or to the result
  if (hadFocus) (list.querySelector("button") ?? document.getElementById("preview")!).focus({ preventScroll: true });
}

function buttonFor(mend: Mend, operation: string, changed: () => void): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button quiet";
  button.textContent = mend.label;
  button.addEventListener("click", () => {
    if ("act" in mend) return mend.act();
    for (const [name, value] of Object.entries(mend.fields)) setField(operation, name, value);
    changed();
  });
  return button;
}

/** Returns the change of the settings that most likely removes a notice. */
function mendFor(code: string, { operation, fields }: Settings): Mend | undefined {
  const isUnder = fields.layer === "under";
  const isFixed = document
    .querySelector("form[data-operation=text] [name=template]:checked")
    ?.hasAttribute("data-fixed");
  switch (code) {
    case "mark-covered":
      if (isUnder) return { label: "Draw the mark over the page", fields: { layer: undefined } };
      if (fields.position === "auto" || (operation === "text" && isFixed)) return undefined;
      return { label: "Move the mark to an empty place", fields: { position: "auto" } };
    case "mark-invisible":
      return { label: "Make the mark visible", fields: { opacity: undefined, color: undefined } };
    case "mark-outside":
      return { label: "Move the mark back", fields: { offset_x: undefined, offset_y: undefined } };
    case "text-cut":
      return fields.font_size === undefined
        ? { label: "Use larger lines across the page", fields: { template: "horizontal", position: undefined } }
        : { label: "Use the default size", fields: { font_size: undefined } };
    case "pdfx-broken":
    case "pdfa-transparency":
      return { label: "Draw the mark under the page’s content", fields: { layer: "under" } };
    default:
      return undefined;
  }
}

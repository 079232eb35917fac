/** Makes a newly chosen template look like its picture. */
import { setField } from "./sharedSettings.ts";

/** Fields whose values fit only the template for which they were chosen. Color and opacity fit every template. */
const PLACE_FIELDS = ["position", "rotation", "font_size", "offset_x", "offset_y"];

/** Sets place, rotation and size to the defaults of a template when the visitor chooses it. */
export function enableTemplates(): void {
  // The form's own listener runs after this one, because the event bubbles. One undo step therefore contains all changes.
  for (const template of document.querySelectorAll("form[data-operation=text] [name=template]"))
    template.addEventListener("input", () => {
      for (const name of PLACE_FIELDS) setField("text", name, undefined);
    });
}

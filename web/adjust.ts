/** Writes changes that the visitor makes to the mark by hand into the controls. */
import type { FieldValue } from "../src/service/request/fieldKinds.ts";
import type { Adjustment } from "./handles.ts";
import { moved, shapeOf } from "./markGeometry.ts";
import { readSettings } from "./settings.ts";
import { setField } from "./sharedSettings.ts";
import { toPoints } from "./units.ts";

/** Units of a text's outline per em. */
const UNITS_PER_EM = 100;

/**
 * Begins a change by hand. The returned function sets the controls for each step of the change. Each step counts from
 * the settings at the beginning.
 */
export function beginAdjusting(): (adjustment: Adjustment) => void {
  const { operation, fields } = readSettings();
  const set = (name: string, value: FieldValue | undefined) => setField(operation, name, value);
  const form = document.querySelector<HTMLFormElement>(`form[data-operation=${operation}]`)!;
  const chosen = (name: string) => form.querySelector<HTMLInputElement>(`[name=${name}]:checked`);
  const position = chosen("position")!.value || chosen("template")!.dataset.position!;
  const margin = toPoints(Number(form.querySelector<HTMLInputElement>("[name=margin]")!.value));
  const offset = { x: Number(fields.offset_x ?? 0), y: Number(fields.offset_y ?? 0) };

  return (adjustment) => {
    const { outline } = adjustment;
    const { width, angle } = shapeOf(outline);
    if (adjustment.kind === "turn") return set("rotation", adjustment.to);
    if (adjustment.kind === "scale") {
      if (operation === "text") return set("font_size", rounded(outline.scale * UNITS_PER_EM * adjustment.by, 1));
      return set("scale", Math.min(1, Math.max(0.01, rounded((width / outline.pageSize.width) * adjustment.by, 2))));
    }
    const to = moved(outline, { position, offset, margin }, adjustment.by, adjustment.snap);
    set("position", to.position === position ? fields.position : to.position);
    set("offset_x", rounded(to.offset.x, 1) || undefined);
    set("offset_y", rounded(to.offset.y, 1) || undefined);
    if (operation === "image") return;
    // a text has other defaults for its size and its angle in the middle of the page than elsewhere
    const isNewSize = fields.font_size === undefined && isInMiddle(position) !== isInMiddle(to.position);
    const isNewAngle = fields.rotation === undefined && position === "diagonal" && to.position !== position;
    set("font_size", isNewSize ? rounded(outline.scale * UNITS_PER_EM, 1) : fields.font_size);
    set("rotation", isNewAngle ? rounded(angle, 1) : fields.rotation);
  };
}

function isInMiddle(position: string): boolean {
  return position === "center" || position === "diagonal";
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Finds areas that readers fill if they generate the appearance of an annotation (ISO 32000-2, 12.5.6). */
import type { Objects } from "../objects/objects.ts";
import type { Box } from "../pages/boxes.ts";
import type { Dictionary } from "../syntax/values.ts";

/** A border or line counts as opaque if it is at least this share of the shorter side of the annotation's box. */
const THICK_SHARE = 0.25;

/** Entries of annotations from which readers generate an appearance. */
export const GENERATING_KEYS = ["MK", "IC", "C", "CA", "BS", "Border"];

/**
 * Returns the area of an annotation that readers fill or cover with a thick border. Returns undefined if the annotation
 * has neither, or is transparent.
 */
export function generatedArea(objects: Objects, annotation: Dictionary, box: Box): Box | undefined {
  const value = (key: string) => objects.resolve(annotation.get(key));
  const alpha = value("CA");
  if (typeof alpha === "number" && alpha < 1) return undefined;
  const kind = value("Subtype");
  const color =
    kind === "Widget"
      ? objects.resolve(objects.dictionary(value("MK"))?.get("BG"))
      : value(kind === "FreeText" ? "C" : "IC");
  const border = value("Border");
  const style = objects.dictionary(value("BS"));
  const width = objects.resolve(style ? style.get("W") : Array.isArray(border) ? border[2] : null);
  const thick = THICK_SHARE * Math.min(box.x1 - box.x0, box.y1 - box.y0);
  if (typeof width === "number" && width >= thick) {
    // Half of a border lies outside of the box.
    const half = width / 2;
    return { x0: box.x0 - half, y0: box.y0 - half, x1: box.x1 + half, y1: box.y1 + half };
  }
  return Array.isArray(color) && color.length > 0 ? box : undefined;
}

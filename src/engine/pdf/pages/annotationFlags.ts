/** Interprets the flags of annotations (ISO 32000-2, 12.5.3, table 167). */
import type { Value } from "../syntax/values.ts";
import type { Box, Rotation } from "./boxes.ts";

const [HIDDEN, PRINT, NO_ROTATE, NO_VIEW] = [2, 4, 16, 32];

/** Returns whether readers neither display nor print an annotation with the given flags. */
export function isUnseen(flags: Value | undefined): boolean {
  return typeof flags === "number" && ((flags & HIDDEN) > 0 || (flags & (PRINT | NO_VIEW)) === NO_VIEW);
}

/**
 * Returns the boxes in user space in which readers show an annotation with the rectangle `box`. With the flag NoRotate,
 * readers turn the annotation about its upper left corner by the rotation of the page. Ghostscript ignores the flag.
 */
export function shownBoxes(box: Box, flags: Value | undefined, rotate: Rotation): Box[] {
  if (rotate === 0 || typeof flags !== "number" || (flags & NO_ROTATE) === 0) return [box];
  const [width, height] = [box.x1 - box.x0, box.y1 - box.y0];
  const [across, up] = rotate === 180 ? [width, height] : [height, width];
  const x0 = rotate === 90 ? box.x0 : box.x0 - across;
  const y0 = rotate === 270 ? box.y1 - up : box.y1;
  return [box, { x0, y0, x1: x0 + across, y1: y0 + up }];
}

/** Warns if the edge of the page cuts off a mark that the visitor has moved. */
import type { MarkOutline } from "../src/engine/index.ts";
import { chosenPosition } from "./adjust.ts";
import { centerOf } from "./markGeometry.ts";
import type { Settings } from "./settings.ts";
import type { Warning } from "./warnings.ts";

/**
 * Fraction of a corner's distance to the center of the mark. The check moves each corner inward by this fraction, because
 * the outer part of the outline has no ink.
 */
const INSET = 0.1;

/** Returns a warning if marks are partly off their pages. A mark that is completely off causes a notice instead. */
export function edgeWarnings(
  outlines: readonly MarkOutline[],
  notices: readonly string[],
  { operation, fields }: Settings,
): Warning[] {
  const isMoved = fields.offset_x !== undefined || fields.offset_y !== undefined;
  if (!isMoved || chosenPosition(operation) === "tile") return [];
  if (notices.some((notice) => notice.startsWith("mark-outside"))) return [];
  const cut = outlines.filter(isCut);
  if (cut.length === 0) return [];
  const where = cut.length === 1 ? `page ${cut[0]!.page}` : `${cut.length.toLocaleString("en")} pages`;
  return [
    {
      words: `The edge of the page cuts off the mark on ${where}.`,
      mends: [{ label: "Move the mark back", fields: { offset_x: undefined, offset_y: undefined } }],
    },
  ];
}

function isCut(outline: MarkOutline): boolean {
  const { corners, pageSize } = outline;
  const center = centerOf(outline);
  return corners.some((corner) => {
    const x = corner.x + (center.x - corner.x) * INSET;
    const y = corner.y + (center.y - corner.y) * INSET;
    return x < 0 || y < 0 || x > pageSize.width || y > pageSize.height;
  });
}

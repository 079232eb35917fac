import type { Cluster, Line } from "../fonts/layout.ts";
import type { Size } from "./geometry.ts";
import type { Look } from "./templates.ts";

/** All in em. */
const FRAME_PADDING = 0.35;
const FRAME_WIDTH = 0.1;
/** Around hollow letters, outside of them. */
const HOLLOW_WIDTH = 0.02;
/** Around letters that are to look bolder than their font is. */
export const EMBOLDENING = 0.015;

/** Lines under one another, each centred. Lengths are in em, from the block's lower left corner; all ink lies inside. */
export interface Block extends Size {
  readonly rows: readonly Row[];
  /** The middle line of the frame, and how wide it is drawn. */
  readonly frame?: { inset: number; width: number };
}

/** A line, and where it starts. */
export interface Row {
  readonly line: Line;
  readonly x: number;
  readonly y: number;
}

/** How far what is drawn around a letter reaches outside of it, in em. */
export function strokeAround(look: Look, cluster?: Cluster): number {
  if (look.hollow) return HOLLOW_WIDTH;
  return cluster?.face.file.embolden ? EMBOLDENING : 0;
}

/**
 * Puts lines under one another: each as far below the last as the fonts used on both ask for, so that high and deep scripts
 * neither collide nor are cut. The block is at least `width` wide.
 */
export function stack(lines: readonly Line[], look: Look, width = 0): Block {
  const around = Math.max(
    0,
    ...lines.flatMap(({ clusters }) => clusters.map((cluster) => strokeAround(look, cluster))),
  );
  const edge = around + (look.framed ? FRAME_PADDING + FRAME_WIDTH : 0);
  const heights = heightsOf(lines, look);
  const needed = lines.map((line) => Math.max(line.width / 2 - line.left, line.right - line.width / 2));
  const halfWidth = Math.max(width / 2, edge + Math.max(...needed));
  const height = 2 * edge + heights.reduce((sum, { ascent, descent }) => sum + ascent - descent, 0);

  let top = height - edge;
  const rows = lines.map((line, i) => {
    const { ascent, descent } = heights[i]!;
    const row = { line, x: halfWidth - line.width / 2, y: top - ascent };
    top -= ascent - descent;
    return row;
  });
  return {
    width: 2 * halfWidth,
    height,
    rows,
    ...(look.framed && { frame: { inset: FRAME_WIDTH / 2, width: FRAME_WIDTH } }),
  };
}

/** An empty line is as high as the one above it. A frame sits close around the ink, which is what is seen inside it. */
function heightsOf(lines: readonly Line[], look: Look): { ascent: number; descent: number }[] {
  let last = lines.find(({ clusters }) => clusters.length > 0) ?? { ascent: 1, descent: 0 };
  return lines.map((line, i) => {
    if (line.clusters.length > 0) last = line;
    const { ascent, descent } = last;
    if (!look.framed || line.clusters.length === 0) return { ascent, descent };
    return {
      ascent: i === 0 ? line.top : ascent,
      descent: i === lines.length - 1 ? Math.min(0, line.bottom) : descent,
    };
  });
}

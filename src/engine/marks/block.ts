import type { Cluster, Line } from "../fonts/layout.ts";
import type { Size } from "./geometry.ts";
import type { Look } from "./look.ts";

/** These lengths are in em. */
const FRAME_PADDING = 0.35;
const FRAME_WIDTH = 0.1;
/** The stroke around hollow letters, outside their outlines. */
const HOLLOW_WIDTH = 0.03;
/** The stroke around letters whose font is lighter than the weight asked for, outside their outlines. */
export const EMBOLDENING = 0.015;
/** The light edge around large letters, and around small ones, which have to be seen at a pixel or so. */
const EDGE = 0.02;
const WIDEST_EDGE = 0.045;
/** Points: the light edge is as wide as this where that is between the two. */
const EDGE_PT = 1;

/** Stacked lines, each centred. Lengths are in em, from the block's lower left corner; all ink lies inside. */
export interface Block extends Size {
  readonly rows: readonly Row[];
  readonly frame?: FrameStroke;
}

/** A frame's stroke: the distance of its centre line from the block's edges, and the line width, in em. */
export interface FrameStroke {
  readonly inset: number;
  readonly width: number;
}

/** A line and the start of its baseline. */
export interface Row {
  readonly line: Line;
  readonly x: number;
  readonly y: number;
}

/** Returns how far the stroke around a letter extends outside its outline, in em. */
export function strokeAround(look: Look, cluster?: Cluster): number {
  if (look.hollow) return HOLLOW_WIDTH;
  return cluster?.face.file.embolden ? EMBOLDENING : 0;
}

/** Returns the width in em of the light edge around letters of this size. */
export function edgeAround(look: Look, fontSizePt: number): number {
  return look.isEdged ? Math.max(EDGE, Math.min(WIDEST_EDGE, EDGE_PT / fontSizePt)) : 0;
}

/**
 * Stacks lines, each as far below the previous one as the fonts used on both need, so that scripts with tall or deep
 * glyphs neither collide nor are cut off. The block is at least `width` wide.
 */
export function stack(lines: readonly Line[], look: Look, width = 0): Block {
  const around = Math.max(
    0,
    ...lines.flatMap(({ clusters }) => clusters.map((cluster) => strokeAround(look, cluster))),
  );
  const light = look.isEdged ? WIDEST_EDGE : 0;
  const padding = light + around + (look.framed ? FRAME_PADDING + FRAME_WIDTH : 0);
  const heights = heightsOf(lines);
  const needed = lines.map((line) => Math.max(line.width / 2 - line.left, line.right - line.width / 2));
  const halfWidth = Math.max(width / 2, padding + Math.max(...needed));
  const height = 2 * padding + heights.reduce((sum, { ascent, descent }) => sum + ascent - descent, 0);

  let top = height - padding;
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
    ...(look.framed && { frame: { inset: light + FRAME_WIDTH / 2, width: FRAME_WIDTH } }),
  };
}

/**
 * Returns the ascent and descent of each line. An empty line is as high as the one above it. A block is placed, and
 * framed, by its visible ink, so the first line's ascent and the last line's descent are those of their ink.
 */
function heightsOf(lines: readonly Line[]): { ascent: number; descent: number }[] {
  let last = lines.find(({ clusters }) => clusters.length > 0) ?? { ascent: 1, descent: 0 };
  return lines.map((line, i) => {
    if (line.clusters.length > 0) last = line;
    const { ascent, descent } = last;
    if (line.clusters.length === 0) return { ascent, descent };
    return {
      ascent: i === 0 ? line.top : ascent,
      descent: i === lines.length - 1 ? Math.min(0, line.bottom) : descent,
    };
  });
}

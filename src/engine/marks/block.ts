import type { Cluster, Line } from "../fonts/layout.ts";
import type { Appearance } from "./appearance.ts";
import type { Size } from "./geometry.ts";

/** Distance between the text and its frame, in em. All lengths of this file are in em unless stated otherwise. */
const FRAME_PADDING = 0.35;
const FRAME_WIDTH = 0.1;
/** Width of the stroke around hollow letters, outside the outlines of the letters, in em. */
const HOLLOW_WIDTH = 0.03;
/**
 * Width of the stroke that makes letters of a font bolder if the font is lighter than requested. Counted outside the
 * outlines of the letters, in em.
 */
export const EMBOLDENING = 0.015;
/** Minimum width of the light edge in em. Large letters have an edge of this width. */
const MIN_EDGE = 0.02;
/** Maximum width of the light edge in em. Small letters have an edge of this width. */
const MAX_EDGE = 0.045;
/** Preferred width of the light edge in points: about one pixel. The width stays between `MIN_EDGE` and `MAX_EDGE`. */
const EDGE_PT = 1;

/** Stacked, centered lines. Lengths are in em. The origin is the lower left corner, and all ink lies inside. */
export interface Block extends Size {
  readonly rows: readonly Row[];
  readonly frame?: FrameStroke;
}

/** The stroke of a frame, in em: the distance of its center line from the block's edges, and the line width. */
export interface FrameStroke {
  readonly inset: number;
  readonly width: number;
}

/** A line of text and the start of its baseline. */
export interface Row {
  readonly line: Line;
  readonly x: number;
  readonly y: number;
}

/** Returns the width in em of the stroke around a letter, outside its outline. */
export function strokeAround(appearance: Appearance, cluster?: Cluster): number {
  if (appearance.isHollow) return HOLLOW_WIDTH;
  return cluster?.face.file.embolden ? EMBOLDENING : 0;
}

/**
 * Returns the width in em of the light edge around letters of the size `fontSizePt`. Returns 0 if the mark has no edge.
 */
export function edgeAround(appearance: Appearance, fontSizePt: number): number {
  return appearance.hasEdge ? Math.max(MIN_EDGE, Math.min(MAX_EDGE, EDGE_PT / fontSizePt)) : 0;
}

/**
 * Stacks lines from top to bottom and centers them. The distance between two baselines is the descent of the upper line
 * plus the ascent of the lower line. Tall or deep glyphs therefore neither collide nor are cut off. The block is at
 * least `width` em wide.
 */
export function stack(lines: readonly Line[], appearance: Appearance, width = 0): Block {
  const around = Math.max(
    0,
    ...lines.flatMap(({ clusters }) => clusters.map((cluster) => strokeAround(appearance, cluster))),
  );
  const light = appearance.hasEdge ? MAX_EDGE : 0;
  const padding = light + around + (appearance.isFramed ? FRAME_PADDING + FRAME_WIDTH : 0);
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
    ...(appearance.isFramed && { frame: { inset: light + FRAME_WIDTH / 2, width: FRAME_WIDTH } }),
  };
}

/**
 * Returns the ascent and descent of each line. An empty line is as high as the line above it. The first ascent and the
 * last descent are measured at the ink, because the block is placed and framed by its ink.
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

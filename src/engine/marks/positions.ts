/**
 * A place on the page as displayed, within the margins. 0 is the left or lower end, and 1 is the right or upper end.
 */
export interface Spot {
  readonly x: 0 | 0.5 | 1;
  readonly y: 0 | 0.5 | 1;
  /** Whether a mark without a rotation runs along the page's diagonal, from the lower left to the upper right. */
  readonly alongDiagonal?: true;
  /** Whether copies of the mark fill the page around this place. */
  readonly isTiled?: true;
}

/** All positions of marks. Other lists of positions derive from this table. */
const TABLE = {
  "top-left": { x: 0, y: 1 },
  top: { x: 0.5, y: 1 },
  "top-right": { x: 1, y: 1 },
  left: { x: 0, y: 0.5 },
  center: { x: 0.5, y: 0.5 },
  right: { x: 1, y: 0.5 },
  "bottom-left": { x: 0, y: 0 },
  bottom: { x: 0.5, y: 0 },
  "bottom-right": { x: 1, y: 0 },
  tile: { x: 0.5, y: 0.5, isTiled: true },
  diagonal: { x: 0.5, y: 0.5, alongDiagonal: true },
  /**
   * The emptiest place on each page: a corner, the middle of an edge, or the center. If all places are equally empty,
   * the mark is at its default place.
   */
  auto: { x: 0.5, y: 0.5 },
} as const satisfies Record<string, Spot>;

/** The name of a position of a text. */
export type Position = keyof typeof TABLE;
/** The name of a position of an image. Images cannot follow the page's diagonal. */
export type ImagePosition = Exclude<Position, "diagonal">;

/** The names of all positions of a text. */
export const POSITIONS = Object.keys(TABLE) as Position[];
/** The names of all positions of an image. */
export const IMAGE_POSITIONS = POSITIONS.filter((position): position is ImagePosition => position !== "diagonal");

/** Returns the place on the page that a position names. */
export function spotOf(position: Position): Spot {
  return TABLE[position];
}

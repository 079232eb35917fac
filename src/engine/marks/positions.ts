/**
 * A place on the page as the reader sees it, within the margins: 0 is the left or lower end, 1 the right or upper one.
 */
interface Spot {
  readonly x: 0 | 0.5 | 1;
  readonly y: 0 | 0.5 | 1;
  /** A mark here runs along the page's diagonal, from lower left to upper right, unless it has another rotation. */
  readonly alongDiagonal?: true;
  /** Copies of the mark fill the page around the one here. */
  readonly isTiled?: true;
}

/** Every position a mark can have. This is the only list of them. */
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
} as const satisfies Record<string, Spot>;

/** The name of a position. */
export type Position = keyof typeof TABLE;
/** The name of a position that an image can have: images do not follow the page's diagonal. */
export type ImagePosition = Exclude<Position, "diagonal">;

export const POSITIONS = Object.keys(TABLE) as Position[];
export const IMAGE_POSITIONS = POSITIONS.filter((position): position is ImagePosition => position !== "diagonal");

/** Returns the place of a position. */
export function spotOf(position: Position): Spot {
  return TABLE[position];
}

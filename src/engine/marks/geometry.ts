import type { Bounds } from "../pdf/content/bounds.ts";
import { type Matrix, multiply } from "../pdf/content/matrix.ts";
import type { Page } from "../pdf/pages/page.ts";

/**
 * Geometry of marks. All functions are pure.
 *
 * Displayed space is the page as the reader sees it, rotated by /Rotate and cut to its visible box. Its origin is the
 * lower left corner, x points to the right, y points up, and the unit is one point (1/72 inch). Angles are in degrees,
 * counter-clockwise in displayed space.
 */

/** Width and height, in points unless stated otherwise. */
export interface Size {
  width: number;
  height: number;
}

/** The size of a page as displayed, and its user unit. */
export interface PageSize extends Size {
  /** Size of one unit of the page's user space, in points. */
  userUnit: number;
}

/** Names of the page boxes from which margins and positions may be measured. */
export const FRAME_BOXES = ["crop", "trim"] as const;
export type FrameBox = (typeof FRAME_BOXES)[number];

/** The area of a displayed page from which margins and positions are measured. */
export interface PageFrame extends PageSize {
  /** Distance of the area's lower left corner from the lower left corner of the displayed page, in points. */
  readonly x: number;
  readonly y: number;
}

/** Returns a string that can serve as the key of a size in a Map. Equal sizes have equal keys. */
export function sizeKey({ width, height }: Size): string {
  return `${width}x${height}`;
}

/**
 * Returns whether two pages have the same box, rotation and user unit. Compares the boxes by identity, because
 * consecutive pages with equal boxes share one box object.
 */
export function haveSameShape(a: Page, b: Page): boolean {
  return a.box === b.box && a.trimBox === b.trimBox && a.rotate === b.rotate && a.userUnit === b.userUnit;
}

/** Returns the size of a page in displayed space. */
export function displayedSize({ box, rotate, userUnit }: Page): PageSize {
  const [width, height] = [(box.x1 - box.x0) * userUnit, (box.y1 - box.y0) * userUnit];
  return rotate % 180 === 0 ? { width, height, userUnit } : { width: height, height: width, userUnit };
}

/**
 * Margins are measured from a TrimBox that is inset by more than this number of points. Usual bleeds are smaller. A
 * larger inset suggests that the page has printer's marks.
 */
const BLEED_PT = 10;

/**
 * Returns the area of a page from which margins and positions are measured: the displayed page (`crop`), or the part of
 * the page within the TrimBox (`trim`). If `frameBox` is omitted, the area is `trim` if the TrimBox is inset by more
 * than `BLEED_PT` on a side, and otherwise `crop`.
 */
export function frameOn(page: Page, frameBox?: FrameBox): PageFrame {
  const { box, trimBox = box, rotate, userUnit } = page;
  const userInsets = [trimBox.x0 - box.x0, trimBox.y0 - box.y0, box.x1 - trimBox.x1, box.y1 - trimBox.y1];
  const insets = userInsets.map((inset) => inset * userUnit);
  const isTrimmed = frameBox === "trim" || (frameBox === undefined && insets.some((inset) => inset > BLEED_PT));
  if (!isTrimmed) return { ...displayedSize(page), x: 0, y: 0 };
  const turns = rotate / 90; // each clockwise quarter turn moves the page's bottom edge to the left
  const [x, y] = [insets[turns]!, insets[(turns + 1) % 4]!];
  return { ...displayedSize({ ...page, box: trimBox }), x, y };
}

/**
 * Returns the matrix from a page's displayed space to its default user space (ISO 32000-2, 8.3.2.3 and 14.11.2).
 * /Rotate is clockwise.
 */
export function toUserSpace({ box, rotate, userUnit }: Page): Matrix {
  const s = 1 / userUnit;
  switch (rotate) {
    case 0:
      return [s, 0, 0, s, box.x0, box.y0];
    case 90:
      return [0, s, -s, 0, box.x1, box.y0];
    case 180:
      return [-s, 0, 0, -s, box.x1, box.y1];
    case 270:
      return [0, -s, s, 0, box.x0, box.y1];
  }
}

/** The shorter side of A3 in points. Larger pages count as posters. */
const LARGE_PT = 842;

/**
 * Returns the requested margin in points, but at most a tenth of the page's shorter side. On posters, the margin grows
 * with the page, like the font size.
 */
export function marginOn(page: Size, requestedPt: number): number {
  const shorter = Math.min(page.width, page.height);
  return Math.min(requestedPt * Math.max(1, shorter / LARGE_PT), shorter / 10);
}

/**
 * Returns the size in points of the area within the margins. `width` and `height` limit the area to shares (0 to 1) of
 * the page's sides.
 */
export function roomOn(page: Size, marginPt: number, { width = 1, height = 1 }: Partial<Size> = {}): Size {
  return {
    width: Math.min(page.width - 2 * marginPt, width * page.width),
    height: Math.min(page.height - 2 * marginPt, height * page.height),
  };
}

/** Returns the size of the bounding box of a rectangle that is rotated by `degrees`. */
export function rotatedSize({ width, height }: Size, degrees: number): Size {
  const [cos, sin] = cosineAndSine(degrees).map(Math.abs) as [number, number];
  return { width: width * cos + height * sin, height: width * sin + height * cos };
}

/** Returns the largest scale at which a rectangle of `size`, rotated by `degrees`, fits into `room`. */
export function largestScale(size: Size, room: Size, degrees: number): number {
  const rotated = rotatedSize(size, degrees);
  return Math.min(room.width / rotated.width, room.height / rotated.height);
}

/** Returns the angle in degrees of a page's diagonal from its lower left to its upper right corner. */
export function diagonalAngle({ width, height }: Size): number {
  return (Math.atan2(height, width) * 180) / Math.PI;
}

/**
 * Returns the matrix from a mark's space to displayed space. The matrix scales the mark, rotates it about its center,
 * places it at `spot` within the margins, and moves it by `offset`.
 * @param size size of the mark before scaling; its origin is its lower left corner
 * @param offset displacement in points of displayed space, which may move the mark beyond the margins
 */
export function placeAt(
  spot: { readonly x: number; readonly y: number },
  size: Size,
  scale: number,
  degrees: number,
  page: Size,
  marginPt: number,
  offset: Point = ORIGIN,
): Matrix {
  const rotated = rotatedSize({ width: size.width * scale, height: size.height * scale }, degrees);
  const center = (share: number, markPt: number, pagePt: number) =>
    marginPt + markPt / 2 + share * (pagePt - 2 * marginPt - markPt);
  const [cos, sin] = cosineAndSine(degrees).map((value) => value * scale) as [number, number];
  const x = center(spot.x, rotated.width, page.width) + offset.x;
  const y = center(spot.y, rotated.height, page.height) + offset.y;
  return multiply([1, 0, 0, 1, -size.width / 2, -size.height / 2], [cos, sin, -sin, cos, x, y]);
}

/**
 * Approximate maximum number of copies on a page. With this number, the smallest marks have 20 copies along the longer
 * side of an A4 page.
 */
const MAX_TILES = 283;
/** Maximum number of copies along the longer side of a page that is too narrow for a second row. */
const MAX_TILES_ALONG = 500;

/** A position or an offset, with coordinates x and y. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The offset without displacement: 0 in both directions. */
export const ORIGIN: Point = { x: 0, y: 0 };

/** Default gap between two copies of a tiled mark in a row, as a share of the mark's width. */
const GAP_IN_ROW = 0.5;
/** Default gap between rows of a tiled mark, as a share of the mark's height. */
const GAP_BETWEEN_ROWS = 1.5;

/** The pattern of a tiled mark. */
interface TilePattern {
  /** Displacement of all copies along the axes of displayed space, in the mark's unit of length. */
  readonly offset?: Point;
  /**
   * Gap between the copies in a row, as a share of the mark's width, and gap between rows, as a share of the mark's
   * height.
   */
  readonly gap?: number | undefined;
}

/**
 * Returns the places of all copies of a tiled mark, in the mark's space and relative to the middle of the page. The
 * copy nearest to the middle comes first. Rows follow the mark's direction, and every other row is shifted by half a
 * step. Copies extend beyond the page's edges. Gaps are larger than requested if the page would have more than about
 * `MAX_TILES` copies.
 * @param size size of the mark in its own units
 * @param page size of the page in units of the mark
 */
export function tile(size: Size, degrees: number, page: Size, { offset = ORIGIN, gap }: TilePattern = {}): Point[] {
  const [cos, sin] = cosineAndSine(degrees);
  const minStep = Math.max(
    Math.sqrt((page.width * page.height) / MAX_TILES),
    Math.max(page.width, page.height) / MAX_TILES_ALONG,
  );
  const stepX = Math.max(size.width * (1 + (gap ?? GAP_IN_ROW)), minStep);
  const stepY = Math.max(size.height * (1 + (gap ?? GAP_BETWEEN_ROWS)), minStep);
  const rotated = rotatedSize(size, degrees);
  const [across, up] = [(page.width + rotated.width) / 2, (page.height + rotated.height) / 2];
  const middle = nearestCopy(turned(offset, cos, -sin), stepX, stepY);
  const shown = turned(middle, cos, sin);
  const reach = (across + Math.abs(shown.x)) * Math.abs(sin) + (up + Math.abs(shown.y)) * Math.abs(cos);
  const rows = Math.ceil(reach / stepY);

  const tiles = [middle];
  for (let row = -rows; row <= rows; row++) {
    const y = row * stepY;
    const shift = row % 2 === 0 ? 0 : 0.5;
    const [fromLeft, toRight] = rangeWithin(cos, shown.x - y * sin, across);
    const [fromBottom, toTop] = rangeWithin(sin, shown.y + y * cos, up);
    const last = Math.min(toRight, toTop) / stepX - shift;
    for (let column = Math.ceil(Math.max(fromLeft, fromBottom) / stepX - shift); column <= last; column++) {
      if (row !== 0 || column !== 0) tiles.push({ x: middle.x + (column + shift) * stepX, y: middle.y + y });
    }
  }
  return tiles;
}

/** Returns the place of the copy that is nearest to the middle of the page. `point` is the place of any copy. */
function nearestCopy(point: Point, stepX: number, stepY: number): Point {
  const row = Math.round(point.y / stepY);
  const x = point.x - (row % 2 === 0 ? 0 : stepX / 2);
  return { x: x - Math.round(x / stepX) * stepX, y: point.y - row * stepY };
}

/** Rotates a point about the origin. */
function turned({ x, y }: Point, cos: number, sin: number): Point {
  return { x: x * cos - y * sin, y: x * sin + y * cos };
}

/** Returns the range of x for which `slope` * x + `offset` is between -`limit` and `limit`. */
function rangeWithin(slope: number, offset: number, limit: number): [number, number] {
  if (slope === 0) return Math.abs(offset) < limit ? [-Infinity, Infinity] : [Infinity, -Infinity];
  const ends = [(-limit - offset) / slope, (limit - offset) / slope];
  return [Math.min(...ends), Math.max(...ends)];
}

/**
 * Converts a page's size from points to units of a mark, each of which is `scale` points long. Rounds each side up by at
 * most an eighth, so that pages of similar size share one tiling.
 */
export function roundedUpSize({ width, height }: Size, scale: number): Size {
  const rounded = (side: number) => {
    const step = 2 ** (Math.floor(Math.log2(side)) - 3);
    return Math.ceil(side / step) * step;
  };
  return { width: rounded(width / scale), height: rounded(height / scale) };
}

/** Returns the cosine and sine of an angle. They are exact at multiples of 90 degrees. */
function cosineAndSine(degrees: number): [number, number] {
  const turn = ((degrees % 360) + 360) % 360;
  if (turn % 90 === 0)
    return (
      [
        [1, 0],
        [0, 1],
        [-1, 0],
        [0, -1],
      ] as [number, number][]
    )[turn / 90]!;
  const radians = (turn * Math.PI) / 180;
  return [Math.cos(radians), Math.sin(radians)];
}

/** Sample points of a rectangle, as shares of its width and height. */
const SAMPLES = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95].flatMap((across) =>
  [0.2, 0.5, 0.8].map((up) => [across, up] as const),
);

/** Returns points that are evenly distributed over a rectangle (left, bottom, right, top), mapped by `matrix`. */
export function samplesOf([left, bottom, right, top]: Bounds, matrix: Matrix = [1, 0, 0, 1, 0, 0]): Point[] {
  return SAMPLES.map(([across, up]) => pointAt(matrix, left + across * (right - left), bottom + up * (top - bottom)));
}

/** Returns the point to which a matrix maps (x, y). */
export function pointAt([a, b, c, d, e, f]: Matrix, x: number, y: number): Point {
  return { x: a * x + c * y + e, y: b * x + d * y + f };
}

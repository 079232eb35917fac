/**
 * The geometry of moving, turning and scaling a mark by hand. All functions are pure. Lengths are points of the page as
 * displayed, with the origin at the lower left and y pointing up. Angles are degrees, counter-clockwise.
 */
import type { MarkOutline } from "../src/engine/index.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The placement of a mark, as the fields of the call define it. */
export interface FieldPlace {
  /** Name of the position, or of the template's position if the field is omitted. */
  position: string;
  offset: Point;
  margin: number;
}

/** The columns and rows of the nine places, as fractions of the page: 0 is the left or lower end. */
const COLUMNS = { left: 0, "": 0.5, right: 1 } as const;
const ROWS = { bottom: 0, "": 0.5, top: 1 } as const;
/** The shorter side of A3. On larger pages the margin grows with the page, as in the engine. */
const LARGE_PT = 842;
/** A turned mark snaps to multiples of this angle. */
const ANGLE_STEP = 15;

/** Returns the point in the middle of a mark. */
export function centerOf({ corners: [a, , c] }: Pick<MarkOutline, "corners">): Point {
  return { x: (a!.x + c!.x) / 2, y: (a!.y + c!.y) / 2 };
}

/** Returns the width and the height of a mark before its rotation, and the angle of the rotation. */
export function shapeOf({ corners }: Pick<MarkOutline, "corners">): { width: number; height: number; angle: number } {
  const [a, b, , d] = corners as [Point, Point, Point, Point];
  const { atan2, hypot } = Math;
  return {
    width: hypot(b.x - a.x, b.y - a.y),
    height: hypot(d.x - a.x, d.y - a.y),
    angle: (atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI,
  };
}

/**
 * Returns the position and the offsets of a mark that was moved by hand. The position is the nearest of the nine
 * places, and the offsets are the distance from this place to the mark. A mark keeps its row if it is taller than half
 * of the page, and its column if it is wider than half of the page. A tiled mark remains tiled, and a diagonal mark
 * near the center remains diagonal.
 * @param by distance of the movement
 * @param snap a mark that is at most this far from a place snaps to the place
 */
export function moved(
  outline: MarkOutline,
  { position, offset, margin }: FieldPlace,
  by: Point,
  snap: number,
): { position: string; offset: Point } {
  if (position === "tile") return { position, offset: { x: offset.x + by.x, y: offset.y + by.y } };
  const { corners, pageSize } = outline;
  const [row, column] = placeOf(position);
  const shorter = Math.min(pageSize.width, pageSize.height);
  const inset = Math.min(margin * Math.max(1, shorter / LARGE_PT), shorter / 10);
  const axis = (side: "x" | "y", length: number): Axis => {
    const ends = corners.map((corner) => corner[side]);
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    return { length, inset, size: high - low, center: (low + high) / 2, offset: offset[side], by: by[side], snap };
  };
  const [toColumn, x] = nearest(COLUMNS, column, axis("x", pageSize.width));
  const [toRow, y] = nearest(ROWS, row, axis("y", pageSize.height));
  const name = [toRow, toColumn].filter(Boolean).join("-") || "center";
  return { position: position === "diagonal" && name === "center" ? position : name, offset: { x, y } };
}

/** A mark and its movement along one axis of the page. */
interface Axis {
  /** Length of the page, and the distance between a mark at an outer place and the end of the page. */
  length: number;
  inset: number;
  /** Length and center of the mark before the movement, and its offset from its named position. */
  size: number;
  center: number;
  offset: number;
  by: number;
  snap: number;
}

/** Returns the nearest of three places along an axis, and the offset from this place. */
function nearest<N extends string>(
  places: Readonly<Record<N, number>>,
  current: string | undefined,
  { length, inset, size, center, offset, by, snap }: Axis,
): [N, number] {
  const names = Object.keys(places) as N[];
  const isLarge = size > length / 2 && current !== undefined;
  const offsets = (isLarge ? [current as N] : names).map((name): [N, number] => {
    // the current place is computed from the mark, because it may be relative to another box of the page
    const there = name === current ? center - offset : inset + size / 2 + places[name] * (length - 2 * inset - size);
    return [name, center + by - there];
  });
  const [name, left] = offsets.reduce((best, one) => (Math.abs(one[1]) < Math.abs(best[1]) ? one : best));
  return [name, Math.abs(left) <= snap ? 0 : left];
}

/** Returns the angle at a mark's center between two points, counter-clockwise. */
export function turnedBy(center: Point, from: Point, to: Point): number {
  const angleOf = ({ x, y }: Point) => Math.atan2(y - center.y, x - center.x);
  return ((angleOf(to) - angleOf(from)) * 180) / Math.PI;
}

/**
 * Returns an angle in whole degrees, more than -180 and at most 180.
 * @param snap an angle that is at most this far from a multiple of 15 degrees snaps to the multiple
 */
export function wholeAngle(degrees: number, snap: number): number {
  const step = Math.round(degrees / ANGLE_STEP) * ANGLE_STEP;
  const angle = Math.abs(degrees - step) <= snap ? step : Math.round(degrees);
  return 180 - ((((180 - angle) % 360) + 360) % 360);
}

/**
 * Returns `value` times `by`, rounded to a multiple of `step`: down if `by` is less than 1, otherwise up. Each key
 * press therefore changes the value.
 * @param step rounding increment, which is also the smallest result
 */
export function scaled(value: number, by: number, step: number): number {
  const steps = Number(((value * by) / step).toFixed(6)); // removes floating-point rounding errors
  const whole = by < 1 ? Math.floor(steps) : Math.ceil(steps);
  return Math.max(1, whole) * step;
}

/** Returns the row and the column of a position, or an empty list if the position is not one of the nine places. */
function placeOf(position: string): [row?: string, column?: string] {
  if (position === "center" || position === "diagonal") return ["", ""];
  const [, row, column] = /^(top|bottom|)-?(left|right|)$/.exec(position) ?? [];
  return row || column ? [row ?? "", column ?? ""] : [];
}

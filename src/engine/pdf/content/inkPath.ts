/** Collects a path (ISO 32000-2, 8.5) and reports the bounds of its painted areas and lines. */
import { areaOf, type Bounds, boundsOf } from "./bounds.ts";
import { LEVEL, type Matrix } from "./matrix.ts";

/**
 * Maximum size, in units of the page, of the pieces into which a slanted line is split. The smaller of a piece's width
 * and height counts.
 */
const PIECE = 8;
/** Maximum number of pieces of a line. */
const MAX_PIECES = 32;

/** Minimum width and height, in units of the page, of a frame whose sides are reported separately. */
const MIN_FRAME = 36;
/** Maximum share of a frame's bounds that the frame covers. */
const MAX_FRAME_SHARE = 0.25;

/** Maximum number of control points of a shape that counts as a rectangle. */
const MAX_CONTROLS = 64;
/** Minimum share of its bounds that a shape covers if it counts as a rectangle, with rounded corners for example. */
const FULL_SHARE = 0.95;

/** Number of coordinates of a rectangle's four corners. */
const CORNERS_END = 8;

/** Receives the bounds of a shape, and whether all its sides are level or upright. */
type Report = (bounds: Bounds, isRectilinear: boolean) => void;

/** The path that is being constructed. The bounds of a curve include its control points. */
export class InkPath {
  /** Pairs of coordinates in the space of the page. */
  #points: number[] = [];
  /** Indexes of the first point of each subpath in the list of points. */
  #starts: number[] = [];
  /** Indexes of the first control points of curves in the list of points. */
  readonly #controls = new Set<number>();

  /** Bounds of the whole path. Undefined for an empty path. */
  get bounds(): Bounds | undefined {
    return this.#points.length > 0 ? boundsOf(this.#points) : undefined;
  }

  /**
   * Whether the path is one shape that fills nearly all of its bounds, such as a rectangle with rounded corners. A curve
   * lies between the line through its control points and the line through its ends, so both must fill the bounds.
   */
  get fillsBounds(): boolean {
    if (this.#starts.length !== 1 || this.#controls.size === MAX_CONTROLS) return false;
    const points = this.#points;
    const ends = this.#controls.size > 0 ? points.filter((_, i) => !this.#controls.has(i - (i % 2))) : points;
    return [points, ends].every((outline) => {
      const share = outlineOf(outline, 0, outline.length).area / areaOf(boundsOf(points));
      return share >= FULL_SHARE && share <= 1 + LEVEL;
    });
  }

  moveTo(matrix: Matrix, x: number, y: number): void {
    this.#starts.push(this.#points.length);
    this.lineTo(matrix, x, y);
  }

  lineTo([a, b, c, d, e, f]: Matrix, x: number, y: number): void {
    if (this.#starts.length === 0) this.#starts.push(0);
    this.#points.push(a * x + c * y + e, b * x + d * y + f);
  }

  /** Adds a control point of a curve that ends at the next point which is not a control point. */
  controlTo(matrix: Matrix, x: number, y: number): void {
    if (this.#controls.size < MAX_CONTROLS) this.#controls.add(this.#points.length);
    this.lineTo(matrix, x, y);
  }

  close(): void {
    const start = this.#starts.at(-1);
    if (start !== undefined) this.#points.push(this.#points[start]!, this.#points[start + 1]!);
  }

  clear(): void {
    this.#controls.clear();
    if (this.#points.length > 0) [this.#points, this.#starts] = [[], []];
  }

  /**
   * Reports the bounds of each subpath. For a large subpath that covers little of its bounds, reports each side
   * separately.
   */
  fill(report: Report): void {
    this.#eachSubpath((start, end) => {
      const thickness = this.#frameThickness(start, end);
      if (thickness !== undefined) return this.#strokeSubpath(start, end, thickness, report);
      let isRectilinear = true;
      for (let i = start + 2; i < end && isRectilinear; i += 2) isRectilinear = this.#isLevel(i) || this.#isUpright(i);
      report(boundsOf(this.#points, start, end), isRectilinear);
    });
  }

  /**
   * Reports the bounds of each line, without line caps. A slanted line is split into pieces, because the bounds of the
   * whole line would be much too large.
   */
  stroke(width: number, report: Report): void {
    this.#eachSubpath((start, end) => this.#strokeSubpath(start, end, width, report));
  }

  #strokeSubpath(start: number, end: number, width: number, report: Report): void {
    const half = width / 2;
    const points = this.#points;
    for (let i = start + 2; i < end; i += 2) {
      const [fromX, fromY, toX, toY] = points.slice(i - 2, i + 2) as [number, number, number, number];
      const isRectilinear = this.#isLevel(i) || this.#isUpright(i);
      const [acrossX, acrossY] = [this.#isLevel(i) ? 0 : half, this.#isUpright(i) ? 0 : half];
      const across = Math.min(Math.abs(toX - fromX), Math.abs(toY - fromY));
      const pieces = isRectilinear ? 1 : Math.min(MAX_PIECES, Math.ceil(across / PIECE));
      const [stepX, stepY] = [(toX - fromX) / pieces, (toY - fromY) / pieces];
      for (let piece = 0; piece < pieces; piece++) {
        const [x, y] = [fromX + piece * stepX, fromY + piece * stepY];
        const [x0, y0, x1, y1] = boundsOf([x, y, x + stepX, y + stepY]);
        report([x0 - acrossX, y0 - acrossY, x1 + acrossX, y1 + acrossY], isRectilinear);
      }
    }
  }

  /** Returns the thickness of a subpath that is a frame or a part of a frame. Returns undefined for other subpaths. */
  #frameThickness(start: number, end: number): number | undefined {
    const [x0, y0, x1, y1] = boundsOf(this.#points, start, end);
    if (this.#controls.size > 0 || end - start <= CORNERS_END || Math.min(x1 - x0, y1 - y0) < MIN_FRAME)
      return undefined;
    const { area, length } = outlineOf(this.#points, start, end);
    return area < MAX_FRAME_SHARE * (x1 - x0) * (y1 - y0) ? (2 * area) / length : undefined;
  }

  #eachSubpath(visit: (start: number, end: number) => void): void {
    for (const [i, start] of this.#starts.entries()) visit(start, this.#starts[i + 1] ?? this.#points.length);
  }

  /** Returns whether the line to the point with index `i` is level. */
  #isLevel(i: number): boolean {
    return Math.abs(this.#points[i + 1]! - this.#points[i - 1]!) < LEVEL;
  }

  #isUpright(i: number): boolean {
    return Math.abs(this.#points[i]! - this.#points[i - 2]!) < LEVEL;
  }
}

/** Returns the area of a closed polygon and the length of its outline. */
function outlineOf(points: readonly number[], start: number, end: number): { area: number; length: number } {
  let [doubleArea, length] = [0, 0];
  for (let i = start; i < end; i += 2) {
    const next = i + 2 < end ? i + 2 : start;
    const [fromX, fromY] = [points[i]!, points[i + 1]!];
    const [toX, toY] = [points[next]!, points[next + 1]!];
    doubleArea += fromX * toY - toX * fromY;
    length += Math.hypot(toX - fromX, toY - fromY);
  }
  return { area: Math.abs(doubleArea) / 2, length };
}

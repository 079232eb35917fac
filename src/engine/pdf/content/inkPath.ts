/** Collects a path (ISO 32000-2, 8.5) and reports the bounds of its painted areas and lines. */
import { type Bounds, boundsOf } from "./bounds.ts";
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
  #hasCurve = false;

  /** Bounds of the whole path. Undefined for an empty path. */
  get bounds(): Bounds | undefined {
    return this.#points.length > 0 ? boundsOf(this.#points) : undefined;
  }

  /** Whether the path is one upright rectangle. */
  get isRectangle(): boolean {
    const points = this.#points;
    if (this.#starts.length !== 1 || this.#hasCurve) return false;
    const isNear = (i: number, j: number) =>
      Math.abs(points[i]! - points[j]!) < LEVEL && Math.abs(points[i + 1]! - points[j + 1]!) < LEVEL;
    let end = points.length;
    while (end > CORNERS_END && isNear(end - 2, 0)) end -= 2;
    if (end !== CORNERS_END) return false;
    const [x0, y0, x1, y1, x2, y2, x3, y3] = points as [number, number, number, number, ...number[]];
    const isEqual = (pairs: (number | undefined)[][]) => pairs.every(([a, b]) => Math.abs(a! - b!) < LEVEL);
    return (
      isEqual([
        [y0, y1],
        [x1, x2],
        [y2, y3],
        [x3, x0],
      ]) ||
      isEqual([
        [x0, x1],
        [y1, y2],
        [x2, x3],
        [y3, y0],
      ])
    );
  }

  moveTo(matrix: Matrix, x: number, y: number): void {
    this.#starts.push(this.#points.length);
    this.lineTo(matrix, x, y);
  }

  lineTo([a, b, c, d, e, f]: Matrix, x: number, y: number): void {
    if (this.#starts.length === 0) this.#starts.push(0);
    this.#points.push(a * x + c * y + e, b * x + d * y + f);
  }

  /** Adds a control point or the end of a curve. */
  curveTo(matrix: Matrix, x: number, y: number): void {
    this.#hasCurve = true;
    this.lineTo(matrix, x, y);
  }

  close(): void {
    const start = this.#starts.at(-1);
    if (start !== undefined) this.#points.push(this.#points[start]!, this.#points[start + 1]!);
  }

  clear(): void {
    this.#hasCurve = false;
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
    if (this.#hasCurve || end - start <= CORNERS_END || Math.min(x1 - x0, y1 - y0) < MIN_FRAME) return undefined;
    let [doubleArea, length] = [0, 0];
    for (let i = start; i < end; i += 2) {
      const next = i + 2 < end ? i + 2 : start;
      const [fromX, fromY] = [this.#points[i]!, this.#points[i + 1]!];
      const [toX, toY] = [this.#points[next]!, this.#points[next + 1]!];
      doubleArea += fromX * toY - toX * fromY;
      length += Math.hypot(toX - fromX, toY - fromY);
    }
    const area = Math.abs(doubleArea) / 2;
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

import { describe, expect, test } from "vitest";
import {
  diagonalAngle,
  displayedSize,
  largestScale,
  marginOn,
  placeAt,
  roomOn,
  rotatedSize,
  roundedUpSize,
  sizeKey,
  tile,
  toUserSpace,
} from "../../../src/engine/marks/geometry.ts";
import { spotOf } from "../../../src/engine/marks/positions.ts";
import { type Matrix, multiply } from "../../../src/engine/pdf/content/matrix.ts";
import type { Page } from "../../../src/engine/pdf/pages/page.ts";

const page = (rotate: Page["rotate"], userUnit = 1): Page => ({
  index: 0,
  box: { x0: 10, y0: 20, x1: 110, y1: 220 },
  rotate,
  userUnit,
});
const apply = ([a, b, c, d, e, f]: Matrix, x: number, y: number) =>
  [a * x + c * y + e, b * x + d * y + f].map((v) => Math.round(v * 1e6) / 1e6 + 0);

describe("displayed space", () => {
  // The page box is 100 wide and 200 high. Each row lists the user-space coordinates of the displayed page's corners.
  test.each<[Page["rotate"], number, [number, number], Record<string, [number, number]>]>([
    [0, 1, [100, 200], { "lower left": [10, 20], "lower right": [110, 20], "upper left": [10, 220] }],
    [90, 1, [200, 100], { "lower left": [110, 20], "lower right": [110, 220], "upper left": [10, 20] }],
    [180, 1, [100, 200], { "lower left": [110, 220], "lower right": [10, 220], "upper left": [110, 20] }],
    [270, 1, [200, 100], { "lower left": [10, 220], "lower right": [10, 20], "upper left": [110, 220] }],
    [90, 2, [400, 200], { "lower left": [110, 20], "lower right": [110, 220], "upper left": [10, 20] }],
  ])(
    "maps page corners to user space for /Rotate %i and a user unit of %i points",
    (rotate, userUnit, [width, height], corners) => {
      const turned = page(rotate, userUnit);
      expect(displayedSize(turned)).toEqual({ width, height, userUnit });
      const matrix = toUserSpace(turned);
      expect({
        "lower left": apply(matrix, 0, 0),
        "lower right": apply(matrix, width, 0),
        "upper left": apply(matrix, 0, height),
      }).toEqual(corners);
    },
  );
});

test("the product of two matrices applies the first factor first", () => {
  const doubled: Matrix = [2, 0, 0, 2, 0, 0],
    moved: Matrix = [1, 0, 0, 1, 5, 7];
  expect(apply(multiply(doubled, moved), 1, 1)).toEqual([7, 9]);
  expect(apply(multiply(moved, doubled), 1, 1)).toEqual([12, 16]);
});

describe("placement of a mark", () => {
  const a4 = { width: 600, height: 800 },
    mark = { width: 100, height: 50 };
  /** Returns the bounding box of the placed mark. */
  const boxOf = (matrix: Matrix) => {
    const corners = [
      [0, 0],
      [100, 0],
      [0, 50],
      [100, 50],
    ].map(([x, y]) => apply(matrix, x!, y!));
    const xs = corners.map(([x]) => x!),
      ys = corners.map(([, y]) => y!);
    return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  };

  test.each([
    ["top-left", [24, 726, 124, 776]],
    ["top", [250, 726, 350, 776]],
    ["top-right", [476, 726, 576, 776]],
    ["left", [24, 375, 124, 425]],
    ["center", [250, 375, 350, 425]],
    ["right", [476, 375, 576, 425]],
    ["bottom-left", [24, 24, 124, 74]],
    ["bottom", [250, 24, 350, 74]],
    ["bottom-right", [476, 24, 576, 74]],
  ] as const)("places a mark at the position %s within the margins of the page", (position, box) => {
    expect(boxOf(placeAt(spotOf(position), mark, 1, 0, a4, 24))).toEqual(box);
  });

  test.each([
    [90, [526, 24, 576, 124]],
    [180, [476, 24, 576, 74]],
    [-90, [526, 24, 576, 124]],
    [450, [526, 24, 576, 124]],
  ])("keeps a mark that is rotated by %i degrees within the margins in the bottom-right corner", (degrees, box) => {
    expect(boxOf(placeAt(spotOf("bottom-right"), mark, 1, degrees, a4, 24))).toEqual(box);
  });

  test("rotates a mark counter-clockwise, so that its text reads upward at 90 degrees", () => {
    const matrix = placeAt(spotOf("center"), mark, 1, 90, a4, 0);
    expect(apply(matrix, 0, 25)).toEqual([300, 350]);
    expect(apply(matrix, 100, 25)).toEqual([300, 450]);
  });

  test.each([0, 30, 45, 53.13, 90, 123, -17, 360])(
    "enlarges a mark that is rotated by %f degrees until it touches a margin",
    (degrees) => {
      const scale = largestScale(mark, roomOn(a4, 24), degrees);
      const { width, height } = rotatedSize({ width: 100 * scale, height: 50 * scale }, degrees);
      expect(width).toBeLessThanOrEqual(552.000001);
      expect(height).toBeLessThanOrEqual(752.000001);
      expect(Math.max(width / 552, height / 752)).toBeCloseTo(1, 6);
    },
  );

  test("limits the margin to a tenth of the page's shorter side", () => {
    expect([marginOn(a4, 24), marginOn(a4, 100), marginOn({ width: 100, height: 40 }, 24)]).toEqual([24, 60, 4]);
  });

  test("computes the angle of the page diagonal from the page's width and height", () => {
    expect(diagonalAngle({ width: 100, height: 100 })).toBe(45);
    expect(diagonalAngle(a4)).toBeCloseTo(53.13, 2);
  });
});

describe("tile", () => {
  const a4 = { width: 600, height: 800 },
    mark = { width: 100, height: 50 };
  /** Returns the centers of all copies on the page. */
  const centersOf = (degrees: number) => {
    const middle = placeAt(spotOf("tile"), mark, 1, degrees, a4, 24);
    return tile(mark, degrees, a4).map(({ x, y }) => apply(middle, x + 50, y + 25));
  };

  test.each([0, 30, -45, 90])(
    "copies of a tiled mark rotated by %i degrees are near every point of the page",
    (degrees) => {
      const centers = centersOf(degrees);
      for (let x = 0; x <= 600; x += 50)
        for (let y = 0; y <= 800; y += 50) {
          const nearest = Math.min(...centers.map(([cx, cy]) => Math.hypot(cx! - x, cy! - y)));
          expect(nearest).toBeLessThan(125);
        }
    },
  );

  test.each([
    [40, 2000],
    [14_000, 10],
  ])("copies of a tiled mark cover a page of %i by %i points", (width, height) => {
    const small = { width: 3, height: 0.5 };
    const middle = placeAt(spotOf("tile"), small, 1, 30, { width, height }, 0);
    const places = tile(small, 30, { width, height });
    const centers = places.map(({ x, y }) => apply(middle, x + 1.5, y + 0.25));
    expect(places.length).toBeLessThan(500);
    for (let share = 0; share <= 1; share += 0.1) {
      const [x, y] = [share * width, share * height];
      const nearest = Math.min(...centers.map(([cx, cy]) => Math.hypot(cx! - x, cy! - y)));
      expect(nearest).toBeLessThan(1.5 * Math.sqrt((width * height) / 283));
    }
  });

  test("the first copy that tile() returns is in the page's center", () => {
    expect(centersOf(30)[0]).toEqual([300, 400]);
  });

  test.each([
    [0, { x: 40, y: -30 }],
    [30, { x: 5000, y: 4000 }],
    [-45, { x: -10_000, y: 333 }],
    [90, { x: 75, y: 125 }],
  ])("an offset moves all copies of a tiled mark rotated by %i degrees, and leaves no gap: %j", (degrees, offset) => {
    const middle = placeAt(spotOf("tile"), mark, 1, degrees, a4, 24);
    const moved = tile(mark, degrees, a4, { offset }).map(({ x, y }) => apply(middle, x + 50, y + 25));
    for (let x = 0; x <= 600; x += 50)
      for (let y = 0; y <= 800; y += 50)
        expect(Math.min(...moved.map(([cx, cy]) => Math.hypot(cx! - x, cy! - y)))).toBeLessThan(125);
    // Position of the first copy in rows and columns of the tiling, without the offset. The row is an integer. The
    // column is an integer in even rows, and is shifted by half a column in odd rows.
    const [x, y] = [moved[0]![0]! - 300 - offset.x, moved[0]![1]! - 400 - offset.y];
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    const [row, column] = [(y * cos - x * sin) / 125, (x * cos + y * sin) / 150];
    expect(Math.abs(row - Math.round(row))).toBeLessThan(1e-6);
    expect(Math.abs(2 * column - Math.round(2 * column))).toBeLessThan(1e-6);
    expect(Math.abs(Math.round(2 * column) % 2)).toBe(Math.abs(Math.round(row) % 2));
    expect(Math.hypot(moved[0]![0]! - 300, moved[0]![1]! - 400)).toBeLessThan(125);
  });

  test.each([
    [0, 100, 50],
    [1, 200, 100],
    [2, 300, 150],
  ])("the gap between copies of a tiled mark is %i times the mark's size", (gap, stepX, stepY) => {
    const places = tile(mark, 0, { width: 1000, height: 600 }, { gap });
    const inRow = places
      .filter(({ y }) => y === 0)
      .map(({ x }) => x)
      .sort((a, b) => a - b);
    expect(new Set(inRow.slice(1).map((x, i) => x - inRow[i]!))).toEqual(new Set([stepX]));
    expect(Math.min(...places.map(({ y }) => y).filter((y) => y > 0))).toBe(stepY);
  });

  test("enlarges the gap between copies of a tiled mark if the page would exceed the limit of copies", () => {
    const count = tile({ width: 1, height: 1 }, 0, { width: 600, height: 800 }, { gap: 0 }).length;
    expect(count).toBeLessThan(1500);
  });

  test("shifts every other row of a tiled mark by half the distance between copies", () => {
    const rows = Map.groupBy(centersOf(0), ([, y]) => y!);
    const phases = [...rows.values()].map((row) => (((row[0]![0]! - 300) % 150) + 150) % 150);
    expect(new Set(phases)).toEqual(new Set([0, 75]));
  });

  test.each([
    [600, 800],
    [14_400, 3],
    [1, 4_000_000],
  ])("limits the number of copies of a tiny tiled mark on a page of %i by %i points", (width, height) => {
    for (const degrees of [0, 30, 45, 359.99999999])
      expect(tile({ width: 0.1, height: 0.1 }, degrees, { width, height }).length).toBeLessThan(1500);
  });

  test("rounds many similar page sizes up to fewer than ten sizes", () => {
    const pages = Array.from({ length: 1000 }, (_, i) => ({ width: 500 + i / 5, height: 700 + (i % 10) }));
    const classes = pages.map((page) => [page, roundedUpSize(page, 0.2)] as const);
    for (const [page, { width, height }] of classes)
      for (const share of [width / (page.width / 0.2), height / (page.height / 0.2)]) {
        expect(share).toBeGreaterThanOrEqual(1);
        expect(share).toBeLessThanOrEqual(1.125);
      }
    expect(new Set(classes.map(([, rounded]) => sizeKey(rounded))).size).toBeLessThan(10);
  });
});

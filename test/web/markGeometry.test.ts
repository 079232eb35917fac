import { expect, test } from "vitest";
import type { MarkOutline } from "../../src/engine/index.ts";
import { centerOf, moved, scaled, shapeOf, turnedBy, wholeAngle } from "../../web/markGeometry.ts";

/** Returns the outline of an upright mark on a page of 400 x 600 points. The center of the mark is at (x, y). */
function outlineAt(x: number, y: number, { width = 60, height = 20 } = {}): MarkOutline {
  const [left, bottom] = [x - width / 2, y - height / 2];
  return {
    page: 1,
    pageSize: { width: 400, height: 600 },
    corners: [
      { x: left, y: bottom },
      { x: left + width, y: bottom },
      { x: left + width, y: bottom + height },
      { x: left, y: bottom + height },
    ],
    scale: 1,
  };
}

const CENTER = { position: "center", offset: { x: 0, y: 0 }, margin: 24 };

test("`moved` keeps the position after a short movement and changes the offsets", () => {
  expect(moved(outlineAt(200, 300), CENTER, { x: 30, y: -12 }, 5)).toEqual({
    position: "center",
    offset: { x: 30, y: -12 },
  });
});

test("`moved` adds a movement to the previous offsets of the mark", () => {
  const place = { ...CENTER, offset: { x: 10, y: 20 } };
  expect(moved(outlineAt(210, 320), place, { x: 5, y: 5 }, 1).offset).toEqual({ x: 15, y: 25 });
});

test.each([
  ["top-left", 54, 566],
  ["top", 200, 566],
  ["right", 346, 300],
  ["bottom-right", 346, 34],
])("`moved` snaps a mark near the position %s to that position", (position, x, y) => {
  const by = { x: x + 3 - 200, y: y - 4 - 300 };
  expect(moved(outlineAt(200, 300), CENTER, by, 5)).toEqual({ position, offset: { x: 0, y: 0 } });
});

test("`moved` returns the nearest position and the offsets from it", () => {
  const { position, offset } = moved(outlineAt(200, 300), CENTER, { x: 126, y: -246 }, 5);
  expect(position).toBe("bottom-right");
  expect([offset.x, offset.y]).toEqual([-20, 20]);
});

test("`moved` keeps the position of tiled marks, and of diagonal marks that fill most of the page", () => {
  const large = outlineAt(200, 300, { width: 350, height: 500 });
  expect(moved(large, { ...CENTER, position: "diagonal" }, { x: 30, y: 9 }, 5)).toEqual({
    position: "diagonal",
    offset: { x: 30, y: 9 },
  });
  expect(moved(outlineAt(200, 300), { ...CENTER, position: "tile" }, { x: 150, y: 0 }, 5).position).toBe("tile");
});

test("`turnedBy` returns the angle between two points as seen from the center", () => {
  expect(turnedBy({ x: 5, y: 5 }, { x: 9, y: 5 }, { x: 5, y: 8 })).toBeCloseTo(90);
  expect(turnedBy({ x: 0, y: 0 }, { x: 0, y: 2 }, { x: 3, y: 3 })).toBeCloseTo(-45);
});

test("`wholeAngle` snaps an angle to a nearby multiple of 15 degrees or else to a whole degree, from -179 to 180", () => {
  expect([0, 2, 43.5, 50.4, 178, -92, 185, 359, -180].map((degrees) => wholeAngle(degrees, 3))).toEqual([
    0, 0, 45, 50, 180, -90, -175, 0, 180,
  ]);
  expect([2, 183, 540.4].map((degrees) => wholeAngle(degrees, 0))).toEqual([2, -177, 180]);
});

test("`scaled` changes a value by at least one step, and never returns less than one step", () => {
  expect(scaled(0.05, 1.05, 0.01)).toBeCloseTo(0.06);
  expect(scaled(0.05, 1 / 1.05, 0.01)).toBeCloseTo(0.04);
  expect(scaled(0.07, 1, 0.01)).toBeCloseTo(0.07);
  expect(scaled(0.01, 0.5, 0.01)).toBeCloseTo(0.01);
  expect(scaled(40, 1.05, 0.1)).toBeCloseTo(42);
});

test("the functions `shapeOf` and `centerOf` return the size, the angle and the center of a rotated mark", () => {
  const { corners, ...rest } = outlineAt(0, 0);
  const upward = { ...rest, corners: corners.map(({ x, y }) => ({ x: -y + 5, y: x + 7 })) };
  expect(shapeOf(upward)).toEqual({ width: 60, height: 20, angle: 90 });
  expect(centerOf(upward)).toEqual({ x: 5, y: 7 });
});

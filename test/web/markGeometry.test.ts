import { expect, test } from "vitest";
import type { MarkOutline } from "../../src/engine/index.ts";
import { centerOf, moved, shapeOf, turned } from "../../web/markGeometry.ts";

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

test("the function `moved` keeps the position after a short movement, and changes the offsets", () => {
  expect(moved(outlineAt(200, 300), CENTER, { x: 30, y: -12 }, 5)).toEqual({
    position: "center",
    offset: { x: 30, y: -12 },
  });
});

test("the function `moved` adds a movement to the previous offsets of the mark", () => {
  const place = { ...CENTER, offset: { x: 10, y: 20 } };
  expect(moved(outlineAt(210, 320), place, { x: 5, y: 5 }, 1).offset).toEqual({ x: 15, y: 25 });
});

test.each([
  ["top-left", 54, 566],
  ["top", 200, 566],
  ["right", 346, 300],
  ["bottom-right", 346, 34],
])("the function `moved` snaps a mark near the position %s to the position", (position, x, y) => {
  const by = { x: x + 3 - 200, y: y - 4 - 300 };
  expect(moved(outlineAt(200, 300), CENTER, by, 5)).toEqual({ position, offset: { x: 0, y: 0 } });
});

test("the function `moved` returns the nearest position and the offsets from this position", () => {
  const { position, offset } = moved(outlineAt(200, 300), CENTER, { x: 126, y: -246 }, 5);
  expect(position).toBe("bottom-right");
  expect([offset.x, offset.y]).toEqual([-20, 20]);
});

test("the function `moved` keeps the position of tiled marks, and of diagonal marks that fill most of the page", () => {
  const large = outlineAt(200, 300, { width: 350, height: 500 });
  expect(moved(large, { ...CENTER, position: "diagonal" }, { x: 30, y: 9 }, 5)).toEqual({
    position: "diagonal",
    offset: { x: 30, y: 9 },
  });
  expect(moved(outlineAt(200, 300), { ...CENTER, position: "tile" }, { x: 150, y: 0 }, 5).position).toBe("tile");
});

test("the function `turned` snaps an angle to a near multiple of 15 degrees, and rounds other angles to whole degrees", () => {
  const toward = (degrees: number) => ({
    x: Math.cos((degrees * Math.PI) / 180),
    y: Math.sin((degrees * Math.PI) / 180),
  });
  expect([0, 2, 43.5, 50.4, 178, -92].map((degrees) => turned({ x: 0, y: 0 }, toward(degrees)))).toEqual([
    0, 0, 45, 50, 180, -90,
  ]);
});

test("the functions `shapeOf` and `centerOf` return the size, the angle and the center of a rotated mark", () => {
  const { corners, ...rest } = outlineAt(0, 0);
  const upward = { ...rest, corners: corners.map(({ x, y }) => ({ x: -y + 5, y: x + 7 })) };
  expect(shapeOf(upward)).toEqual({ width: 60, height: 20, angle: 90 });
  expect(centerOf(upward)).toEqual({ x: 5, y: 7 });
});

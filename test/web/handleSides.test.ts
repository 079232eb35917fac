import { expect, test } from "vitest";
import { sidesOf } from "../../web/handleSides.ts";

const PAGE = { width: 400, height: 600 };
const FRAME = { width: 60, height: 20 };
const NO_ROOM = { x: 0, y: 0 };

test.each([
  ["on the right and above a mark in the middle", 200, 300, 0, { x: 1, y: 1 }],
  ["on the left of a mark at the right edge", 365, 300, 0, { x: -1, y: 1 }],
  ["below a mark at the upper edge", 200, 585, 0, { x: 1, y: -1 }],
  ["on the left and below a mark in the upper right corner", 365, 585, 0, { x: -1, y: -1 }],
  ["on the inner side of an upside-down mark at the right edge", 365, 300, 180, { x: 1, y: 1 }],
  ["on the inner side of an upright mark at the upper edge", 200, 565, 90, { x: -1, y: 1 }],
] as const)("`sidesOf` puts the handles %s", (_, x, y, angle, sides) => {
  expect(sidesOf(FRAME, { x, y }, angle, PAGE, NO_ROOM)).toEqual(sides);
});

test("`sidesOf` puts the handles beyond the right edge of the page if the space there is visible", () => {
  expect(sidesOf(FRAME, { x: 365, y: 300 }, 0, PAGE, { x: 40, y: 0 })).toEqual({ x: 1, y: 1 });
});

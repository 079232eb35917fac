import { expect, test } from "vitest";
import { isInvisible } from "../../../src/engine/marks/contrast.ts";

test.each([
  [{ opacity: 0 }, true],
  [{ opacity: 0.01, color: "#ffffff" }, true],
  [{ color: "#ffffff", opacity: 1 }, true],
  [{ color: "#ffff00", opacity: 1 }, false],
  [{ color: "#fffffa", opacity: 1 }, true],
  [{}, false],
])("a text mark with %o is invisible on white paper: %s", (mark, expected) => {
  expect(isInvisible({ text: "A", ...mark })).toBe(expected);
});

import { expect, test } from "vitest";
import type { TextMark } from "../../../src/engine/index.ts";
import { isInvisible } from "../../../src/engine/marks/contrast.ts";

test.each([
  [{ opacity: 0 }, true],
  [{ opacity: 0.01, color: "#ffffff" }, true],
  [{ color: "#ffffff", opacity: 1 }, true],
  [{ color: "#ffff00", opacity: 1 }, false],
  [{ color: "#fffffa", opacity: 1 }, true],
  [{}, false],
  [{ opacity: 0.007 }, true],
  [{ opacity: 0.008 }, false],
  [{ layer: "under" }, false],
  [{ layer: "under", opacity: 0 }, true],
  [{ layer: "under", color: "#ffff00", opacity: 0.1 }, true],
] as [Omit<TextMark, "text">, boolean][])(
  "detects whether a text mark is invisible on white paper: a mark with the fields %o: %s",
  (mark, expected) => {
    expect(isInvisible({ text: "A", ...mark })).toBe(expected);
  },
);

test.each([
  [0, true],
  [0.0039, true],
  [0.004, false],
])("detects whether an image is invisible on white paper: with opacity %d: %s", (opacity, expected) => {
  expect(isInvisible({ image: new Uint8Array(), opacity })).toBe(expected);
});

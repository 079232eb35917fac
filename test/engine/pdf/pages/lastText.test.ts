import { expect, test } from "vitest";
import { LastText } from "../../../../src/engine/pdf/pages/lastText.ts";
import { encode } from "../../../support/bytes.ts";

const text = encode("[0 0 100 200]");

test("LastText returns what was read from an equal text at any position", () => {
  const last = new LastText<string>();
  expect(last.readAt(text, 0)).toBeUndefined();
  expect(last.put(text, "read")).toBe("read");
  expect(last.readAt(encode("/MediaBox[0 0 100 200]/Parent"), 9)).toBe("read");
});

test.each(["[0 0 100 201]", "[0 0 100 20", "", "[0 0 100 200 ]"])(
  "LastText returns nothing for the other text '%s'",
  (other) => {
    const last = new LastText<string>();
    last.put(text, "read");
    expect(last.readAt(encode(other), 0)).toBeUndefined();
  },
);

test("LastText returns what was read from the newest text only", () => {
  const last = new LastText<number>();
  last.put(text, 1);
  last.put(encode("[0 0 5 5]"), 2);
  expect(last.readAt(text, 0)).toBeUndefined();
  expect(last.readAt(encode("[0 0 5 5]"), 0)).toBe(2);
});

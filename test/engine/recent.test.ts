import { expect, test, vi } from "vitest";
import { Recent } from "../../src/engine/recent.ts";

test("what was used longest ago is let go, once there is more than the budget", () => {
  const drop = vi.fn();
  const recent = new Recent<string, number>(10, drop);
  recent.keep("a", 1, 4);
  recent.keep("b", 2, 4);
  expect(recent.get("a")).toBe(1);
  expect(drop).not.toHaveBeenCalled();

  expect(recent.keep("c", 3, 4)).toBe(3);
  expect(drop.mock.calls).toEqual([[2]]);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([1, undefined, 3]);
});

test("the last one stays, however large it is, until there is another", () => {
  const recent = new Recent<string, number>(10);
  recent.keep("a", 1, 4);
  recent.keep("large", 2, 100);
  expect(recent.get("large")).toBe(2);
  expect(recent.get("a")).toBeUndefined();
  recent.keep("b", 3, 4);
  expect(recent.get("large")).toBeUndefined();
  recent.keep("c", 4, 6);
  expect([recent.get("b"), recent.get("c")]).toEqual([3, 4]);
});

import { expect, test, vi } from "vitest";
import { LruCache } from "../../src/engine/lruCache.ts";

test("what was used longest ago is let go, once there is more than the budget", () => {
  const drop = vi.fn();
  const recent = new LruCache<string, number>(10, drop);
  recent.put("a", 1, 4);
  recent.put("b", 2, 4);
  expect(recent.get("a")).toBe(1);
  expect(drop).not.toHaveBeenCalled();

  expect(recent.put("c", 3, 4)).toBe(3);
  expect(drop.mock.calls).toEqual([[2]]);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([1, undefined, 3]);
});

test("the last one stays, however large it is, until there is another", () => {
  const recent = new LruCache<string, number>(10);
  recent.put("a", 1, 4);
  recent.put("large", 2, 100);
  expect(recent.get("large")).toBe(2);
  expect(recent.get("a")).toBeUndefined();
  recent.put("b", 3, 4);
  expect(recent.get("large")).toBeUndefined();
  recent.put("c", 4, 6);
  expect([recent.get("b"), recent.get("c")]).toEqual([3, 4]);
});

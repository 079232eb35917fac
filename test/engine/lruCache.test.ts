import { expect, test, vi } from "vitest";
import { LruCache } from "../../src/engine/lruCache.ts";

test("an LRU cache evicts the least recently used entry when it exceeds its size limit", () => {
  const onEvict = vi.fn();
  const cache = new LruCache<string, number>(10, onEvict);
  cache.put("a", 1, 4);
  cache.put("b", 2, 4);
  expect(cache.get("a")).toBe(1);
  expect(onEvict).not.toHaveBeenCalled();

  expect(cache.put("c", 3, 4)).toBe(3);
  expect(onEvict.mock.calls).toEqual([[2]]);
  expect(["a", "b", "c"].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
});

test("an LRU cache retains the newest entry even if this entry alone exceeds the size limit", () => {
  const cache = new LruCache<string, number>(10);
  cache.put("a", 1, 4);
  cache.put("large", 2, 100);
  expect(cache.get("large")).toBe(2);
  expect(cache.get("a")).toBeUndefined();
  cache.put("b", 3, 4);
  expect(cache.get("large")).toBeUndefined();
  cache.put("c", 4, 6);
  expect([cache.get("b"), cache.get("c")]).toEqual([3, 4]);
});

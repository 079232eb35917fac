import { LargeFileSlot } from "../../src/inputs/largeFileSlot.ts";
import type { ReceiveLimits } from "../../src/inputs/receive.ts";

/** Limits of files that are all small enough for memory, unless `more` says otherwise. */
export function limitsOf(more: Partial<ReceiveLimits> = {}): ReceiveLimits {
  const keep = () => Promise.reject(new Error("not kept"));
  const slot = new LargeFileSlot(1, 60_000);
  return { maxBytes: 1000, inMemoryBytes: 1000, slot, count: () => {}, keep, keepWhole: keep, ...more };
}

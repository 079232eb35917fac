import { MemoryPool, MemoryShare } from "../../src/inputs/memory.ts";
import type { ReceiveLimits } from "../../src/inputs/receive.ts";

/** Returns receive limits with which every file fits into memory. `more` overrides single limits. */
export function limitsOf(more: Partial<ReceiveLimits> = {}): ReceiveLimits {
  const store = () => Promise.reject(new Error("not stored"));
  const memory = new MemoryShare(new MemoryPool(10_000_000), 60_000);
  const pace = { bytesPerSecond: 1000, graceMs: 10_000, deadlineMs: 60_000 };
  return { field: "file", maxBytes: 1000, inMemoryBytes: 1000, pace, memory, count: () => {}, store, ...more };
}

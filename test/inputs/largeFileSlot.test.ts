import { afterEach, describe, expect, it, vi } from "vitest";
import { LargeFileSlot } from "../../src/inputs/largeFileSlot.ts";

const LONGEST_MS = 180_000;
const slots: LargeFileSlot[] = [];
const newSlot = () => {
  const slot = new LargeFileSlot(2, LONGEST_MS);
  slots.push(slot);
  return slot;
};
afterEach(() => {
  for (const slot of slots.splice(0)) slot.release();
});

const isWaiting = (acquired: Promise<void>) =>
  Promise.race([acquired.then(() => false), scheduler.wait(500).then(() => true)]);

describe("LargeFileSlot", () => {
  it("a call gets a large-file slot immediately if a slot is free, or else once another call releases its slot", async () => {
    const [first, second, third, fourth] = [newSlot(), newSlot(), newSlot(), newSlot()];
    await first.acquire();
    await second.acquire();
    const acquired = third.acquire();
    expect(await isWaiting(acquired)).toBe(true);
    first.release();
    first.release();
    await acquired;
    expect(await isWaiting(fourth.acquire())).toBe(true);
  });

  it("a call occupies only one large-file slot, even if it acquires one several times", async () => {
    const [first, second] = [newSlot(), newSlot()];
    await Promise.all([first.acquire(), first.acquire(), first.acquire()]);
    await second.acquire();
    second.release();
    first.release();
    for (const slot of [newSlot(), newSlot()]) await slot.acquire();
  });

  it("a call that releases its large-file slot while it still waits for the slot does not occupy the slot later", async () => {
    const [first, second, third] = [newSlot(), newSlot(), newSlot()];
    await Promise.all([first.acquire(), second.acquire()]);
    const acquired = third.acquire();
    third.release();
    first.release();
    await acquired;
    await newSlot().acquire();
  });

  it("releasing a large-file slot that the call never acquired does not free another call's slot", async () => {
    newSlot().release();
    for (const slot of [newSlot(), newSlot()]) await slot.acquire();
    expect(await isWaiting(newSlot().acquire())).toBe(true);
  });

  it("a large-file slot becomes free if the runtime ends its call before the call releases the slot", async () => {
    vi.useFakeTimers();
    for (const slot of [newSlot(), newSlot()]) await slot.acquire();
    await vi.advanceTimersByTimeAsync(LONGEST_MS - 1000);
    const next = newSlot().acquire();
    await vi.advanceTimersByTimeAsync(2000);
    await next;
    vi.useRealTimers();
  });

  it("a call is rejected with too_busy if no large-file slot becomes free in time", async () => {
    vi.useFakeTimers();
    for (const slot of [newSlot(), newSlot()]) await slot.acquire();
    const refused = expect(newSlot().acquire()).rejects.toMatchObject({
      code: "too_busy",
      headers: { "Retry-After": "10" },
    });
    await vi.advanceTimersByTimeAsync(20_000);
    await refused;
    vi.useRealTimers();
  });
});

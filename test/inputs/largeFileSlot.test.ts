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

describe("a call's slot", () => {
  it("comes at once where there is room, else when another ends, however often that is said", async () => {
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

  it("is one, however many large files the call has", async () => {
    const [first, second] = [newSlot(), newSlot()];
    await Promise.all([first.acquire(), first.acquire(), first.acquire()]);
    await second.acquire();
    second.release();
    first.release();
    for (const slot of [newSlot(), newSlot()]) await slot.acquire();
  });

  it("that ends while it is waited for takes nobody else's", async () => {
    const [first, second, third] = [newSlot(), newSlot(), newSlot()];
    await Promise.all([first.acquire(), second.acquire()]);
    const acquired = third.acquire();
    third.release();
    first.release();
    await acquired;
    await newSlot().acquire();
  });

  it("that never is taken takes nobody else's", async () => {
    newSlot().release();
    for (const slot of [newSlot(), newSlot()]) await slot.acquire();
    expect(await isWaiting(newSlot().acquire())).toBe(true);
  });

  it("is over after a time, where the runtime has cut its call off and nothing ends it", async () => {
    vi.useFakeTimers();
    for (const slot of [newSlot(), newSlot()]) await slot.acquire();
    await vi.advanceTimersByTimeAsync(LONGEST_MS - 1000);
    const next = newSlot().acquire();
    await vi.advanceTimersByTimeAsync(2000);
    await next;
    vi.useRealTimers();
  });

  it("is not waited for for ever", async () => {
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

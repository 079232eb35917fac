import { describe, expect, test, vi } from "vitest";
import { MemoryPool, MemoryShare } from "../../src/inputs/memory.ts";
import { receive } from "../../src/inputs/receive.ts";
import { isEqual, joined, noise } from "../support/bytes.ts";
import { limitsOf } from "../support/limits.ts";

const LONGEST_MS = 60_000;

/** Reserves memory until the pool refuses. Returns the number of reserved bytes. */
function takeAll(share: MemoryShare, step = 1): number {
  let bytes = 0;
  while (share.take(step)) bytes += step;
  return bytes;
}

describe("MemoryPool", () => {
  test("a memory pool grants a call at most half of its memory, and always leaves memory for the next call", () => {
    const pool = new MemoryPool(1000);
    const shares = Array.from({ length: 49 }, () => new MemoryShare(pool, LONGEST_MS));
    expect(takeAll(shares[0]!)).toBe(500);
    shares[0]!.release();
    for (let bytes = 0; bytes < 1000; bytes++) for (const share of shares) share.take(1);
    // The expected minimum is half of 20 bytes, the equal share of each of 50 calls.
    expect(takeAll(new MemoryShare(pool, LONGEST_MS))).toBeGreaterThanOrEqual(10);
  });

  test("a memory pool grants all calls of the same owner together at most half of its memory", () => {
    const pool = new MemoryPool(100);
    const take = (owner: string) => new MemoryShare(pool, LONGEST_MS, owner).take(10);
    expect(Array.from({ length: 8 }, () => take("one")).filter(Boolean)).toHaveLength(5);
    expect(["two", "two", "two", "three"].map(take)).toEqual([true, true, false, true]);
  });

  test("a memory pool reuses memory that was freed or released, or whose reservation has expired", () => {
    vi.useFakeTimers();
    const pool = new MemoryPool(100);
    const [one, two] = [new MemoryShare(pool, LONGEST_MS), new MemoryShare(pool, LONGEST_MS)];
    expect([one.take(50), two.take(26)]).toEqual([true, false]);
    one.free(30);
    expect(two.take(26)).toBe(true);
    two.release();
    expect(two.take(40)).toBe(true);
    vi.advanceTimersByTime(LONGEST_MS);
    expect(takeAll(new MemoryShare(pool, LONGEST_MS))).toBe(50);
    vi.useRealTimers();
  });
});

describe("receive with little memory", () => {
  async function* pieces(length: number) {
    for (let at = 0; at < length; at += 7919) yield noise(Math.min(7919, length - at), at);
  }
  const readerOf = (bytes: Uint8Array) => ({
    length: bytes.length,
    read: async (start: number, end: number) => bytes.slice(start, end),
    async *stream() {},
  });

  test.each([0, 500_000])(
    "receive() moves a file to storage and frees its memory if the memory pool is full (%i bytes announced)",
    async (announced) => {
      const pool = new MemoryPool(200_000);
      const memory = new MemoryShare(pool, LONGEST_MS);
      let held = 0;
      const store = async (chunks: AsyncIterable<Uint8Array>) => {
        const bytes = await joined(chunks);
        held = pool.held.get(memory)?.bytes ?? 0;
        return readerOf(bytes);
      };
      const limits = limitsOf({ maxBytes: 1e6, inMemoryBytes: 1e6, memory, store });
      const { content } = await receive(pieces(500_000), limits, announced);
      if (content instanceof Uint8Array) throw new Error("the file stayed in memory");
      expect(isEqual(await content.read(0, 500_000), noise(500_000))).toBe(true);
      expect(held).toBe(0);
    },
  );

  test.each([10, 7_800_000])(
    "receive() moves a stalled file to storage, unless the file is small (%i bytes received)",
    async (length) => {
      const pool = new MemoryPool(64_000_000);
      const memory = new MemoryShare(pool, LONGEST_MS);
      let goOn = () => {};
      const stalled = (async function* () {
        yield noise(length);
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        yield noise(1000, length);
      })();
      const stored = Promise.withResolvers<AsyncIterable<Uint8Array>>();
      const store = async (chunks: AsyncIterable<Uint8Array>) => {
        stored.resolve(chunks);
        return readerOf(await joined(chunks));
      };
      const limits = limitsOf({ maxBytes: 1e8, inMemoryBytes: 16_000_000, memory, store });
      const received = receive(stalled, limits);
      if (length > 65_536) {
        await stored.promise;
        await scheduler.wait(1);
        expect(pool.held.get(memory)!.bytes).toBe(0);
      } else await scheduler.wait(3500);
      goOn();
      const { content } = await received;
      expect(content instanceof Uint8Array).toBe(length <= 65_536);
      const bytes = content instanceof Uint8Array ? content : await content.read(0, content.length);
      expect(isEqual(bytes, noise(length + 1000))).toBe(true);
    },
  );
});

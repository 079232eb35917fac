import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import worker from "../../src/index.ts";
import { groupOf } from "../../src/storage/keys.ts";
import type { Bucket } from "../../src/storage/objectStore.ts";
import { sweep } from "../../src/storage/sweep.ts";
import { bucket, emptyBucket, storedKeys } from "../support/storage.ts";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-21T12:30:00Z");
const resultKey = (hours: number, name: string | number) => {
  const group = groupOf(NOW + hours * HOUR);
  return `results/${group}/${group}-${String(name).padStart(32, "0")}`;
};
const uploadKey = (hours: number, name: string | number) => resultKey(hours, name).replace("results", "uploads");
const quoteKey = (hours: number, name: string | number) => resultKey(hours, name).replace("results", "quotes");
const spoolKey = (hours: number, name: string | number) => `spool/${groupOf(NOW + hours * HOUR)}/${name}`;

beforeEach(emptyBucket);

interface Store extends Pick<Bucket, "list" | "delete"> {
  put(key: string, value: null, options: object): Promise<unknown>;
}

async function put(keys: string[], store: Store = bucket): Promise<void> {
  for (let at = 0; at < keys.length; at += 200)
    await Promise.all(keys.slice(at, at + 200).map((key) => store.put(key, null, {})));
}

/** Returns an in-memory store of keys, with the batch limits of R2. */
function keysInMemory(): Store {
  const keys = new Set<string>();
  return {
    put: async (key) => keys.add(key),
    async list({ prefix, startAfter, limit }) {
      const after = [...keys].filter((key) => key.startsWith(prefix) && key > startAfter).toSorted();
      const size = Math.min(limit, 1000);
      return { objects: after.slice(0, size).map((key) => ({ key })), truncated: after.length > size };
    },
    async delete(gone) {
      if (gone.length > 1000) throw new Error("too many keys");
      for (const key of gone) keys.delete(key);
    },
  };
}

/** Wraps a store and counts the calls of `list` and `delete`. The `delete` call with the number `failing` throws. */
function watched(store: Store, failing = Number.POSITIVE_INFINITY) {
  const calls = { list: 0, delete: 0 };
  const failingBucket = {
    list: (options: Parameters<Bucket["list"]>[0]) => {
      calls.list++;
      return store.list(options);
    },
    delete: (keys: string[]) => {
      if (++calls.delete >= failing) throw new Error("cut off");
      return store.delete(keys);
    },
  } as Bucket;
  return { bucket: failingBucket, calls };
}

describe("sweep", () => {
  test("sweep deletes an hour's objects once all have expired, and spooled files after more than three hours", async () => {
    const over = [
      ...[resultKey(-1, 1), resultKey(-1, 2), resultKey(-30, 1), spoolKey(-4, 1), spoolKey(-50, 1)],
      ...[uploadKey(-1, 1), uploadKey(-1, "1-ab"), uploadKey(-2, 1)],
      ...[quoteKey(-1, 1), quoteKey(-30, 1)],
    ];
    const kept = [
      ...[resultKey(0, 1), resultKey(0, 2), resultKey(24, 1)], // Results of this hour may not have expired yet.
      ...[spoolKey(0, 1), spoolKey(-1, 1), spoolKey(-3, 1)], // Calls may still use these spooled files.
      ...[uploadKey(0, 1), uploadKey(0, "1-ab"), uploadKey(1, 1)],
      ...[quoteKey(0, 1), quoteKey(1, 1)],
      ...["results/.keep", "results/now/1", "spool/1", "else/000000/1", "000000/1"],
    ];
    await put([...over, ...kept]);
    expect(await sweep(bucket, NOW)).toEqual({ deleted: over.length, finished: true });
    expect(await storedKeys()).toEqual(kept.toSorted());
    expect(await sweep(bucket, NOW)).toEqual({ deleted: 0, finished: true });
  });

  test("sweep deletes an hour's objects as soon as the hour has ended", async () => {
    await put([resultKey(0, 1)]);
    const hourEnds = Date.parse("2026-11-21T13:00:00Z");
    expect((await sweep(bucket, hourEnds - 1)).deleted).toBe(0);
    expect((await sweep(bucket, hourEnds)).deleted).toBe(1);
  });

  test.each([
    ["10,000 objects", 10_000, keysInMemory],
    // Storing 10,000 objects in R2 would take longer than all other storage tests together.
    ["2,000 objects of R2", 2000, () => bucket],
  ])(
    "a second sweep of %s deletes the rest after an interrupted sweep",
    { timeout: 60_000 },
    async (_, count, storeOf) => {
      const store = storeOf();
      const over = Array.from({ length: count }, (_, at) => resultKey(-1 - (at % 7), at));
      const kept = Array.from({ length: 50 }, (_, at) => resultKey(at, at));
      await put([...over, ...kept], store);
      const half = count / 2;

      await expect(sweep(watched(store, half / 1000 + 1).bucket, NOW)).rejects.toThrow("cut off");
      const left = await storedKeys("", store);
      expect(left).toHaveLength(half + 50);
      expect(left).toEqual([...over, ...kept].toSorted().slice(half)); // The first sweep deleted the oldest keys.

      const { bucket: again, calls } = watched(store);
      expect(await sweep(again, NOW)).toEqual({ deleted: half, finished: true });
      expect(await storedKeys("", store)).toEqual(kept.toSorted());
      // Each call covers up to 1,000 keys.
      expect(calls).toEqual({ list: 1 + (half / 1000 + 1) + 2, delete: half / 1000 });
    },
  );

  test("sweep stops after 200 batches and reports that objects remain", async () => {
    const objects = (at: number) =>
      Array.from({ length: 1000 }, (_, name) => ({ key: resultKey(-1, at * 1000 + name) }));
    let page = 0;
    let deleted = 0;
    const endless = {
      list: async ({ prefix }: { prefix: string }) =>
        prefix === "spool/" ? { objects: [], truncated: false } : { objects: objects(page++), truncated: true },
      delete: async (keys: string[]) => {
        deleted += keys.length;
      },
    } as unknown as Bucket;
    expect(await sweep(endless, NOW)).toEqual({ deleted: 199_000, finished: false });
    expect(deleted).toBe(199_000);
  });

  test("the Worker runs the sweep on its cron schedule", async () => {
    await put([resultKey(-1, 1), resultKey(1, 1)]);
    await worker.scheduled(createScheduledController({ scheduledTime: NOW }), env);
    expect(await storedKeys()).toEqual([resultKey(1, 1)]);
  });
});

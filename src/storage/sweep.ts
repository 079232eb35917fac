import { groupOf } from "./keys.ts";
import type { Bucket } from "./objectStore.ts";
import { abortParts } from "./uploadParts.ts";

/** Maximum number of objects that one R2 call lists or deletes. */
const BATCH = 1000;
/**
 * Maximum number of batches per run. The limit stays well below the number of R2 calls that Cloudflare allows a Worker.
 */
const MAX_BATCHES = 200;
/** Age in milliseconds at which a spooled file is deleted. No call takes this long. */
const SPOOL_MS = 3 * 3_600_000;

/**
 * Deletes objects that have expired at `now` (Unix milliseconds): results, uploads and quotes whose whole group has
 * expired, and spooled files left by crashed Workers. Aborts the multipart uploads of expired uploads. The group of a
 * spooled file is the hour in which the file was stored. Keeps no state between runs: keys sort by group, so each run
 * starts with the oldest remaining objects.
 * @returns the number of deleted objects, and whether no expired object is left
 */
export async function sweep(bucket: Bucket, now: number): Promise<{ deleted: number; finished: boolean }> {
  let deleted = 0;
  let batches = MAX_BATCHES;
  for (const { prefix, before } of [
    { prefix: "spool/", before: groupOf(now - SPOOL_MS) },
    { prefix: "results/", before: groupOf(now) },
    { prefix: "uploads/", before: groupOf(now) },
    { prefix: "quotes/", before: groupOf(now) },
  ]) {
    let startAfter = prefix;
    for (let more = true; more; batches--) {
      if (batches === 0) return { deleted, finished: false };
      const { objects, truncated } = await bucket.list({ prefix, startAfter, limit: BATCH });
      const keys = objects.map(({ key }) => key);
      const over = keys.filter((key) => isBefore(key, prefix, before));
      await abortParts(bucket, over);
      if (over.length > 0) await bucket.delete(over);
      deleted += over.length;
      startAfter = keys.at(-1) ?? startAfter;
      more = truncated && startAfter < prefix + before;
    }
  }
  return { deleted, finished: true };
}

/** Returns whether a key is in a group earlier than `before`. */
function isBefore(key: string, prefix: string, before: string): boolean {
  const group = /^(\d{6})\//.exec(key.slice(prefix.length))?.[1];
  return group !== undefined && group < before;
}

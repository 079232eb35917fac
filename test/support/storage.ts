import { env } from "cloudflare:workers";
import { bucketOf } from "../../src/storage/bucket.ts";
import type { Bucket } from "../../src/storage/objectStore.ts";

/** The bucket of the Worker under test. */
export const bucket = bucketOf(env);

/** Returns the keys of a bucket in order, or only those with the prefix `prefix`. */
export async function storedKeys(prefix = "", store: Pick<Bucket, "list"> = bucket): Promise<string[]> {
  const keys: string[] = [];
  for (let more = true; more; ) {
    const page = await store.list({ prefix, startAfter: keys.at(-1) ?? "", limit: 1000 });
    keys.push(...page.objects.map(({ key }) => key));
    more = page.truncated;
  }
  return keys;
}

/** Deletes all objects of the bucket. */
export async function emptyBucket(): Promise<void> {
  const keys = await storedKeys();
  for (let at = 0; at < keys.length; at += 1000) await bucket.delete(keys.slice(at, at + 1000));
}

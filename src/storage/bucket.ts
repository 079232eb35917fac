import type { Bucket } from "./objectStore.ts";

/** Returns the store of results and of the spool. */
export function bucketOf({ RESULTS }: Env): Bucket {
  return RESULTS;
}

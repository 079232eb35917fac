import type { Bucket } from "./objectStore.ts";

/** Returns the R2 bucket for results, uploads and the spool. */
export function bucketOf({ RESULTS }: Env): Bucket {
  return RESULTS;
}

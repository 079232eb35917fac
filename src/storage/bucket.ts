/** The methods of R2 that results and the spool need. Another object store implements these, as R2 behaves. */
export type Bucket = Pick<R2Bucket, "head" | "get" | "put" | "delete" | "list" | "createMultipartUpload">;

/** Returns the store of results and of the spool. */
export function bucketOf({ RESULTS }: Env): Bucket {
  return RESULTS;
}

import type { Bucket, Metadata, StoredObject } from "./objectStore.ts";

/**
 * Stores what `write` writes, which must be exactly `length` bytes: a bucket takes only streams of known length.
 * @throws Error what `write` throws, with nothing stored, or what the bucket throws
 */
export async function putWritten(
  bucket: Bucket,
  key: string,
  length: number,
  write: (stream: WritableStream<Uint8Array>) => Promise<void>,
  metadata: Metadata = {},
): Promise<StoredObject> {
  const body = new FixedLengthStream(length);
  const [written, stored] = await Promise.allSettled([write(body.writable), bucket.put(key, body.readable, metadata)]);
  // if writing fails, storing fails too: the writing error is the cause
  if (written.status === "rejected") throw written.reason;
  if (stored.status === "rejected") throw stored.reason;
  return stored.value;
}

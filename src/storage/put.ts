import type { Bucket } from "./bucket.ts";

/**
 * Stores what `write` writes, which must be exactly `length` bytes: R2 takes only streams of known length.
 * @throws Error what `write` throws, with nothing stored, or what R2 throws
 */
export async function putWritten(
  bucket: Bucket,
  key: string,
  length: number,
  write: (stream: WritableStream<Uint8Array>) => Promise<void>,
  options: R2PutOptions = {},
): Promise<R2Object> {
  const body = new FixedLengthStream(length);
  const [written, stored] = await Promise.allSettled([write(body.writable), bucket.put(key, body.readable, options)]);
  // if writing fails, storing fails too: the writing error is the cause
  if (written.status === "rejected") throw written.reason;
  if (stored.status === "rejected") throw stored.reason;
  return stored.value;
}

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
  const storing = bucket.put(key, body.readable, metadata).catch(async (error: unknown) => {
    await body.readable.cancel(error).catch(() => undefined); // or else the writing would wait for ever
    throw error;
  });
  const [written, stored] = await Promise.allSettled([write(body.writable), storing]);
  // if writing fails, storing fails too: the writing error is the cause
  if (written.status === "rejected") throw written.reason;
  if (stored.status === "rejected") throw stored.reason;
  return stored.value;
}

/** Writes each chunk before it asks for the next: a chunk is valid until the next call. */
export async function writeAll(chunks: AsyncIterable<Uint8Array>, stream: WritableStream<Uint8Array>): Promise<void> {
  const writer = stream.getWriter();
  try {
    for await (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    throw error;
  }
}

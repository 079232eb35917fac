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
  return storeWritten(length, write, (body) => bucket.put(key, body, metadata));
}

/** Does the same with whatever `store` begins to store a stream with. */
export async function storeWritten<T>(
  length: number,
  write: (stream: WritableStream<Uint8Array>) => Promise<void>,
  store: (stream: ReadableStream<Uint8Array>) => Promise<T>,
): Promise<T> {
  const body = new FixedLengthStream(length);
  const storing = store(body.readable).catch(async (error: unknown) => {
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

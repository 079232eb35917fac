import type { Bucket, Metadata, StoredObject } from "./objectStore.ts";

/**
 * Stores the bytes that `write` writes. `write` must write exactly `length` bytes, because a bucket accepts only
 * streams of known length.
 * @throws Error for errors of `write`, with nothing stored, or for errors of the bucket
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

/**
 * Passes the bytes that `write` writes to `store` as a stream of exactly `length` bytes. Returns the result of `store`.
 */
export async function storeWritten<T>(
  length: number,
  write: (stream: WritableStream<Uint8Array>) => Promise<void>,
  store: (stream: ReadableStream<Uint8Array>) => Promise<T>,
): Promise<T> {
  const body = new FixedLengthStream(length);
  const storing = store(body.readable).catch(async (error: unknown) => {
    // cancels the stream, because the writer would otherwise wait forever
    await body.readable.cancel(error).catch(() => undefined);
    throw error;
  });
  const [written, stored] = await Promise.allSettled([write(body.writable), storing]);
  // throws the write error, because a failed write also makes storing fail
  if (written.status === "rejected") throw written.reason;
  if (stored.status === "rejected") throw stored.reason;
  return stored.value;
}

/**
 * Writes all chunks to a stream. Waits for each write before it requests the next chunk, because that request
 * invalidates the previous chunk.
 */
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

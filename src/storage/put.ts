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

/** Time that a writer has to fail after the bucket has failed, in milliseconds. */
const GRACE_MS = 1000;

/**
 * Passes the bytes that `write` writes to `store` as a stream of exactly `length` bytes. Returns the result of `store`.
 */
export async function storeWritten<T>(
  length: number,
  write: (stream: WritableStream<Uint8Array>) => Promise<void>,
  store: (stream: ReadableStream<Uint8Array>) => Promise<T>,
): Promise<T> {
  const body = new FixedLengthStream(length);
  const storing = store(body.readable);
  const writing = write(body.writable);
  writing.catch(() => undefined); // handled below, after the bucket has settled
  let stored: T;
  try {
    stored = await storing;
  } catch (error) {
    await body.readable.cancel(error).catch(() => undefined); // ends the writer, unless the bucket has locked the stream
    await Promise.race([writing, scheduler.wait(GRACE_MS)]); // an error of the writer is the cause
    throw error;
  }
  await writing;
  return stored;
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

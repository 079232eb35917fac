import type { Bucket, Metadata, StoredObject } from "./objectStore.ts";

/**
 * Stores the bytes that `write` writes. `write` must write exactly `length` bytes, because a bucket accepts only
 * streams of known length.
 * @throws Error any error of `write`, after which nothing is stored, or any error of the bucket
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

/** Time after which a bucket that neither accepts data nor answers counts as failed, in milliseconds. */
const STALL_MS = 30_000;
/** Time that the bucket and the writer have to end after one of them has failed, in milliseconds. */
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
  try {
    const [stored] = await Promise.all([storing, writing.then(() => unlessStalled(storing))]);
    return stored;
  } catch (error) {
    await body.readable.cancel(error).catch(() => undefined); // ends the writer, unless the bucket has locked the stream
    const ended = Promise.allSettled([writing, storing]);
    // A bucket without space may never answer, so the wait is limited. If the writer failed, throws the writer's error,
    // because it is the cause.
    const [written] = (await within(ended, GRACE_MS)) ?? [];
    throw written?.status === "rejected" ? written.reason : error;
  }
}

/** Waits for an answer of the bucket. @throws Error if the bucket stalls */
async function unlessStalled<T>(answer: Promise<T>): Promise<T> {
  const ended = await within(
    answer.then((value) => ({ value })),
    STALL_MS,
  );
  if (!ended) throw new Error("The bucket accepts no data and does not answer.");
  return ended.value;
}

/** Returns the value of a promise, or undefined after `ms` milliseconds. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/**
 * Writes all chunks to a stream of a bucket. Waits for each write before it requests the next chunk, because that request
 * invalidates the previous chunk.
 */
export async function writeAll(chunks: AsyncIterable<Uint8Array>, stream: WritableStream<Uint8Array>): Promise<void> {
  const writer = stream.getWriter();
  try {
    for await (const chunk of chunks) await unlessStalled(writer.write(chunk));
    await unlessStalled(writer.close());
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    throw error;
  }
}

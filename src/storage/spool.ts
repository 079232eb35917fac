/**
 * The spool: files too large for memory, kept in R2 while one call works on them.
 *
 * - key: `spool/<group>/<id>`, where `group` is the hour in which the file was stored (hours since 1970), so that files
 *   left by a crash are found by their age, and `id` is 128 random bits in hexadecimal
 */

import { chunksOf } from "../chunks.ts";
import type { RangeReader } from "../engine/index.ts";
import { groupOf, randomHex } from "./keys.ts";
import type { Bucket, MultipartUpload, UploadedPart } from "./objectStore.ts";
import { putWritten } from "./put.ts";

/** Size of an upload's parts in bytes. R2 requires equal parts of at least 5 MiB; two are in memory at once. */
const PART = 8 << 20;

/** A file in the spool, to be deleted after use. */
export interface SpooledFile extends RangeReader {
  delete(): Promise<void>;
}

/**
 * Stores exactly `length` bytes: `head`, and the rest of the native stream that it was read from.
 * @throws Error what the stream fails with, with nothing stored
 */
export async function spoolWhole(
  bucket: Bucket,
  head: Uint8Array,
  stream: ReadableStream<Uint8Array>,
  length: number,
): Promise<SpooledFile> {
  const key = newKey();
  await putWritten(bucket, key, length, async (body) => {
    const writer = body.getWriter();
    await writer.write(head);
    writer.releaseLock();
    await stream.pipeTo(body);
  });
  return spooled(bucket, key, length);
}

/**
 * Stores chunks of unknown total length.
 * @throws Error what `chunks` throws, with nothing stored
 */
export async function spool(bucket: Bucket, chunks: AsyncIterable<Uint8Array>): Promise<SpooledFile> {
  const key = newKey();
  const upload = await bucket.createMultipartUpload(key);
  try {
    const length = await uploadParts(upload, chunks);
    return spooled(bucket, key, length);
  } catch (error) {
    await upload.abort().catch(() => undefined); // R2 drops unfinished uploads after some days
    throw error;
  }
}

function newKey(): string {
  return `spool/${groupOf(Date.now())}/${randomHex(16)}`;
}

/** Uploads the chunks in parts: one buffer is filled while the other is being sent. */
async function uploadParts(upload: MultipartUpload, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const buffers = [new Uint8Array(PART), new Uint8Array(PART)] as const;
  const parts: Promise<UploadedPart>[] = [];
  let filled = 0;
  let length = 0;
  const send = async () => {
    const buffer = buffers[parts.length % 2]!;
    const before = parts.at(-1);
    const part = upload.uploadPart(parts.length + 1, buffer.subarray(0, filled));
    part.catch(() => undefined); // awaited when the next part is sent
    parts.push(part);
    filled = 0;
    await before;
  };

  for await (let chunk of chunks) {
    length += chunk.length;
    while (chunk.length > 0) {
      const taken = chunk.subarray(0, PART - filled);
      buffers[parts.length % 2]!.set(taken, filled);
      filled += taken.length;
      chunk = chunk.subarray(taken.length);
      if (filled === PART) await send();
    }
  }
  if (filled > 0 || parts.length === 0) await send();
  await upload.complete(await Promise.all(parts));
  return length;
}

function spooled(bucket: Bucket, key: string, length: number): SpooledFile {
  const get = async (start: number, end: number) => {
    const object = await bucket.get(key, { range: { offset: start, length: end - start } });
    if (!object) throw new Error("the spooled file is gone");
    return object;
  };
  return {
    length,
    read: async (start, end) => new Uint8Array(await (await get(start, end)).arrayBuffer()),
    async *stream(start, end) {
      yield* chunksOf((await get(start, end)).body);
    },
    delete: () => bucket.delete(key),
  };
}

/**
 * Files too large for memory, kept in R2 for as long as one call works on them.
 *
 * - key: `spool/<group>/<id>`, where `group` is the hour in which it was put there (hours since 1970), so that what a crash
 *   left behind is found by its age, and `id` is 128 random bits in hexadecimal
 */
import { chunksOf } from "../chunks.ts";
import type { RangeReader } from "../engine/index.ts";
import { groupOf, randomHex } from "./keys.ts";
import { putWritten } from "./put.ts";

/** R2 wants equal parts of 5 MiB or more; two are in memory at once. */
const PART = 8 << 20;

/** A file in the spool, until it is deleted. */
export interface SpooledFile extends RangeReader {
  delete(): Promise<void>;
}

/** Stores a stream of the runtime's own that has to have `length` bytes. What it fails with is thrown, and nothing is stored then. */
export async function spoolWhole(
  bucket: R2Bucket,
  stream: ReadableStream<Uint8Array>,
  length: number,
): Promise<SpooledFile> {
  const key = newKey();
  await putWritten(bucket, key, length, (body) => stream.pipeTo(body));
  return spooled(bucket, key, length);
}

/** Stores chunks of a length not known before. Whatever `chunks` throws is thrown on, and nothing is stored then. */
export async function spool(bucket: R2Bucket, chunks: AsyncIterable<Uint8Array>): Promise<SpooledFile> {
  const key = newKey();
  const upload = await bucket.createMultipartUpload(key);
  try {
    const length = await uploadParts(upload, chunks);
    return spooled(bucket, key, length);
  } catch (error) {
    await upload.abort().catch(() => undefined); // R2 drops it by itself after some days
    throw error;
  }
}

function newKey(): string {
  return `spool/${groupOf(Date.now())}/${randomHex(16)}`;
}

/** Fills one buffer while the other is on its way. */
async function uploadParts(upload: R2MultipartUpload, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const buffers = [new Uint8Array(PART), new Uint8Array(PART)] as const;
  const parts: Promise<R2UploadedPart>[] = [];
  let filled = 0;
  let length = 0;
  const send = async () => {
    const buffer = buffers[parts.length % 2]!;
    const before = parts.at(-1);
    const part = upload.uploadPart(parts.length + 1, buffer.subarray(0, filled));
    part.catch(() => undefined); // it is looked at when the next one goes
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

function spooled(bucket: R2Bucket, key: string, length: number): SpooledFile {
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

/**
 * The spool: files too large for memory, stored in R2 while one call works on them.
 *
 * - key: `spool/<group>/<id>`. `group` is the hour in which the file was stored (hours since 1970). The sweep uses
 *   `group` to find files that a crashed Worker has left. `id` is 128 random bits in hexadecimal.
 */

import type { RangeReader } from "../engine/index.ts";
import { chunksOf } from "../shared/chunks.ts";
import { groupOf, randomHex } from "./keys.ts";
import type { Bucket, MultipartUpload, UploadedPart } from "./objectStore.ts";
import { putWritten, storeWritten, writeAll } from "./put.ts";

/** Size of a multipart upload's parts in bytes. R2 requires equal parts of at least 5 MiB. */
const PART = 5 << 20;
const ZEROS = new Uint8Array(64 * 1024);

/** A file in the spool. The code that stores the file must delete it after use. */
export interface SpooledFile extends RangeReader {
  delete(): Promise<void>;
}

/**
 * Stores chunks in the spool.
 * @param atMost upper bound of the chunks' total size in bytes, if known. If `atMost` is known, the file is stored as
 * one object and padded with zeros to this size. Otherwise, the file is stored in parts, which costs more to store and
 * to read.
 * @throws Error any error of `chunks`, after which nothing is stored
 */
export async function spool(bucket: Bucket, chunks: AsyncIterable<Uint8Array>, atMost?: number): Promise<SpooledFile> {
  const key = `spool/${groupOf(Date.now())}/${randomHex(16)}`;
  const length = await (atMost === undefined
    ? storeParts(bucket, key, chunks)
    : storeFilled(bucket, key, chunks, atMost));
  return { ...storedFile(bucket, key, length), delete: () => bucket.delete(key) };
}

async function storeFilled(
  bucket: Bucket,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  size: number,
): Promise<number> {
  let length = 0;
  const filled = (async function* () {
    for await (const chunk of chunks) {
      length += chunk.length;
      yield chunk;
    }
    yield* zeros(size - length);
  })();
  await putWritten(bucket, key, size, (body) => writeAll(filled, body));
  return length;
}

async function storeParts(bucket: Bucket, key: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const upload = await bucket.createMultipartUpload(key);
  try {
    return await uploadParts(upload, chunks);
  } catch (error) {
    // ignores a failure, because R2 deletes unfinished uploads after some days
    await upload.abort().catch(() => undefined);
    throw error;
  }
}

/**
 * Uploads the chunks in parts, and streams each part so that a slow source holds no memory. The length of a part must
 * be known before its first byte is sent, so the last part is padded with zeros.
 */
async function uploadParts(upload: MultipartUpload, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const source = chunks[Symbol.asyncIterator]();
  const parts: UploadedPart[] = [];
  let next = await source.next();
  let length = 0;
  const write = async (stream: WritableStream<Uint8Array>) => {
    const writer = stream.getWriter();
    try {
      let room = PART;
      while (room > 0 && !next.done) {
        const taken = next.value.subarray(0, room);
        if (taken.length > 0) await writer.write(taken);
        room -= taken.length;
        length += taken.length;
        next = taken.length < next.value.length ? { value: next.value.subarray(taken.length) } : await source.next();
      }
      for (const filling of zeros(room)) await writer.write(filling);
      await writer.close();
    } catch (error) {
      await writer.abort(error).catch(() => undefined);
      throw error;
    }
  };
  try {
    do parts.push(await storeWritten(PART, write, (part) => upload.uploadPart(parts.length + 1, part)));
    while (!next.done);
  } finally {
    await source.return?.();
  }
  await upload.complete(parts);
  return length;
}

function* zeros(count: number): Generator<Uint8Array> {
  for (let left = count; left > 0; left -= ZEROS.length) yield ZEROS.subarray(0, left);
}

/** Returns a reader for a stored file. The file must not be deleted while it is read. */
export function storedFile(bucket: Bucket, key: string, length: number): RangeReader {
  const get = async (start: number, end: number) => {
    const object = await bucket.get(key, { range: { offset: start, length: end - start } });
    if (!object) throw new Error("the stored file no longer exists");
    return object;
  };
  return {
    length,
    read: async (start, end) =>
      // R2 does not support empty ranges
      end > start ? new Uint8Array(await (await get(start, end)).arrayBuffer()) : new Uint8Array(),
    async *stream(start, end) {
      yield* chunksOf((await get(start, end)).body);
    },
  };
}

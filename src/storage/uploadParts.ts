/**
 * The parts of uploads, which fill one object as a multipart upload of R2.
 *
 * - key of a {@link Multipart}: the upload's key, followed by `-parts`
 * - key of a {@link StoredPart}: the upload's key, followed by `-part-<number>`. This object is written after R2 has
 *   stored the part.
 *
 * The file becomes readable when the upload is completed. The sweep aborts multipart uploads that expire before that.
 */
import { Problem } from "../shared/problems.ts";
import { identityOfParts, RunningSha256 } from "../shared/sha256.ts";
import { randomHex } from "./keys.ts";
import type { Bucket, MultipartUpload } from "./objectStore.ts";
import { storeWritten, writeAll } from "./put.ts";
import { type StoredUpload, type UploadedFile, uploadUsed } from "./uploads.ts";

/**
 * Maximum number of part records that one R2 call lists. R2 accepts 10,000 parts; an upload has at most a few hundred.
 */
const MAX_LISTED = 1000;

/** R2's error for a part whose entity tag is not that of the stored part (R2 error codes, InvalidPart). */
const INVALID_PART = /\(10025\)/;

/** R2's error for a multipart upload that was completed or aborted (R2 error codes, NoSuchUpload). */
const NO_SUCH_UPLOAD = /\(10024\)/;

/** End of the key of a {@link Multipart}. */
const SUFFIX = "-parts";

/** The multipart upload of R2 behind an upload. */
interface Multipart {
  /** Key of the file. */
  file: string;
  uploadId: string;
}

/** A part of an upload that is stored in R2. */
export interface StoredPart {
  /** Number of the part, from 1. */
  number: number;
  bytes: number;
  /** SHA-256 of the part in hexadecimal. */
  sha256: string;
  /** Entity tag of the part, which R2 requires to complete the upload. */
  etag: string;
}

/** Prepares an upload for parts. */
export async function beginParts(bucket: Bucket, key: string): Promise<void> {
  const file = `${key}-${randomHex(16)}`;
  const { uploadId } = await bucket.createMultipartUpload(file);
  await bucket.put(multipartKey(key), JSON.stringify({ file, uploadId } satisfies Multipart), {});
}

/** Returns the stored parts of an upload, in the order of their numbers. */
export async function storedParts(bucket: Bucket, { key }: StoredUpload): Promise<StoredPart[]> {
  const prefix = `${key}-part-`;
  const { objects } = await bucket.list({ prefix, startAfter: prefix, limit: MAX_LISTED });
  const parts = await Promise.all(objects.map((listed) => bucket.get(listed.key, {}).then((object) => object?.json())));
  return parts.filter((part) => part !== undefined) as StoredPart[]; // storePart has written objects of this type
}

/** Returns whether a part is stored. */
export async function hasPart(bucket: Bucket, { key }: StoredUpload, number: number): Promise<boolean> {
  return (await bucket.head(partKey(key, number))) !== null;
}

/**
 * Stores a part. If the same part is sent several times concurrently, the last one counts.
 * @param chunks exactly `bytes` bytes; each chunk is valid until the next one is requested
 * @throws Error any error of `chunks`, after which the part is not stored
 * @throws Problem upload_used if the upload was completed in the meantime
 */
export async function storePart(
  bucket: Bucket,
  { key }: StoredUpload,
  number: number,
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
): Promise<StoredPart> {
  const { upload } = await multipartAt(bucket, multipartKey(key));
  const hash = new RunningSha256();
  const { etag } = await storeWritten(
    bytes,
    (stream) => writeAll(hash.of(chunks), stream),
    (body) => upload.uploadPart(number, body),
  ).catch((error: unknown) => {
    throw NO_SUCH_UPLOAD.test(String(error)) ? uploadUsed() : error;
  });
  const part: StoredPart = { number, bytes, sha256: await hash.end(), etag };
  await bucket.put(partKey(key, number), JSON.stringify(part), {});
  return part;
}

/**
 * Joins all parts of an upload to its file.
 * @param parts all parts, in the order of their numbers
 * @throws Problem upload_used if the upload has another file; upload_empty if a part in R2 is not the recorded one
 */
export async function completeParts(
  bucket: Bucket,
  { key, etag, ...record }: StoredUpload,
  parts: readonly StoredPart[],
): Promise<UploadedFile> {
  const { file: fileKey, upload } = await multipartAt(bucket, multipartKey(key));
  await upload
    .complete(parts.map(({ number, etag }) => ({ partNumber: number, etag })))
    .catch(async (error: unknown) => {
      if (await bucket.head(fileKey)) return; // an earlier request may have completed the upload
      if (!INVALID_PART.test(String(error))) throw error;
      // concurrent requests can store the same part in one order, and the records of the part in the other order
      await bucket.delete(parts.map(({ number }) => partKey(key, number)));
      throw new Problem("upload_empty", "A part was sent several times concurrently. Send all parts again, each once.");
    });
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const file = { key: fileKey, bytes, sha256: await identityOfParts(parts.map(({ sha256 }) => sha256)) };
  if (await bucket.put(key, JSON.stringify({ ...record, file }), { onlyIf: { etagMatches: etag } })) return file;
  const current = (await (await bucket.get(key, {}))?.json()) as { file?: UploadedFile } | undefined;
  if (current?.file?.key === fileKey) return file;
  await bucket.delete(fileKey);
  throw uploadUsed();
}

/**
 * Aborts the multipart uploads of expired uploads. Has no effect on completed uploads. Ignores failures, because R2
 * deletes unfinished uploads after some days.
 * @param keys keys of objects of the expired uploads; keys that do not belong to the record of a multipart upload are
 * ignored
 */
export async function abortParts(bucket: Bucket, keys: readonly string[]): Promise<void> {
  const aborted = keys
    .filter((key) => key.endsWith(SUFFIX))
    .map(async (key) => (await multipartAt(bucket, key)).upload.abort());
  await Promise.allSettled(aborted);
}

async function multipartAt(bucket: Bucket, key: string): Promise<{ file: string; upload: MultipartUpload }> {
  const object = await bucket.get(key, {});
  if (!object) throw new Error("the record of the multipart upload does not exist");
  const { file, uploadId } = (await object.json()) as Multipart; // beginParts has written an object of this type
  return { file, upload: bucket.resumeMultipartUpload(file, uploadId) };
}

function multipartKey(key: string): string {
  return key + SUFFIX;
}

function partKey(key: string, number: number): string {
  return `${key}-part-${String(number).padStart(5, "0")}`;
}

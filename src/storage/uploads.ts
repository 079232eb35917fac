/**
 * Uploads in R2. An upload accepts one file through its URL. Calls can then use that file by the upload handle until
 * the upload expires.
 *
 * - key of an upload: `uploads/<group>/<id>`. `group` is the hour in which the upload expires (hours since 1970), and
 *   `id` is `<group>-<hash of the handle>`. The object is JSON, an {@link UploadRecord}.
 * - key of its file: the upload's key, followed by `-<128 random bits in hexadecimal>`
 *
 * Anyone who knows the handle can use the file. The upload URL contains only the id, from which the handle cannot be
 * derived. The first complete file wins: the file's key is written to the record only if the record has not changed
 * since it was read.
 */
import type { RangeReader } from "../engine/index.ts";
import { Problem } from "../shared/problems.ts";
import { RunningSha256, sha256 } from "../shared/sha256.ts";
import { groupOf, randomHex } from "./keys.ts";
import type { Bucket } from "./objectStore.ts";
import { putWritten, writeAll } from "./put.ts";
import { storedFile } from "./spool.ts";

/** Version of the records of uploads. Raise it if an older build would misread a record. */
const VERSION = 1;

const ID = /^(\d{6})-[0-9a-f]{32}$/;
const HANDLE = /^upload:(\d{6})-[0-9a-f]{32}$/;

/** The record of an upload. */
export interface UploadRecord {
  /** Version of the record. A record without a version has version 1. */
  version?: number;
  /** Name of the file, if the caller gave one. */
  name?: string | undefined;
  type: "pdf" | "image";
  /**
   * Exact length that the file must have, in bytes. Undefined if the caller gave no length. `maxBytes` applies in any
   * case.
   */
  size?: number | undefined;
  maxBytes: number;
  /** Length of each part except the last. Undefined if the file cannot be sent in parts. */
  partBytes?: number | undefined;
  /** Expiry time in Unix milliseconds. */
  expires: number;
  /** The received file. Undefined until the file has been received. */
  file?: UploadedFile;
}

/** The received file of an upload. */
export interface UploadedFile {
  key: string;
  bytes: number;
  /** SHA-256 of the file in hexadecimal. For a file that was sent in parts, the result of `identityOfParts`. */
  sha256: string;
}

/** The record of an upload, with the etag that a conditional rewrite needs. */
export interface StoredUpload extends UploadRecord {
  key: string;
  etag: string;
}

/** Returns whether a text is meant as an upload handle, because it begins with `upload:`. */
export function isHandle(text: string): boolean {
  return text.startsWith("upload:");
}

/** Creates an upload. Returns its handle, the id for its upload URL, and its key. */
export async function createUploadRecord(
  bucket: Bucket,
  record: Omit<UploadRecord, "file" | "version">,
): Promise<{ handle: string; id: string; key: string }> {
  const handle = `upload:${groupOf(record.expires)}-${randomHex(16)}`;
  const id = await idOf(handle);
  const key = keyOf(id);
  await bucket.put(key, JSON.stringify({ version: VERSION, ...record }), {});
  return { handle, id, key };
}

/**
 * Returns the record of an upload by its id.
 * @param now Unix milliseconds
 * @throws Problem upload_not_found, upload_expired
 */
export async function uploadAt(bucket: Bucket, id: string, now: number): Promise<StoredUpload> {
  const group = ID.exec(id)?.[1];
  const object = group === undefined ? null : await bucket.get(keyOf(id), {});
  if (!object && group !== undefined && group < groupOf(now)) throw uploadExpired();
  if (!object)
    throw new Problem(
      "upload_not_found",
      "This upload does not exist. Use the handle or URL exactly as the service returned it, or request another upload.",
    );
  // createUploadRecord and storeUploadedFile have written an object of this type
  const record = (await object.json()) as UploadRecord;
  const { version = 1 } = record;
  if (version > VERSION)
    throw new Problem(
      "upload_not_found",
      "A newer version of the service created this upload. Request another upload, and send the file again.",
    );
  if (record.expires <= now) throw uploadExpired();
  return { ...record, key: object.key, etag: object.etag };
}

/**
 * Returns the record of an upload by its handle.
 * @param now Unix milliseconds
 * @throws Problem upload_not_found, upload_expired
 */
export async function uploadOf(bucket: Bucket, handle: string, now: number): Promise<StoredUpload> {
  return uploadAt(bucket, HANDLE.test(handle) ? await idOf(handle) : "", now);
}

/**
 * Stores the file of an upload. If several files race, only the first complete one is stored.
 * @param chunks exactly `bytes` bytes; each chunk is valid until the next one is requested
 * @throws Problem upload_used
 * @throws Error any error of `chunks`, after which the upload is unchanged
 */
export async function storeUploadedFile(
  bucket: Bucket,
  { key, etag, ...record }: StoredUpload,
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
): Promise<UploadedFile> {
  const hash = new RunningSha256();
  const fileKey = `${key}-${randomHex(16)}`;
  await putWritten(bucket, fileKey, bytes, (stream) => writeAll(hash.of(chunks), stream));
  const file = { key: fileKey, bytes, sha256: await hash.end() };
  if (await bucket.put(key, JSON.stringify({ ...record, file }), { onlyIf: { etagMatches: etag } })) return file;
  await bucket.delete(fileKey);
  throw uploadUsed();
}

/**
 * Returns a reader for the file of a handle, with the file's name and hash (see {@link UploadedFile}).
 * @param now Unix milliseconds
 * @throws Problem upload_not_found, upload_expired, upload_empty
 */
export async function uploadedFile(
  bucket: Bucket,
  handle: string,
  now: number,
): Promise<{ file: RangeReader; sha256: string; name: string | undefined }> {
  const { file, name } = await uploadOf(bucket, handle, now);
  if (!file)
    throw new Problem(
      "upload_empty",
      "No file has been uploaded yet. Send the file to the upload URL, then call again.",
    );
  return { file: storedFile(bucket, file.key, file.bytes), sha256: file.sha256, name };
}

/** Creates the Problem for an upload that already has its file. */
export function uploadUsed(): Problem {
  return new Problem("upload_used", "This upload already has its file. Use its handle, or request another upload.");
}

function uploadExpired(): Problem {
  return new Problem("upload_expired", "The upload has expired, and its file is deleted. Request another upload.");
}

function keyOf(id: string): string {
  return `uploads/${id.slice(0, 6)}/${id}`;
}

async function idOf(handle: string): Promise<string> {
  return `${HANDLE.exec(handle)![1]}-${(await sha256(handle)).slice(0, 32)}`;
}

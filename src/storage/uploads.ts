/**
 * Upload slots: places for one file each, which calls can use until they end.
 *
 * - key of a slot: `uploads/<group>/<id>`, where `group` is the hour in which it ends (hours since 1970), and `id` is
 *   `<group>-<hash of the handle>`; JSON, a {@link Slot}
 * - key of its file: the slot's, and behind it `-<128 random bits in hexadecimal>`
 *
 * Whoever knows the handle can use the file. The URL that it is sent to has the id, which does not tell the handle. A
 * slot takes one file: it is rewritten, to name the file, only while it is as it was read.
 */
import type { RangeReader } from "../engine/index.ts";
import { Problem } from "../shared/problems.ts";
import { RunningSha256, sha256 } from "../shared/sha256.ts";
import { groupOf, randomHex } from "./keys.ts";
import type { Bucket } from "./objectStore.ts";
import { putWritten, writeAll } from "./put.ts";
import { storedFile } from "./spool.ts";

const ID = /^(\d{6})-[0-9a-f]{32}$/;
const HANDLE = /^upload:(\d{6})-[0-9a-f]{32}$/;

/** What a slot is for. */
export interface Slot {
  /** The file's name, if it was told. */
  name?: string | undefined;
  type: "pdf" | "image";
  /** The length the file must have, if it was told, and the most that it may. */
  size?: number | undefined;
  maxBytes: number;
  /** When it ends, Unix milliseconds. */
  expires: number;
  /** The file, once it has come. */
  file?: UploadedFile;
}

/** The file of a slot, as it came. */
export interface UploadedFile {
  key: string;
  bytes: number;
  /** In hexadecimal. */
  sha256: string;
}

/** A slot as it was read. */
export interface StoredSlot extends Slot {
  key: string;
  etag: string;
}

/** Whether a text names an upload. */
export function isHandle(text: string): boolean {
  return text.startsWith("upload:");
}

/** Creates a slot, and returns the handle of what will be in it, and the id to send that to. */
export async function createSlot(bucket: Bucket, slot: Omit<Slot, "file">): Promise<{ handle: string; id: string }> {
  const handle = `upload:${groupOf(slot.expires)}-${randomHex(16)}`;
  const id = await idOf(handle);
  await bucket.put(keyOf(id), JSON.stringify(slot), {});
  return { handle, id };
}

/**
 * Returns a slot by its id.
 * @param now Unix milliseconds
 * @throws Problem upload_not_found, upload_expired
 */
export async function slotAt(bucket: Bucket, id: string, now: number): Promise<StoredSlot> {
  const group = ID.exec(id)?.[1];
  const object = group === undefined ? null : await bucket.get(keyOf(id), {});
  if (!object && group !== undefined && group < groupOf(now)) throw over();
  if (!object)
    throw new Problem(
      "upload_not_found",
      "There is no such upload. Use the handle, or the URL, as it was given, or ask for another upload.",
    );
  const slot = (await object.json()) as Slot; // as createSlot and fillSlot have written it
  if (slot.expires <= now) throw over();
  return { ...slot, key: object.key, etag: object.etag };
}

/**
 * Stores the file of a slot, which no other takes the place of.
 * @param chunks of exactly `bytes` bytes, each valid until the next is asked for
 * @throws Problem upload_used
 * @throws Error what `chunks` throws; the slot is as it was then
 */
export async function fillSlot(
  bucket: Bucket,
  { key, etag, ...slot }: StoredSlot,
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
): Promise<UploadedFile> {
  const hash = new RunningSha256();
  const fileKey = `${key}-${randomHex(16)}`;
  await putWritten(bucket, fileKey, bytes, (stream) => writeAll(hash.of(chunks), stream));
  const file = { key: fileKey, bytes, sha256: await hash.end() };
  if (await bucket.put(key, JSON.stringify({ ...slot, file }), { onlyIf: { etagMatches: etag } })) return file;
  await bucket.delete(fileKey);
  throw slotUsed();
}

/**
 * Returns the file that a handle names, to be read where it is, and its SHA-256 in hexadecimal.
 * @param now Unix milliseconds
 * @throws Problem upload_not_found, upload_expired, upload_empty
 */
export async function uploadedFile(
  bucket: Bucket,
  handle: string,
  now: number,
): Promise<{ file: RangeReader; sha256: string }> {
  const { file } = await slotAt(bucket, HANDLE.test(handle) ? await idOf(handle) : "", now);
  if (!file)
    throw new Problem(
      "upload_empty",
      "Nothing has been uploaded there yet. Send the file to its URL, then call again.",
    );
  return { file: storedFile(bucket, file.key, file.bytes), sha256: file.sha256 };
}

/** Creates the Problem for a slot that has its file. */
export function slotUsed(): Problem {
  return new Problem("upload_used", "A file has been sent here already. Use its handle, or ask for another upload.");
}

function over(): Problem {
  return new Problem("upload_expired", "The upload has ended, and its file is gone. Ask for another one.");
}

function keyOf(id: string): string {
  return `uploads/${id.slice(0, 6)}/${id}`;
}

async function idOf(handle: string): Promise<string> {
  return `${HANDLE.exec(handle)![1]}-${(await sha256(handle)).slice(0, 32)}`;
}

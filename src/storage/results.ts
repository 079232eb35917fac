import { create as contentDisposition } from "content-disposition";
import { RunningSha256 } from "../shared/sha256.ts";
import { groupOf, randomHex } from "./keys.ts";
import type { Bucket, StoredObject } from "./objectStore.ts";
import { putWritten, writeAll } from "./put.ts";
import { tokenHash } from "./token.ts";

/**
 * Results in R2, and the links to them.
 *
 * - key: `results/<group>/<id>`. `group` is the hour in which the result expires (hours since 1970), so that a
 *   whole group is deleted at once. `id` is `<group>-<128 random bits in hexadecimal>`.
 * - HTTP metadata: content type, and `Content-Disposition` with the file's name (encoded in ASCII by RFC 6266)
 * - custom metadata: `token` (SHA-256 of the link's token in hexadecimal; the token itself is not stored), `expires`
 *   (Unix milliseconds)
 *
 * Revoking a link replaces its object with an empty one whose `expires` is 0. This time has passed on every machine,
 * even if clocks differ. The empty object distinguishes a revoked link from a link that never existed.
 */

const ID = /^(\d{6})-[0-9a-f]{32}$/;

/** A stored result, with the only copy of its token. */
export interface StoredResult {
  id: string;
  token: string;
  bytes: number;
  expiresAt: Date;
  /** SHA-256 of the bytes in hexadecimal, if requested. */
  sha256: string | undefined;
}

/**
 * Stores a PDF under a new unguessable id. The link to the PDF expires after `ttlSeconds`.
 * @param isHashed whether to compute the SHA-256, which takes time
 * @throws Error any error of `chunks`, after which nothing is stored
 */
export async function storeResult(
  bucket: Bucket,
  pdf: { length: number; chunks(): AsyncIterable<Uint8Array> },
  { filename, ttlSeconds, isHashed = false }: { filename: string; ttlSeconds: number; isHashed?: boolean },
): Promise<StoredResult> {
  const expiresAt = new Date(Math.floor(Date.now() / 1000 + ttlSeconds) * 1000);
  const id = `${groupOf(expiresAt.getTime())}-${randomHex(16)}`;
  const token = randomHex(32);

  const hash = isHashed ? new RunningSha256() : undefined;
  const chunks = () => hash?.of(pdf.chunks()) ?? pdf.chunks();

  const { size } = await putWritten(bucket, resultKey(id), pdf.length, (body) => writeAll(chunks(), body), {
    httpMetadata: { contentType: "application/pdf", contentDisposition: contentDisposition(filename) },
    customMetadata: { token: await tokenHash(token), expires: String(expiresAt.getTime()) },
  });
  return { id, token, bytes: size, expiresAt, sha256: await hash?.end() };
}

/** Deletes a result whose link no caller has received. */
export async function deleteResult(bucket: Bucket, id: string): Promise<void> {
  await bucket.delete(resultKey(id));
}

/** Returns whether the link to a result still works at `now` (Unix milliseconds). */
export async function isAvailable(bucket: Bucket, id: string, now: number): Promise<boolean> {
  const object = await bucket.head(resultKey(id));
  return object !== null && now < expiryOf(object);
}

/** Returns the time at which the link to a stored result expires, in Unix milliseconds. */
export function expiryOf({ customMetadata }: StoredObject): number {
  return Number(customMetadata?.expires);
}

/** Returns whether `id` has the form of a result's id. */
export function isResultId(id: string): boolean {
  return ID.test(id);
}

/**
 * Returns whether all results that expire in the same hour as the result `id` have expired at `now` (Unix
 * milliseconds). The sweep may then have deleted this result.
 */
export function groupExpired(id: string, now: number): boolean {
  return id.slice(0, 6) < groupOf(now);
}

/** Returns the R2 key of a well-formed id. */
export function resultKey(id: string): string {
  return `results/${id.slice(0, 6)}/${id}`;
}

/** Receives the parts of an upload in any order, and joins them into one file. */
import type * as z from "zod";
import { partRanges } from "../../shared/partRanges.ts";
import { Problem } from "../../shared/problems.ts";
import { hashIn } from "../../shared/sha256.ts";
import { bucketOf } from "../../storage/bucket.ts";
import { completeParts, hasPart, type StoredPart, storedParts, storePart } from "../../storage/uploadParts.ts";
import { type StoredUpload, uploadUsed } from "../../storage/uploads.ts";
import { announcedBytesOf } from "../request/bodySize.ts";
import type { uploadedPart, uploadedParts, uploadOffer, uploadPartsReceipt } from "../request/uploads.ts";
import type { Exchange } from "./callContext.ts";
import { receiveBody } from "./uploadTransfer.ts";

type Part = z.output<ReturnType<typeof uploadedPart>>;
type Offer = z.output<ReturnType<typeof uploadOffer>>;
type PartUrls = NonNullable<Offer["parts"]>;

/** An upload that accepts parts. */
type InParts = StoredUpload & { size: number; partBytes: number };

/**
 * Path of an upload's parts, appended to its upload URL. In the URL of a part, a slash and the number of the part
 * follow.
 */
export const PARTS = "/parts";
/** Path that completes an upload in parts, appended to its upload URL. */
export const COMPLETE = "/complete";

/** Returns the URLs of an upload's parts. */
export function partUrls(url: string, size: number, partBytes: number): PartUrls {
  const urls = partRanges(size, partBytes).map(({ number }) => `${url}${PARTS}/${number}`);
  return { bytes: partBytes, urls, status: url + PARTS, complete: url + COMPLETE };
}

/**
 * Returns a command of a POSIX shell that sends the missing parts of a file, then completes the upload. After a broken
 * connection, the same command resumes.
 * @param path path of the file, quoted for the shell
 */
export function curlInParts(path: string, url: string, { bytes, urls, status, complete }: PartUrls): string {
  const isThere = `curl -sg '${status}' | grep -q "\\"number\\":$n,"`;
  const send = `dd if=${path} bs=${bytes} skip=$((n-1)) count=1 2>/dev/null | curl -gfS --retry 3 -X PUT --data-binary @- -H 'Content-Type: application/octet-stream' "${url}${PARTS}/$n"`;
  return `for n in $(seq ${urls.length}); do ${isThere} || ${send} || break; done; curl -g -X POST '${complete}'`;
}

/**
 * Returns the stored parts of an upload.
 * @throws Problem upload_not_found
 */
export async function listParts(
  slot: StoredUpload,
  { env }: Exchange,
): Promise<z.output<ReturnType<typeof uploadedParts>>> {
  const { size, partBytes, file, expires } = inParts(slot);
  const parts = await storedParts(bucketOf(env), slot);
  const [bytes, count] = [partBytes, partRanges(size, partBytes).length];
  return { bytes, count, parts: parts.map(shown), complete: file !== undefined, expires_at: isoOf(expires) };
}

/**
 * Receives a part of an upload and streams it to storage. A stored part cannot be replaced.
 * @throws Problem upload_not_found, upload_used, upload_length_wrong; any error of {@link receiveBody}
 */
export async function receivePart(slot: StoredUpload, number: number, exchange: Exchange): Promise<Part> {
  const upload = inParts(slot);
  const length = lengthOfPart(upload, number);
  if (slot.file) throw uploadUsed();
  const bucket = bucketOf(exchange.env);
  if (await hasPart(bucket, slot, number))
    throw new Problem("upload_used", `Part ${number} is already stored. Send the missing parts.`);
  if (announcedBytesOf(exchange.request) !== length)
    throw new Problem("upload_length_wrong", `Send part ${number} with a Content-Length of ${length}.`);
  const part = await receiveBody(slot, length, exchange, {
    isBeginning: number === 1,
    store: (chunks) => storePart(bucket, slot, number, chunks, length),
  });
  return shown(part);
}

/**
 * Joins the parts of an upload to its file. A repeated request gets the same answer.
 * @throws Problem upload_not_found, upload_used, upload_empty
 */
export async function completeUpload(
  slot: StoredUpload,
  { env }: Exchange,
): Promise<z.output<ReturnType<typeof uploadPartsReceipt>>> {
  const upload = inParts(slot);
  const { bytes, sha256 } = slot.file ?? (await join(upload, env));
  const { hash, isOfParts } = hashIn(sha256);
  if (!isOfParts) throw uploadUsed();
  return { bytes, parts_sha256: hash, expires_at: isoOf(slot.expires) };
}

async function join(upload: InParts, env: Env) {
  const bucket = bucketOf(env);
  const parts = await storedParts(bucket, upload);
  const missing = partRanges(upload.size, upload.partBytes).flatMap(({ number, start, end }) =>
    parts.find((part) => part.number === number)?.bytes === end - start ? [] : number,
  );
  if (missing.length > 0)
    throw new Problem(
      "upload_empty",
      `The upload lacks these parts: ${missing.join(", ")}. Send them, then complete it.`,
    );
  return completeParts(bucket, upload, parts);
}

/** Returns an upload that accepts parts. @throws Problem upload_not_found if the upload accepts no parts */
function inParts(slot: StoredUpload): InParts {
  const { size, partBytes } = slot;
  if (size !== undefined && partBytes !== undefined) return { ...slot, size, partBytes };
  throw new Problem("upload_not_found", "This upload has no parts. Send the file to its upload URL.");
}

function lengthOfPart({ size, partBytes }: InParts, number: number): number {
  const ranges = partRanges(size, partBytes);
  const range = ranges[number - 1];
  if (range) return range.end - range.start;
  throw new Problem(
    "upload_not_found",
    `This upload has the parts 1 to ${ranges.length}. Use the URLs from its answer.`,
  );
}

function shown({ number, bytes, sha256 }: StoredPart): Part {
  return { number, bytes, sha256 };
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}

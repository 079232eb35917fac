/** Uploads of files that are too large for the call itself. */
import { UPLOADS } from "../../src/settings/limits.ts";
import { partRanges } from "../../src/shared/partRanges.ts";
import { sendParts } from "../../src/shared/sendParts.ts";
import { OverprintError } from "./errors.ts";
import { errorIn, isTrusted, jsonIn, send } from "./http.ts";

/** Path at which uploads are created. */
export const UPLOADS_PATH = "/v1/uploads";
/** Time limit in seconds of the answer with an upload URL. */
const OFFER_SECONDS = 30;
/** Time limit of an upload, or of one of its parts, in seconds. */
const UPLOAD_SECONDS = 3600;

/** The answer to a request for an upload. */
interface Offered {
  handle: string;
  upload: { url: string; headers: Record<string, string> };
  /** Undefined if the file is too small for parts. */
  parts?: Parts;
}

/** The URLs of an upload's parts. */
interface Parts {
  /** Size in bytes of each part except the last. */
  bytes: number;
  urls: string[];
  /** URL that completes the upload. */
  complete: string;
}

/** Returns whether a file must be uploaded before the call. */
export function isLarge(file: File | string): file is File {
  return typeof file !== "string" && file.size > UPLOADS.freeBytes;
}

/**
 * Uploads a file, in parts if it is larger than `UPLOADS.wholeBytes`. The deployment verifies the payment, but does not
 * settle it yet.
 * @param payment headers of the signed payment
 * @param onSent receives the number of bytes after each step
 * @returns the upload handle, and the size of the parts in bytes if the file was sent in parts
 * @throws OverprintError if the upload fails or is refused
 */
export async function upload(
  origin: URL,
  file: File,
  payment: Readonly<Record<string, string>>,
  onSent?: (bytes: number) => void,
): Promise<{ handle: string; partBytes: number | undefined }> {
  const body = JSON.stringify({ name: file.name, size: file.size, type: "pdf" });
  const headers = { ...payment, "Content-Type": "application/json" };
  const asked = await send(new URL(UPLOADS_PATH, origin), { method: "POST", headers, body }, OFFER_SECONDS);
  if (!asked.ok) throw await errorIn(asked);
  const offered = offeredIn(await jsonIn(asked), file, origin);
  const parts = file.size > UPLOADS.wholeBytes ? offered.parts : undefined;
  const answer = await (parts ? sendInParts(file, parts, onSent) : sendWhole(file, offered.upload, onSent));
  if (!answer.ok) throw await errorIn(answer);
  return { handle: offered.handle, partBytes: parts?.bytes };
}

/** @throws OverprintError if the answer is malformed, or names a URL that the file must not be sent to */
function offeredIn(answer: unknown, file: File, origin: URL): Offered {
  const offered = Object(answer ?? {}) as Partial<Offered>;
  const { handle, upload: whole, parts } = offered;
  const urls = parts ? [whole?.url, ...parts.urls, parts.complete] : [whole?.url];
  const isComplete = typeof handle === "string" && (!parts || parts.urls.length === Math.ceil(file.size / parts.bytes));
  if (isComplete && urls.every((url) => typeof url === "string" && isTrusted(url, origin))) return offered as Offered;
  throw new OverprintError(
    "answer_broken",
    "The answer to an upload was cut off, or is not from an Overprint deployment.",
  );
}

function sendWhole(file: File, { url, headers }: Offered["upload"], onSent?: (bytes: number) => void) {
  // sends a stream only to report progress, because browsers cannot send streams over HTTP/1
  const body = onSent ? file.stream().pipeThrough(counting(onSent)) : file;
  return send(url, { method: "PUT", headers, body, duplex: "half" } as RequestInit, UPLOAD_SECONDS);
}

function counting(onSent: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      onSent(chunk.length);
      controller.enqueue(chunk);
    },
  });
}

/** Sends a file in parts, and completes the upload. Repeats a part if the connection breaks. */
function sendInParts(file: File, { bytes, urls, complete }: Parts, onSent?: (bytes: number) => void) {
  return sendParts(partRanges(file.size, bytes), {
    async send({ number, start, end }) {
      const headers = { "Content-Type": "application/octet-stream" };
      const body = file.slice(start, end);
      const sent = await send(urls[number - 1]!, { method: "PUT", headers, body }, UPLOAD_SECONDS);
      if (sent.ok) onSent?.(end - start);
      return sent;
    },
    complete: () => send(complete, { method: "POST" }, UPLOAD_SECONDS),
  });
}

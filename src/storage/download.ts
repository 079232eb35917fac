import { Problem } from "../shared/problems.ts";
import { type ByteRange, rangeOf, unmetCondition } from "./conditions.ts";
import { expired, type Link, objectAt } from "./link.ts";
import type { Bucket, OpenedObject, StoredObject } from "./objectStore.ts";
import { expiryOf } from "./results.ts";

/** Request headers that require the object's metadata before its body is read. */
const METADATA_FIRST = ["Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"];

/**
 * Answers `GET` and `HEAD` for a stored result. Checks the token, then the expiry. Supports single ranges, ETag and
 * conditional requests (RFC 9110).
 * @param now returns the time in Unix milliseconds
 * @throws Problem file_not_found, invalid_token, link_expired, precondition_failed, range_not_satisfiable
 */
export async function download(
  bucket: Bucket,
  link: Link,
  request: Pick<Request, "method" | "headers">,
  now: () => number,
): Promise<Response> {
  if (request.method !== "GET" || METADATA_FIRST.some((name) => request.headers.has(name)))
    return answer(bucket, await objectAt((key) => bucket.head(key), link, now), request, now);
  let opened: OpenedObject | null = null;
  try {
    const object = await objectAt(async (key) => (opened = await bucket.get(key, {})), link, now);
    return await answer(bucket, object, request, now, opened!);
  } catch (error) {
    await (opened as OpenedObject | null)?.body.cancel();
    throw error;
  }
}

async function answer(
  bucket: Bucket,
  object: StoredObject,
  { method, headers: asked }: Pick<Request, "method" | "headers">,
  now: () => number,
  opened?: OpenedObject,
): Promise<Response> {
  if (!(now() < expiryOf(object))) throw expired();

  const headers = new Headers({
    ETag: object.httpEtag,
    "Last-Modified": object.uploaded.toUTCString(),
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, no-cache", // a cached copy must be revalidated, because the link may have been revoked
    "X-Robots-Tag": "noindex",
  });
  switch (unmetCondition(asked, object)) {
    case "precondition failed":
      throw new Problem(
        "precondition_failed",
        "The file does not match the request's condition. Download it again without If-Match and If-Unmodified-Since.",
      );
    case "not modified":
      return new Response(null, { status: 304, headers });
  }

  const range = method === "GET" ? rangeOf(asked, object) : undefined; // Range applies to GET only (RFC 9110, 14.2)
  if (range === "unsatisfiable") {
    headers.set("Content-Range", `bytes */${object.size}`);
    throw new Problem("range_not_satisfiable", `The file has ${object.size} bytes. Request a range within them.`, {
      headers: Object.fromEntries(headers),
    });
  }
  headers.set("Content-Type", "application/pdf");
  headers.set("Content-Disposition", object.httpMetadata?.contentDisposition ?? "attachment");
  headers.set("Content-Security-Policy", "sandbox");
  headers.set("Content-Length", String(range?.length ?? object.size));
  if (range) headers.set("Content-Range", `bytes ${range.offset}-${range.offset + range.length - 1}/${object.size}`);

  const body = method === "HEAD" ? null : (opened?.body ?? (await read(bucket, object, range)));
  return new Response(body, { status: range ? 206 : 200, headers });
}

async function read(
  bucket: Bucket,
  { key, etag }: StoredObject,
  range: ByteRange | undefined,
): Promise<ReadableStream> {
  const object = await bucket.get(key, { onlyIf: { etagMatches: etag }, ...(range && { range }) });
  if (!object || !("body" in object)) throw expired(); // the file was swept or revoked after its metadata was read
  return object.body;
}

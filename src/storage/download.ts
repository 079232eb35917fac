import { Problem } from "../problems.ts";
import { type ByteRange, notModified, rangeOf } from "./conditions.ts";
import { groupExpired, isResultId, keyOf } from "./results.ts";
import { tokenMatches } from "./token.ts";

/**
 * Answers `GET` and `HEAD` for a stored result: the token is checked, then the expiry; single ranges, ETag and
 * conditions as in RFC 9110.
 * @throws Problem file_not_found, invalid_token, link_expired
 */
export async function download(
  bucket: R2Bucket,
  id: string,
  token: string | undefined,
  request: Request,
): Promise<Response> {
  const object = isResultId(id) ? await bucket.head(keyOf(id)) : null;
  if (!object) throw missing(id);
  if (token === undefined || !(await tokenMatches(token, object.customMetadata?.token ?? "")))
    throw new Problem(
      "invalid_token",
      "The `token` of the link is missing or wrong. Use the whole URL as it was given.",
    );
  const expires = Number(object.customMetadata?.expires);
  if (!(Date.now() < expires)) throw expired();

  const headers = new Headers({
    ETag: object.httpEtag,
    "Last-Modified": object.uploaded.toUTCString(),
    "Accept-Ranges": "bytes",
    "Cache-Control": `private, max-age=${Math.floor((expires - Date.now()) / 1000)}`,
  });
  if (notModified(request.headers, object)) return new Response(null, { status: 304, headers });

  headers.set("Content-Type", "application/pdf");
  headers.set("Content-Disposition", 'attachment; filename="watermarked.pdf"');
  headers.set("Content-Security-Policy", "sandbox");

  const range = rangeOf(request.headers, object);
  if (range === "unsatisfiable") {
    headers.set("Content-Range", `bytes */${object.size}`);
    throw new Problem("range_not_satisfiable", `The file has ${object.size} bytes.`, {
      headers: Object.fromEntries(headers),
    });
  }
  headers.set("Content-Length", String(range?.length ?? object.size));
  if (range) headers.set("Content-Range", `bytes ${range.offset}-${range.offset + range.length - 1}/${object.size}`);

  const body = request.method === "HEAD" ? null : await read(bucket, id, range);
  return new Response(body, { status: range ? 206 : 200, headers });
}

async function read(bucket: R2Bucket, id: string, range: ByteRange | undefined): Promise<ReadableStream> {
  const object = await bucket.get(keyOf(id), range ? { range } : {});
  if (!object) throw expired(); // swept between the two reads
  return object.body;
}

function missing(id: string): Problem {
  if (isResultId(id) && groupExpired(id, new Date())) return expired();
  return new Problem("file_not_found", "No file has this address. Use the URL as it was given.");
}

function expired(): Problem {
  return new Problem("link_expired", "The link has expired and its file is gone. Watermark the document again.");
}

import { Problem } from "../problems.ts";
import { fetchBytes } from "./collect.ts";
import type { FetchRules } from "./fetch.ts";
import { tooLarge } from "./size.ts";

/**
 * The bytes of what a request names: an uploaded file, an http(s) URL, a data URI or bare base64.
 * @param field the request's field, for the caller to find
 * @throws Problem invalid_request for text that is none of these, and as {@link fetchBytes}
 */
export async function readSource(source: string | File, field: string, rules: FetchRules): Promise<Uint8Array> {
  if (typeof source !== "string") {
    if (source.size > rules.maxBytes) throw tooLarge(rules.maxBytes);
    return new Uint8Array(await source.arrayBuffer());
  }
  if (/^https?:/i.test(source)) return fetchBytes(source, rules);

  const payload = payloadOf(source, field);
  if (payload.length > 2 * rules.maxBytes) throw tooLarge(rules.maxBytes); // base64 takes 4/3, and line breaks
  const bytes = decodeBase64(payload, field);
  if (bytes.length > rules.maxBytes) throw tooLarge(rules.maxBytes);
  return bytes;
}

/** The base64 part of a data URI (RFC 2397), or the text itself where it is bare. */
function payloadOf(source: string, field: string): string {
  if (!/^data:/i.test(source)) return source;
  const comma = source.indexOf(",");
  if (comma < 0 || !/;\s*base64$/i.test(source.slice(0, comma)))
    throw malformed(field, "must be a base64 data URI: data:<type>;base64,<data>");
  return source.slice(comma + 1);
}

function decodeBase64(text: string, field: string): Uint8Array {
  const alphabet = /[-_]/.test(text) ? "base64url" : "base64";
  try {
    return Uint8Array.fromBase64(text, { alphabet });
  } catch (cause) {
    throw malformed(field, "is not valid base64", cause);
  }
}

function malformed(path: string, message: string, cause?: unknown): Problem {
  return new Problem("invalid_request", `\`${path}\` ${message}.`, { errors: [{ path, message }], cause });
}

import { chunksOf } from "../chunks.ts";
import { Problem } from "../problems.ts";
import { type FetchRules, openAddress, transferProblem } from "./fetch.ts";
import { ReceivedFile, type ReceiveLimits, receive, receiveWhole } from "./receive.ts";
import { tooLarge } from "./size.ts";
import { Upload } from "./upload.ts";

/**
 * What a request names: an uploaded file, an http(s) URL, a data URI or bare base64.
 * @param field the request's field, for the caller to find
 * @throws Problem invalid_request for text that is none of these, and as {@link openAddress}, {@link transferProblem} and {@link receive}
 */
export async function openSource(
  source: string | Upload,
  field: string,
  { rules, limits }: { rules: FetchRules; limits: ReceiveLimits },
): Promise<ReceivedFile> {
  if (source instanceof Upload) return source.received;
  if (/^https?:/i.test(source)) return fetchSource(source, rules, limits);

  const { maxBytes } = limits;
  const payload = payloadOf(source, field);
  if (payload.length > 2 * maxBytes) throw tooLarge(maxBytes); // base64 takes 4/3, and line breaks
  const bytes = decodeBase64(payload, field);
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return new ReceivedFile(bytes);
}

async function fetchSource(address: string, rules: FetchRules, limits: ReceiveLimits): Promise<ReceivedFile> {
  const { response, signal } = await openAddress(address, rules);
  const { body, headers } = response;
  const announced = Number(headers.get("Content-Length")); // may lie: this refuses early, nothing relies on it
  if (announced > limits.maxBytes) {
    await body?.cancel();
    throw tooLarge(limits.maxBytes);
  }
  if (!body) return new ReceivedFile(new Uint8Array());
  try {
    // a length that was announced of encoded bytes says nothing of the decoded ones
    if (announced > limits.inMemoryBytes && !headers.has("Content-Encoding"))
      return await receiveWhole(body, announced, limits);
    return await receive(chunksOf(body), limits, announced);
  } catch (error) {
    throw transferProblem(error, signal, rules);
  }
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

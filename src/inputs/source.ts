import { chunksOf, type Watch } from "../shared/chunks.ts";
import { Problem } from "../shared/problems.ts";
import { RunningSha256, sha256 } from "../shared/sha256.ts";
import { type FetchRules, openAddress, transferProblem } from "./fetch.ts";
import { decodeBase64, payloadOf, problemOfFile } from "./inlineFile.ts";
import { pacing } from "./pace.ts";
import { counted, joined, type ReceiveLimits, receive } from "./receive.ts";
import { ReceivedFile } from "./receivedFile.ts";
import { RefusedUpload } from "./refusedUpload.ts";
import { tooLarge } from "./size.ts";
import { HEAD_LENGTH } from "./sniff.ts";
import { Upload } from "./upload.ts";

/** Options for opening a file. */
interface Opening {
  rules: FetchRules;
  limits: ReceiveLimits;
  /**
   * Checks the first bytes of a fetched file, before the rest is fetched. An error thrown by this function ends the
   * transfer.
   */
  inspect(head: Uint8Array): unknown;
  /** Whether to compute the SHA-256, which takes time. The SHA-256 of an upload is already known. */
  isHashed?: boolean;
}

/**
 * Opens the file that a request names: an upload, an http(s) URL, a data URI or bare base64.
 * @param field the request field, for the error message
 * @throws Problem invalid_request if the request names the file in another form; Problems of {@link openAddress},
 * {@link transferProblem} and {@link receive}
 * @throws Error if the file cannot be stored, which is not the caller's fault
 */
export async function openSource(
  source: string | Upload,
  field: string,
  { rules, limits, inspect, isHashed }: Opening,
): Promise<ReceivedFile> {
  if (source instanceof RefusedUpload) throw problemOfFile(source.reason, field);
  if (source instanceof Upload) {
    const { content } = source.received;
    // an embedded file is received before its field is known, so the field's limit is checked here
    if (content.length > limits.maxBytes) throw tooLarge(limits);
    return new ReceivedFile(content, source.sha256, source.name);
  }
  if (isAddress(source)) {
    const hash = isHashed ? new RunningSha256() : undefined;
    const { content } = await fetchSource(source, rules, limits, inspect, hash && ((chunks) => hash.of(chunks)));
    return new ReceivedFile(content, await hash?.end(), nameIn(source));
  }

  const bytes = decodeSource(source, field, limits);
  return new ReceivedFile(bytes, isHashed ? await sha256(bytes) : undefined);
}

/**
 * Decodes a data URI or bare base64.
 * @param field the request field, for the error message
 * @param limits the limits of the file; undefined if the length of the text is already limited
 * @throws Problem invalid_request if the text is malformed; source_too_large, image_too_large
 */
export function decodeSource(source: string, field: string, limits?: ReceiveLimits): Uint8Array<ArrayBuffer> {
  try {
    const payload = payloadOf(source);
    // rejects an overlong text before decoding; the factor 2 leaves room for base64, which is 4/3 as long as the bytes,
    // and for line breaks
    if (limits && payload.length > 2 * limits.maxBytes) throw tooLarge(limits);
    const bytes = decodeBase64(payload);
    if (limits && bytes.length > limits.maxBytes) throw tooLarge(limits);
    return bytes;
  } catch (error) {
    throw problemOfFile(error, field);
  }
}

/** Returns the last segment of a URL's path, decoded if possible. */
function nameIn(address: string): string {
  const segment = new URL(address).pathname.replace(/^.*\//, "");
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // the segment is not UTF-8
  }
}

/** Returns whether a source is a URL, which must be fetched. */
export function isAddress(source: string | Upload): source is string {
  return typeof source === "string" && /^https?:/i.test(source);
}

async function fetchSource(
  address: string,
  rules: FetchRules,
  limits: ReceiveLimits,
  inspect: (head: Uint8Array) => unknown,
  through: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> = (chunks) => chunks,
): Promise<ReceivedFile> {
  const { response, signal, isEncoded } = await openAddress(address, rules);
  const { body, headers } = response;
  // Content-Length is untrusted, so received bytes are counted too
  const announced = Number(headers.get("Content-Length"));
  if (announced > limits.maxBytes) {
    await body?.cancel();
    throw tooLarge(limits);
  }
  if (!body) return new ReceivedFile(new Uint8Array());
  const convert = (error: unknown) => transferProblem(error, signal, rules);
  const watch = pacing(limits.pace, tooSlow);
  const head = await headOf(body, inspect, watch).catch((error: unknown) => {
    throw convert(error);
  });
  const chunks = through(counted(failingAs(convert, joined([head], chunksOf(body, watch))), limits.count));
  if (isEncoded) return receive(fitting(limits.inMemoryBytes, chunks), limits);
  return receive(chunks, limits, announced, announced || undefined);
}

/**
 * Passes on the chunks of a decoded body, and throws if the total length exceeds `maxBytes`. A small compressed body
 * may expand to gigabytes.
 */
async function* fitting(maxBytes: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes)
      throw new Problem(
        "source_too_large",
        `The URL's server uses a Content-Encoding, and the decoded file is larger than ${maxBytes} bytes, the limit for encoded files. Serve the file unencoded.`,
      );
    yield chunk;
  }
}

/**
 * Yields the chunks of `chunks`, and converts errors that occur while these chunks are read. Errors of the consumer
 * propagate unchanged.
 */
async function* failingAs(
  convert: (error: unknown) => unknown,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    yield* chunks;
  } catch (error) {
    throw convert(error);
  }
}

function tooSlow(): Problem {
  return new Problem("source_timeout", "The URL's server delivers too slowly, or has stopped. Use a faster server.");
}

/**
 * Reads and inspects the first bytes of a body, and leaves the rest unread. Cancels the body if it is too slow or
 * `inspect` throws.
 */
async function headOf(
  body: ReadableStream<Uint8Array>,
  inspect: (head: Uint8Array) => unknown,
  watch: Watch,
): Promise<Uint8Array> {
  const reader = body.getReader({ mode: "byob" });
  try {
    const { value = new Uint8Array() } = await watch(reader.readAtLeast(HEAD_LENGTH, new Uint8Array(HEAD_LENGTH)));
    inspect(value);
    reader.releaseLock();
    return value;
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  }
}

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

/** How a file is opened. */
interface Opening {
  rules: FetchRules;
  limits: ReceiveLimits;
  /** Called with the first bytes of what a URL delivers, before the rest is fetched; what it throws ends the transfer. */
  look(head: Uint8Array): unknown;
  /** Whether its SHA-256 is wanted, which takes time. An upload has it already. */
  isHashed?: boolean;
}

/**
 * Opens the file that a request names: an upload, an http(s) URL, a data URI or bare base64.
 * @param field the request's field, for the error message
 * @throws Problem invalid_request if the text is none of these, or as {@link openAddress}, {@link transferProblem} and
 * {@link receive}
 * @throws Error if the file cannot be stored, which is no fault of its source
 */
export async function openSource(
  source: string | Upload,
  field: string,
  { rules, limits, look, isHashed }: Opening,
): Promise<ReceivedFile> {
  if (source instanceof RefusedUpload) throw problemOfFile(source.reason, field);
  if (source instanceof Upload) {
    const { content } = source.received;
    if (content.length > limits.maxBytes) throw tooLarge(limits); // a long text is received before it is known whose it is
    return new ReceivedFile(content, source.sha256);
  }
  if (isAddress(source)) {
    if (!isHashed) return fetchSource(source, rules, limits, look);
    const hash = new RunningSha256();
    const { content } = await fetchSource(source, rules, limits, look, (chunks) => hash.of(chunks));
    return new ReceivedFile(content, await hash.end());
  }

  const bytes = decode(source, field, limits);
  return new ReceivedFile(bytes, isHashed ? await sha256(bytes) : undefined);
}

/** Returns the bytes of a data URI or of base64. */
function decode(source: string, field: string, limits: ReceiveLimits): Uint8Array<ArrayBuffer> {
  try {
    const payload = payloadOf(source);
    if (payload.length > 2 * limits.maxBytes) throw tooLarge(limits); // base64 takes 4/3 of the bytes, plus line breaks
    const bytes = decodeBase64(payload);
    if (bytes.length > limits.maxBytes) throw tooLarge(limits);
    return bytes;
  } catch (error) {
    throw problemOfFile(error, field);
  }
}

/** Returns whether a source has to be fetched. */
export function isAddress(source: string | Upload): source is string {
  return typeof source === "string" && /^https?:/i.test(source);
}

async function fetchSource(
  address: string,
  rules: FetchRules,
  limits: ReceiveLimits,
  look: (head: Uint8Array) => unknown,
  through: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> = (chunks) => chunks,
): Promise<ReceivedFile> {
  const { response, signal, isEncoded } = await openAddress(address, rules);
  const { body, headers } = response;
  const announced = Number(headers.get("Content-Length")); // untrusted: the bytes that arrive are checked too
  if (announced > limits.maxBytes) {
    await body?.cancel();
    throw tooLarge(limits);
  }
  if (!body) return new ReceivedFile(new Uint8Array());
  const convert = (error: unknown) => transferProblem(error, signal, rules);
  const watch = pacing(limits.pace, tooSlow);
  const head = await headOf(body, look, watch).catch((error: unknown) => {
    throw convert(error);
  });
  const chunks = through(counted(failingAs(convert, joined([head], chunksOf(body, watch))), limits.count));
  if (isEncoded) return receive(fitting(limits.inMemoryBytes, chunks), limits);
  return receive(chunks, limits, announced, announced || undefined);
}

/** Passes chunks on as far as they fit in memory: a few bytes that are encoded may become gigabytes. */
async function* fitting(maxBytes: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes)
      throw new Problem(
        "source_too_large",
        `The URL answers with a Content-Encoding, and the file is larger than ${maxBytes} bytes, the most this service takes encoded. Serve it plainly.`,
      );
    yield chunk;
  }
}

/** Passes chunks on, and what their reading fails with as what `convert` makes of it; not what their user fails with. */
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
  return new Problem("source_timeout", "The URL delivers too slowly, or has stopped. Put the file on a faster server.");
}

/** Reads the first bytes of a body and leaves the rest, unless they come too slowly or `look` throws. */
async function headOf(
  body: ReadableStream<Uint8Array>,
  look: (head: Uint8Array) => unknown,
  watch: Watch,
): Promise<Uint8Array> {
  const reader = body.getReader({ mode: "byob" });
  try {
    const { value = new Uint8Array() } = await watch(reader.readAtLeast(HEAD_LENGTH, new Uint8Array(HEAD_LENGTH)));
    look(value);
    reader.releaseLock();
    return value;
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  }
}

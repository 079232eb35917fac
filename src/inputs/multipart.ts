import { Problem, toldName } from "../problems.ts";
import { isDataUri, LONG_TEXT_BYTES, latin1, MAX_TEXT_BYTES, receiveInline, TEXT_MEMORY } from "./inlineFile.ts";
import { type MemoryShare, noRoom } from "./memory.ts";
import { MalformedParts, partsOf } from "./parts.ts";
import { joined, type ReceiveLimits } from "./receive.ts";
import { receiveUpload } from "./receiveUpload.ts";
import { expectPdf } from "./sniff.ts";
import type { Upload } from "./upload.ts";

const MAX_PARTS = 50;

/** How much memory is taken at a time for fields that are no files; the headers of all parts are less. */
const FIELD_STEP = 64 * 1024;

/** The form fields that may be files. */
const UPLOAD_FIELDS = ["file", "image"] as const;
type UploadField = (typeof UPLOAD_FIELDS)[number];

/**
 * Reads a multipart form (RFC 7578) as it arrives; files are received chunk by chunk, within the limits of their field.
 * @param announced how long the body is, if it tells
 * @throws Problem invalid_request if the form is malformed, too_busy if its fields find no room in memory, as
 * {@link receiveUpload} and {@link receiveInline}, or what `body` throws as a Problem
 * @throws Error if a file cannot be kept
 */
export async function readForm(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  limits: Record<UploadField, ReceiveLimits>,
  announced?: number,
): Promise<Record<string, string | Upload>> {
  const form = new Map<string, string | Upload>();
  const hold = holdFields(limits.file.memory);
  for await (const { name, isFile, charset, data } of asProblems(partsOf(body, contentType))) {
    if (form.has(name)) throw repeated(name);
    if (form.size === MAX_PARTS) throw refused(`has more than ${MAX_PARTS} parts`, "Send only the fields there are.");
    const expected = name === "file" ? announced : 0; // nearly all of a long form is its PDF
    const chunks = asProblems(data);
    if (isFile) {
      if (!isUploadField(name)) throw noFile(name);
      const look = name === "file" ? (head: Uint8Array) => expectPdf(head, undefined) : () => {};
      form.set(name, await receiveUpload(chunks, limits[name], look, announced, expected));
      continue;
    }
    const { text, isWhole } = await beginningOf(chunks, hold);
    if (isWhole) form.set(name, textOf(text, charset));
    else if (name === "image" || (name === "file" && isDataUri(latin1(text)))) {
      const texts = piecesOf(joined(text, chunks));
      form.set(name, await receiveInline(texts, name, limits[name], announced, expected));
    } else throw refused(`has a \`${toldName(name)}\` of more than ${LONG_TEXT_BYTES} bytes`, AS_UPLOADS);
  }
  return Object.fromEntries(form);
}

/** Returns a function that takes memory for so many bytes more of the fields of a form, as they come. */
function holdFields(memory: MemoryShare): (bytes: number) => void {
  let [taken, length] = [0, 0];
  return (bytes) => {
    length += bytes;
    if (length > MAX_TEXT_BYTES) throw refused(`has more than ${MAX_TEXT_BYTES} bytes beside its files`, AS_UPLOADS);
    if (length <= taken) return;
    const needed = Math.min(MAX_TEXT_BYTES, length + FIELD_STEP) - taken;
    if (!memory.take(TEXT_MEMORY * needed)) throw noRoom();
    taken += needed;
  };
}

/** Reads a field that is no file, unless it is too long for a text: then what has been read of it. */
async function beginningOf(
  chunks: AsyncGenerator<Uint8Array>,
  hold: (bytes: number) => void,
): Promise<{ text: Uint8Array; isWhole: boolean }> {
  const pieces: Uint8Array[] = [];
  for (let length = 0; length <= LONG_TEXT_BYTES; ) {
    const { done, value } = await chunks.next();
    if (done) return { text: Buffer.concat(pieces), isWhole: true };
    length += value.length;
    hold(value.length);
    pieces.push(Buffer.from(value));
  }
  return { text: Buffer.concat(pieces), isWhole: false };
}

async function* piecesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  for await (const chunk of chunks) yield latin1(chunk);
}

/** Decodes a field, as UTF-8 where its encoding is not known. */
function textOf(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function isUploadField(name: string): name is UploadField {
  return UPLOAD_FIELDS.some((field) => field === name);
}

function noFile(path: string): Problem {
  return new Problem(
    "invalid_request",
    `The form has \`${path}\` as a file. Only \`file\` and \`image\` can be one: send a plain field, without a file name.`,
    { errors: [{ path, message: "must be a plain field, not a file" }] },
  );
}

/** Passes on what comes; errors of reading the form become Problems. */
async function* asProblems<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    if (error instanceof Problem) throw error;
    const what = error instanceof MalformedParts ? error.message : "is not well-formed";
    throw refused(what, "Let your HTTP client set the Content-Type with its boundary.", { cause: error });
  }
}

const AS_UPLOADS = "Send files as uploads, with a file name.";

function repeated(name: string): Problem {
  const path = toldName(name);
  return refused(`has \`${path}\` twice`, "Send each field once.", {
    errors: [{ path, message: "must be there once" }],
  });
}

function refused(what: string, advice: string, more?: ConstructorParameters<typeof Problem>[2]): Problem {
  return new Problem("invalid_request", `The multipart/form-data body ${what}. ${advice}`, more);
}

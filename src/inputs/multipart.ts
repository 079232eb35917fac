import { Problem, repeatedField, shownName } from "../shared/problems.ts";
import {
  inPieces,
  isBase64,
  isDataUri,
  LONG_TEXT_BYTES,
  latin1,
  MAX_TEXT_BYTES,
  problemOfFile,
  receiveInline,
  TRUNCATED_UNITS,
} from "./inlineFile.ts";
import { boundaryOf, MalformedParts, partsOf } from "./parts.ts";
import { joined, type ReceiveLimits } from "./receive.ts";
import { receiveUpload } from "./receiveUpload.ts";
import { expectPdf } from "./sniff.ts";
import { TextMemory } from "./textMemory.ts";
import type { Upload } from "./upload.ts";

const MAX_PARTS = 50;

/** The form fields that may contain a file. */
const UPLOAD_FIELDS = ["file", "image"] as const;
/** Matches file names that suggest the intended field of a file that arrived under another field name. */
const FILENAMES = { file: /\.pdf$/i, image: /\.(png|jpe?g)$/i };
type UploadField = (typeof UPLOAD_FIELDS)[number];

/** The received fields and files of a form. */
export interface ReceivedForm {
  fields: Record<string, string | Upload>;
  /**
   * The error for a field that was too long and has been truncated. Throw it only if validation finds no other error.
   */
  tooLong: Problem | undefined;
}

/**
 * Reads a multipart form (RFC 7578) in a streaming fashion. Files are received chunk by chunk, within the limits of
 * their field.
 * @param announced length of the whole body in bytes, if declared
 * @throws Problem invalid_request if the form is malformed; too_busy if memory is short; Problems of `body`, {@link
 * receiveUpload} and {@link receiveInline}
 * @throws Error if a file cannot be stored
 */
export async function readForm(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  limits: Record<UploadField, ReceiveLimits>,
  announced?: number,
): Promise<ReceivedForm> {
  let tooLong: Problem | undefined;
  const form = new Map<string, string | Upload>();
  const memory = new TextMemory(limits.file.memory, tooMuchText);
  for await (const { name, isFile, filename, charset, data } of asProblems(partsOf(body, contentType))) {
    if (form.has(name)) throw repeated(name);
    if (form.size === MAX_PARTS) throw refused(`has more than ${MAX_PARTS} parts`, "Send only documented fields.");
    memory.take(name.length);
    const isMostOfBody = name === "file"; // a long form consists almost entirely of the PDF in its field `file`
    const chunks = asProblems(data);
    if (isFile) {
      if (!isUploadField(name)) throw fileNotAllowed(name, filename);
      const inspect = name === "file" ? (head: Uint8Array) => expectPdf(head, undefined) : () => {};
      const expected = isMostOfBody ? announced : 0;
      form.set(name, await receiveUpload(chunks, limits[name], inspect, announced, expected, filename));
      continue;
    }
    const { pieces, length, isWhole } = await beginningOf(chunks, memory);
    if (isWhole) form.set(name, textOf(Buffer.concat(pieces), charset));
    else if (mayBeFile(name, latin1(pieces[0]!))) {
      memory.free(length);
      const all = joined(pieces, chunks);
      const toText = new TextDecoder("latin1");
      form.set(name, await receiveInline(all, toText, limits[name], announced, isMostOfBody).catch(failAs(name)));
    } else {
      memory.free(length);
      form.set(name, beginningOfText(textOf(pieces[0]!, charset)));
      tooLong ??= tooLongField(name);
      await skip(chunks, tooLong);
    }
  }
  memory.takeToRead();
  return { fields: Object.fromEntries(form), tooLong };
}

function tooLongField(field: string): Problem {
  const path = shownName(field);
  const advice = isUploadField(field) ? AS_FILE : "Send a shorter value.";
  return new Problem("body_too_large", `The form field \`${path}\` has more than ${LONG_TEXT_BYTES} bytes. ${advice}`, {
    errors: [{ path, message: `must have at most ${LONG_TEXT_BYTES} bytes` }],
  });
}

function tooMuchText(): Problem {
  return new Problem("body_too_large", `The form has more than ${MAX_TEXT_BYTES} bytes outside its files. ${AS_FILE}`);
}

/** Returns an error handler that rethrows a MalformedFile as the Problem of a field. */
function failAs(field: string): (error: unknown) => never {
  return (error) => {
    throw problemOfFile(error, field);
  };
}

/** Skips the rest of a field. @throws Problem `refusal` if the rest has more than {@link MAX_TEXT_BYTES} bytes */
async function skip(chunks: AsyncIterable<Uint8Array>, refusal: Problem): Promise<void> {
  let dropped = 0;
  for await (const { length } of chunks) {
    dropped += length;
    if (dropped > MAX_TEXT_BYTES) throw refusal;
  }
}

/** Buffers a text field. Stops once the field exceeds {@link LONG_TEXT_BYTES}, and then returns its beginning. */
async function beginningOf(
  chunks: AsyncGenerator<Uint8Array>,
  memory: TextMemory,
): Promise<{ pieces: Uint8Array[]; length: number; isWhole: boolean }> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  while (length <= LONG_TEXT_BYTES) {
    const { done, value } = await chunks.next();
    if (done) return { pieces, length, isWhole: true };
    length += value.length;
    memory.take(value.length);
    pieces.push(Buffer.from(value));
  }
  return { pieces: inPieces(Buffer.concat(pieces)), length, isWhole: false };
}

/** Decodes a field in its declared charset, or as UTF-8 if the charset is missing or unknown. */
function textOf(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Truncates a text to {@link TRUNCATED_UNITS}, without splitting a surrogate pair. */
function beginningOfText(text: string): string {
  return text.slice(0, TRUNCATED_UNITS).replace(/[\ud800-\udbff]$/, "");
}

/** Returns whether a long field contains a file, judged by the field's name and the beginning of its value. */
function mayBeFile(name: string, beginning: string): name is UploadField {
  return isUploadField(name) && (isDataUri(beginning) || isBase64(beginning));
}

function isUploadField(name: string): name is UploadField {
  return UPLOAD_FIELDS.some((field) => field === name);
}

/**
 * Creates the Problem for a file in a field that accepts no file.
 * @param filename the file name of the part, which suggests the field that the caller meant
 */
function fileNotAllowed(name: string, filename = ""): Problem {
  const path = shownName(name);
  const meant = UPLOAD_FIELDS.find((field) => FILENAMES[field].test(filename));
  const advice = meant
    ? `Did you mean \`${meant}\`?`
    : `Send \`${path}\` as a plain field, without a file name, or name the part \`file\` or \`image\`.`;
  return new Problem("invalid_request", `The form sends \`${path}\` as a file. ${advice}`, {
    errors: [{ path, message: meant ? `cannot be a file. ${advice}` : "must be a plain field, not a file" }],
  });
}

/** Yields the items of `source`. Converts errors of reading the form to Problems. */
async function* asProblems<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    throw problemOfForm(error);
  }
}

function problemOfForm(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const what = error instanceof MalformedParts ? error.message : "is not well-formed";
  return refused(
    what,
    "Build the form with your HTTP client, so that each part has a name and the Content-Type has the boundary.",
    { cause: error },
  );
}

/**
 * Rejects a form that declares no boundary between its parts, before the form is read.
 * @throws Problem invalid_request
 */
export function expectBoundary(contentType: string): void {
  try {
    boundaryOf(contentType);
  } catch (error) {
    throw problemOfForm(error);
  }
}

const AS_FILE = "Send a file as a part with a file name, as `curl -F file=@contract.pdf` does.";

function repeated(name: string): Problem {
  const error = repeatedField(name);
  return refused(`has \`${error.path}\` more than once`, "Send each field once.", { errors: [error] });
}

function refused(what: string, advice: string, more?: ConstructorParameters<typeof Problem>[2]): Problem {
  return new Problem("invalid_request", `The multipart/form-data body ${what}. ${advice}`, more);
}

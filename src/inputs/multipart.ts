import { Problem, shownName } from "../shared/problems.ts";
import {
  inPieces,
  isBase64,
  isDataUri,
  KEPT_UNITS,
  LONG_TEXT_BYTES,
  latin1,
  MAX_TEXT_BYTES,
  problemOfFile,
  receiveInline,
} from "./inlineFile.ts";
import { MalformedParts, partsOf } from "./parts.ts";
import { joined, type ReceiveLimits } from "./receive.ts";
import { receiveUpload } from "./receiveUpload.ts";
import { expectPdf } from "./sniff.ts";
import { TextMemory } from "./textMemory.ts";
import type { Upload } from "./upload.ts";

const MAX_PARTS = 50;

/** The form fields that may be files. */
const UPLOAD_FIELDS = ["file", "image"] as const;
type UploadField = (typeof UPLOAD_FIELDS)[number];

/** The fields of a form. */
export interface ReceivedForm {
  fields: Record<string, string | Upload>;
  /** For who finds nothing wrong with them: one is too long, and of which but the beginning is left. */
  tooLong: Problem | undefined;
}

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
): Promise<ReceivedForm> {
  let tooLong: Problem | undefined;
  const form = new Map<string, string | Upload>();
  const memory = new TextMemory(limits.file.memory, tooMuchText);
  for await (const { name, isFile, charset, data } of asProblems(partsOf(body, contentType))) {
    if (form.has(name)) throw repeated(name);
    if (form.size === MAX_PARTS) throw refused(`has more than ${MAX_PARTS} parts`, "Send only the fields there are.");
    memory.take(name.length);
    const isMost = name === "file"; // nearly all of a long form is its PDF
    const chunks = asProblems(data);
    if (isFile) {
      if (!isUploadField(name)) throw noFile(name);
      const look = name === "file" ? (head: Uint8Array) => expectPdf(head, undefined) : () => {};
      form.set(name, await receiveUpload(chunks, limits[name], look, announced, isMost ? announced : 0));
      continue;
    }
    const { pieces, length, isWhole } = await beginningOf(chunks, memory);
    if (isWhole) form.set(name, textOf(Buffer.concat(pieces), charset));
    else if (mayBeFile(name, latin1(pieces[0]!))) {
      memory.give(length);
      const all = joined(pieces, chunks);
      const toText = new TextDecoder("latin1");
      form.set(name, await receiveInline(all, toText, limits[name], announced, isMost).catch(failAs(name)));
    } else {
      memory.give(length);
      form.set(name, beginningOfText(textOf(pieces[0]!, charset)));
      tooLong ??= tooLongField(name);
      await drop(chunks, tooLong);
    }
  }
  memory.takeToRead();
  return { fields: Object.fromEntries(form), tooLong };
}

function tooLongField(field: string): Problem {
  const path = shownName(field);
  const advice = isUploadField(field) ? AS_FILE : "Send a shorter one.";
  return new Problem("body_too_large", `The form has more than ${LONG_TEXT_BYTES} bytes as \`${path}\`. ${advice}`, {
    errors: [{ path, message: `must have at most ${LONG_TEXT_BYTES} bytes` }],
  });
}

function tooMuchText(): Problem {
  return new Problem("body_too_large", `The form has more than ${MAX_TEXT_BYTES} bytes beside its files. ${AS_FILE}`);
}

/** Returns what fails as the Problem of a field. */
function failAs(field: string): (error: unknown) => never {
  return (error) => {
    throw problemOfFile(error, field);
  };
}

/** Leaves out what is left of a field, unless that has no end. */
async function drop(chunks: AsyncIterable<Uint8Array>, refusal: Problem): Promise<void> {
  let dropped = 0;
  for await (const { length } of chunks) {
    dropped += length;
    if (dropped > MAX_TEXT_BYTES) throw refusal;
  }
}

/** Reads a field that is no file, unless it is too long for a text: then what has been read of it. */
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

/** Decodes a field, as UTF-8 where its encoding is not known. */
function textOf(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Returns the beginning of a text without half of a pair at its end. */
function beginningOfText(text: string): string {
  return text.slice(0, KEPT_UNITS).replace(/[\ud800-\udbff]$/, "");
}

/** Returns whether a long text is a file. */
function mayBeFile(name: string, beginning: string): name is UploadField {
  return isUploadField(name) && (isDataUri(beginning) || (name === "image" && isBase64(beginning)));
}

function isUploadField(name: string): name is UploadField {
  return UPLOAD_FIELDS.some((field) => field === name);
}

function noFile(name: string): Problem {
  const path = shownName(name);
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
    throw refused(
      what,
      "Let your HTTP client make the form: each part with its name, and the Content-Type with the boundary.",
      { cause: error },
    );
  }
}

const AS_FILE = "Send a file as a part with a file name, as curl does for `-F file=@contract.pdf`.";

function repeated(name: string): Problem {
  const path = shownName(name);
  return refused(`has \`${path}\` twice`, "Send each field once.", {
    errors: [{ path, message: "must be given only once" }],
  });
}

function refused(what: string, advice: string, more?: ConstructorParameters<typeof Problem>[2]): Problem {
  return new Problem("invalid_request", `The multipart/form-data body ${what}. ${advice}`, more);
}

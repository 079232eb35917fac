import { Problem, toldName } from "../problems.ts";
import { RunningSha256 } from "../sha256.ts";
import { type MemoryShare, noRoom } from "./memory.ts";
import { MalformedParts, partsOf } from "./parts.ts";
import { type ReceiveLimits, receive } from "./receive.ts";
import { expectPdf, HEAD_LENGTH } from "./sniff.ts";
import { Upload } from "./upload.ts";

const MAX_PARTS = 50;

/** How much memory is taken at a time for fields that are no files; the headers of all parts are less. */
const FIELD_STEP = 256 * 1024;

/** The form fields that may be files. */
const UPLOAD_FIELDS = ["file", "image"] as const;
type UploadField = (typeof UPLOAD_FIELDS)[number];

/**
 * Reads a multipart form (RFC 7578) as it arrives; uploads are received chunk by chunk, within the limits of their
 * field.
 * @param announced how long the body is, if it tells
 * @throws Problem invalid_request if the form is malformed, too_busy if its fields find no room in memory, as
 * {@link receive}, or what `body` throws as a Problem
 * @throws Error if an upload cannot be kept
 */
export async function readForm(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  { limits, maxFieldBytes }: { limits: Record<UploadField, ReceiveLimits>; maxFieldBytes: number },
  announced?: number,
): Promise<Record<string, string | Upload>> {
  const form = new Map<string, string | Upload>();
  const hold = holdFields(limits.file.memory, maxFieldBytes);
  for await (const { name, isFile, charset, data } of asProblems(partsOf(body, contentType))) {
    if (form.has(name)) throw repeated(name);
    if (form.size === MAX_PARTS) throw refused(`has more than ${MAX_PARTS} parts`, "Send only the fields there are.");
    if (!isFile) form.set(name, textOf(await collect(asProblems(data), name, maxFieldBytes, hold), charset));
    else if (!isUploadField(name)) throw noFile(name);
    else {
      const look = name === "file" ? (head: Uint8Array) => expectPdf(head, undefined) : () => {};
      const expected = name === "file" ? announced : 0; // nearly all of a long form is its PDF
      form.set(name, await receiveUpload(asProblems(data), limits[name], look, announced, expected));
    }
  }
  return Object.fromEntries(form);
}

/** Returns a function that takes memory for so many bytes more of the fields of a form, as they come. */
function holdFields(memory: MemoryShare, maxBytes: number): (bytes: number) => void {
  let [taken, length] = [0, 0];
  return (bytes) => {
    length += bytes;
    if (length > maxBytes) throw refused(`has more than ${maxBytes} bytes beside its files`, AS_UPLOADS);
    if (length <= taken) return;
    const needed = Math.min(maxBytes, length + FIELD_STEP) - taken;
    if (!memory.take(needed)) throw noRoom();
    taken += needed;
  };
}

/** Reads a field that is no file. */
async function collect(
  data: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes: number,
  hold: (bytes: number) => void,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of data) {
    length += piece.length;
    if (length > maxBytes) throw refused(`has a \`${toldName(name)}\` of more than ${maxBytes} bytes`, AS_UPLOADS);
    hold(piece.length);
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
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

/**
 * Receives an upload, unless `look` throws at its first bytes.
 * @param atMost how many bytes can come, if that is known
 * @param expected its size, as it seems: too large for memory, it goes to storage from its first byte on. Memory is taken
 * only for what has come.
 */
export async function receiveUpload(
  chunks: AsyncIterable<Uint8Array>,
  limits: ReceiveLimits,
  look: (head: Uint8Array) => void,
  atMost?: number,
  expected = 0,
): Promise<Upload> {
  const hash = new RunningSha256();
  const received = await receive(
    hash.of(
      (async function* () {
        let head = new Uint8Array();
        for await (const chunk of chunks) {
          if (head.length < HEAD_LENGTH) {
            head = Buffer.concat([head, chunk.subarray(0, HEAD_LENGTH - head.length)]);
            if (head.length === HEAD_LENGTH) look(head);
          }
          yield chunk;
        }
      })(),
    ),
    limits,
    expected > limits.inMemoryBytes ? expected : 0,
    atMost,
  );
  return new Upload(received, await hash.end());
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

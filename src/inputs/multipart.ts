import { once } from "node:events";
import { Busboy } from "@fastify/busboy";
import { Problem, toldName } from "../problems.ts";
import { hashing } from "../sha256.ts";
import { type MemoryShare, noRoom } from "./memory.ts";
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
 * field. When it throws, no upload is in progress any more.
 * @throws Problem invalid_request if the form is malformed, too_busy if its fields find no room in memory, as
 * {@link receive}, or what `body` throws as a Problem
 * @throws Error if an upload cannot be kept
 */
export async function readForm(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  { limits, maxFieldBytes }: { limits: Record<UploadField, ReceiveLimits>; maxFieldBytes: number },
): Promise<Record<string, string | Upload>> {
  const fields = new Map<string, string>();
  const uploads = new Map<string, Promise<Upload>>();
  const parser = openParser(contentType, maxFieldBytes);
  const files: { bytesRead: number }[] = [];
  const hold = holdFields(limits.file.memory, maxFieldBytes);
  let formBytes = 0;
  const fail = (error: unknown) => parser.destroy(error instanceof Error ? error : new Error(String(error)));
  const take = (name: string) => {
    if (fields.has(name) || uploads.has(name)) fail(repeated(name));
    return !parser.destroyed;
  };
  parser.on("field", (name, value, _, isCut) => {
    if (isCut) fail(refused(`has a \`${name}\` of more than ${maxFieldBytes} bytes`, AS_UPLOADS));
    if (take(name)) fields.set(name, value);
  });
  parser.on("file", (name, stream) => {
    const limit = isUploadField(name) ? limits[name] : undefined;
    if (!limit) fail(noFile(name));
    if (!take(name) || !limit) {
      stream.on("error", () => undefined).resume();
      return;
    }
    parser.once("error", (error) => stream.destroy(error as Error));
    files.push(stream);
    const upload = receiveUpload(
      wellFormed(stream),
      limit,
      name === "file" ? (head) => expectPdf(head, undefined) : () => {},
    );
    upload.catch(fail);
    uploads.set(name, upload);
  });
  parser.on("partsLimit", () => fail(refused(`has more than ${MAX_PARTS} parts`, "Send only the fields there are.")));

  try {
    const finished = once(parser, "finish");
    finished.catch(() => undefined); // awaited below
    for await (const chunk of body) {
      if (parser.destroyed) break;
      formBytes += chunk.length;
      if (!parser.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))) await once(parser, "drain");
      hold(files.reduce((rest, { bytesRead }) => rest - bytesRead, formBytes));
    }
    parser.end();
    await finished;
    const received = await Promise.all(Array.from(uploads, async ([name, upload]) => [name, await upload] as const));
    return Object.fromEntries<string | Upload>([...fields, ...received]);
  } catch (error) {
    fail(error); // ends uploads that wait for more data
    const settled = await Promise.allSettled(uploads.values());
    // errors of the form are Problems by now: any other error comes from keeping an upload
    for (const upload of settled)
      if (upload.status === "rejected" && !(upload.reason instanceof Problem)) throw upload.reason;
    throw asProblem(error);
  }
}

/** Returns a function that takes memory for the fields of a form, all together, as they come. */
function holdFields(memory: MemoryShare, maxBytes: number): (bytes: number) => void {
  let taken = 0;
  return (bytes) => {
    if (bytes > maxBytes + FIELD_STEP) throw refused(`has more than ${maxBytes} bytes beside its files`, AS_UPLOADS);
    if (bytes <= taken) return;
    const needed = Math.min(maxBytes, bytes + FIELD_STEP) - taken;
    if (!memory.take(needed)) throw noRoom();
    taken += needed;
  };
}

function isUploadField(name: string): name is UploadField {
  return UPLOAD_FIELDS.some((field) => field === name);
}

function openParser(contentType: string, maxFieldBytes: number): InstanceType<typeof Busboy> {
  const limits = { parts: MAX_PARTS, fieldSize: maxFieldBytes };
  try {
    return new Busboy({ headers: { "content-type": contentType }, limits }).on("error", () => undefined);
  } catch (error) {
    throw malformed("has no boundary", error);
  }
}

/** Receives an upload, unless `look` throws at its first bytes. */
export async function receiveUpload(
  chunks: AsyncIterable<Uint8Array>,
  limits: ReceiveLimits,
  look: (head: Uint8Array) => void,
): Promise<Upload> {
  const hashed = hashing(
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
  );
  const received = await receive(hashed.chunks, limits);
  return new Upload(received, await hashed.sha256());
}

function noFile(path: string): Problem {
  return new Problem(
    "invalid_request",
    `The form has \`${path}\` as a file. Only \`file\` and \`image\` can be one: send a plain field, without a file name.`,
    { errors: [{ path, message: "must be a plain field, not a file" }] },
  );
}

async function* wellFormed(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw asProblem(error);
  }
}

/** Converts an error of reading the form to a Problem. */
function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : malformed("is not well-formed", error);
}

const AS_UPLOADS = "Send files as uploads, with a file name.";

function malformed(what: string, cause: unknown): Problem {
  return refused(what, "Let your HTTP client set the Content-Type with its boundary.", { cause });
}

function repeated(name: string): Problem {
  const path = toldName(name);
  return refused(`has \`${path}\` twice`, "Send each field once.", {
    errors: [{ path, message: "must be there once" }],
  });
}

function refused(what: string, advice: string, more?: ConstructorParameters<typeof Problem>[2]): Problem {
  return new Problem("invalid_request", `The multipart/form-data body ${what}. ${advice}`, more);
}

import { once } from "node:events";
import { Busboy } from "@fastify/busboy";
import { Problem } from "../problems.ts";
import { type Room, receive } from "./receive.ts";
import { Upload } from "./upload.ts";

const MAX_PARTS = 50;

/**
 * Reads a multipart form (RFC 7578) as it comes in: files are received one piece after the other, into the room their field
 * has. Uploads have to be released.
 * @throws Problem invalid_request, what `body` throws as one, and as {@link receive}; nothing is left to be released then
 */
export async function readForm(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  { rooms, maxFieldBytes }: { rooms: { file: Room; image: Room }; maxFieldBytes: number },
): Promise<Record<string, string | Upload>> {
  const fields = new Map<string, string>();
  const uploads = new Map<string, Promise<Upload>>();
  const parser = openParser(contentType, maxFieldBytes);
  const fail = (error: unknown) => parser.destroy(error instanceof Error ? error : new Error(String(error)));
  const take = (name: string) => {
    if (fields.has(name) || uploads.has(name)) fail(malformed(`has \`${name}\` twice`));
    return !parser.destroyed;
  };
  parser.on("field", (name, value, _, isCut) => {
    if (isCut) fail(malformed(`has a \`${name}\` of more than ${maxFieldBytes} bytes`));
    if (take(name)) fields.set(name, value);
  });
  parser.on("file", (name, stream) => {
    const room = name === "file" || name === "image" ? rooms[name] : undefined;
    parser.once("error", (error) => stream.destroy(error as Error));
    if (!room) fail(noFile(name));
    if (!take(name) || !room) {
      stream.on("error", () => undefined).resume();
      return;
    }
    const upload = receiveUpload(stream, room);
    upload.catch(fail);
    uploads.set(name, upload);
  });
  parser.on("partsLimit", () => fail(malformed(`has more than ${MAX_PARTS} parts`)));

  try {
    const finished = once(parser, "finish");
    finished.catch(() => undefined); // looked at below
    for await (const piece of body) {
      if (parser.destroyed) break;
      if (!parser.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))) await once(parser, "drain");
    }
    parser.end();
    await finished;
    const received = await Promise.all(Array.from(uploads, async ([name, upload]) => [name, await upload] as const));
    return Object.fromEntries<string | Upload>([...fields, ...received]);
  } catch (error) {
    fail(error); // so that no upload waits for more
    const settled = await Promise.allSettled(uploads.values());
    for (const upload of settled) if (upload.status === "fulfilled") await upload.value.received.release();
    // what is wrong with the form is a Problem by now: anything else is wrong where an upload was to be kept
    for (const upload of settled)
      if (upload.status === "rejected" && !(upload.reason instanceof Problem)) throw upload.reason;
    throw asProblem(error);
  }
}

function openParser(contentType: string, maxFieldBytes: number): InstanceType<typeof Busboy> {
  const limits = { parts: MAX_PARTS, fieldSize: maxFieldBytes };
  try {
    return new Busboy({ headers: { "content-type": contentType }, limits }).on("error", () => undefined);
  } catch (error) {
    throw malformed("has no boundary", error);
  }
}

async function receiveUpload(stream: AsyncIterable<Uint8Array>, room: Room): Promise<Upload> {
  const digest = new crypto.DigestStream("SHA-256");
  const writer = digest.getWriter();
  const received = await receive(
    (async function* () {
      for await (const piece of wellFormed(stream)) {
        await writer.write(piece);
        yield piece;
      }
    })(),
    room,
  );
  await writer.close();
  return new Upload(received, new Uint8Array(await digest.digest).toHex());
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

/** What it means to the caller that reading the form failed. */
function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : malformed("is not well-formed", error);
}

function malformed(what: string, cause?: unknown): Problem {
  return new Problem(
    "invalid_request",
    `The multipart/form-data body ${what}. Let your HTTP client set the Content-Type with its boundary.`,
    { cause },
  );
}

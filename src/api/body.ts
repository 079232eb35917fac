import type { Context, MiddlewareHandler } from "hono";
import type { z } from "zod";
import { configOf } from "../config.ts";
import { readForm } from "../inputs/multipart.ts";
import { receive } from "../inputs/receive.ts";
import { Upload } from "../inputs/upload.ts";
import { invalidRequest } from "../invalidRequest.ts";
import { Problem } from "../problems.ts";
import type { Rooms } from "../rooms.ts";
import { asForm, type ImageRequest, type imageRequest, type TextRequest, type textRequest } from "../schemas.ts";
import type { ApiEnv } from "./environment.ts";

const FORM = "multipart/form-data";

/**
 * Refuses a body over the limit: before it is read where its length is known, or else where it goes past the limit, which its
 * reader is thrown.
 * @throws Problem body_too_large
 */
export const limitBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const { maxBodyBytes, maxJsonBytes } = configOf(c.env);
  const maxBytes = mediaType(c) === FORM ? maxBodyBytes : maxJsonBytes;
  const { body, headers } = c.req.raw;
  const length = headers.has("Transfer-Encoding") ? null : headers.get("Content-Length"); // RFC 9112, 6.3
  if (Number(length) > maxBytes) throw bodyTooLarge(maxBytes);
  if (length === null && body) c.req.raw = new Request(c.req.raw, { body: body.pipeThrough(upTo(maxBytes)) });
  await next();
};

/** Lets so many bytes through. */
function upTo(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(piece, controller) {
      length += piece.length;
      if (length > maxBytes) throw bodyTooLarge(maxBytes);
      controller.enqueue(piece);
    },
  });
}

function bodyTooLarge(maxBytes: number): Problem {
  return new Problem(
    "body_too_large",
    `The request body is larger than ${maxBytes} bytes. Send a URL as \`file\` instead.`,
  );
}

/**
 * Reads and checks a request body, JSON or multipart, and leaves it as `c.get("request")` for as long as the call takes.
 * @throws Problem body_too_large, unsupported_media_type, invalid_request with one entry in `errors` for each wrong field;
 *   and as {@link readForm}
 */
export function requestBody(schema: typeof textRequest | typeof imageRequest): MiddlewareHandler<ApiEnv>[] {
  const form = asForm(schema);
  const check = (by: z.ZodType, fields: unknown) => {
    const checked = by.safeParse(fields);
    if (!checked.success) throw invalidRequest(checked.error.issues, schema);
    return checked.data as TextRequest | ImageRequest;
  };

  const parsed: MiddlewareHandler<ApiEnv> = async (c, next) => {
    const { rooms } = c.get("surroundings");
    let fields: unknown;
    try {
      fields = await readFields(c, rooms);
      c.set("request", check(mediaType(c) === FORM ? form : schema, fields));
      await next();
    } finally {
      for (const value of Object.values(Object(fields))) if (value instanceof Upload) await value.received.release();
      rooms.turn.end();
    }
  };
  return [limitBody, parsed];
}

async function readFields(c: Context<ApiEnv>, rooms: Rooms): Promise<unknown> {
  const { maxJsonBytes } = configOf(c.env);
  const body = c.req.raw.body ?? emptyBody();
  switch (mediaType(c)) {
    case "application/json": {
      const received = await receive(body, { ...rooms.file, maxBytes: maxJsonBytes, inMemoryBytes: maxJsonBytes });
      return parseJson(await received.head(maxJsonBytes));
    }
    case FORM:
      return readForm(body, c.req.header("Content-Type")!, { rooms, maxFieldBytes: maxJsonBytes });
    default:
      throw new Problem("unsupported_media_type", "Send application/json or multipart/form-data.", {
        headers: { "Accept-Post": "application/json, multipart/form-data" },
      });
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new Problem("invalid_request", "The body is not well-formed JSON.", { cause });
  }
}

function emptyBody(): ReadableStream<Uint8Array> {
  return new Blob([]).stream();
}

function mediaType(c: Context): string {
  return (c.req.header("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();
}

import type { Context, MiddlewareHandler } from "hono";
import { readForm } from "../inputs/multipart.ts";
import { paced } from "../inputs/pace.ts";
import { receive } from "../inputs/receive.ts";
import { Problem } from "../problems.ts";
import { repeatedKey } from "../repeatedKey.ts";
import type { CallContext } from "../service/callContext.ts";
import type { AcceptedRequest, Product } from "../service/products.ts";
import type { ApiEnv } from "./environment.ts";

const FORM = "multipart/form-data";

/**
 * Refuses a body over the limit: at once if Content-Length tells its size, otherwise when it passes the limit, by an
 * error in the stream.
 * @throws Problem body_too_large
 */
export const limitBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const { maxBodyBytes, maxJsonBytes } = c.var.config;
  const maxBytes = mediaType(c) === FORM ? maxBodyBytes : maxJsonBytes;
  const { body, headers } = c.req.raw;
  const length = headers.has("Transfer-Encoding") ? null : headers.get("Content-Length"); // RFC 9112, 6.3
  if (Number(length) > maxBytes) throw bodyTooLarge(maxBytes);
  if (length === null && body) c.req.raw = new Request(c.req.raw, { body: body.pipeThrough(upTo(maxBytes)) });
  await next();
};

/**
 * Returns a stream that passes on at most `maxBytes` bytes.
 * @throws Problem body_too_large in the stream, beyond that
 */
function upTo(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > maxBytes) throw bodyTooLarge(maxBytes);
      controller.enqueue(chunk);
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
 * Reads and checks a request body, JSON or multipart, within the limits of its call.
 * @throws Problem body_too_large, body_timeout, unsupported_media_type, invalid_request, too_busy, or as {@link readForm}
 * @throws Error if a file cannot be spooled
 */
export async function readRequest(
  c: Context<ApiEnv>,
  product: Product,
  { limits }: CallContext,
): Promise<AcceptedRequest> {
  const { maxJsonBytes } = c.var.config;
  const body = paced(c.req.raw.body ?? emptyBody(), c.var.config.bodyPace);
  switch (mediaType(c)) {
    case "application/json": {
      if (!/^(utf-?8|us-ascii)?$/i.test(charset(c)))
        throw new Problem("unsupported_media_type", "Send JSON in UTF-8: no other encoding is read (RFC 8259).");
      const received = await receive(body, { ...limits.file, maxBytes: maxJsonBytes, inMemoryBytes: maxJsonBytes });
      return product.accept(parseJson(await received.head(maxJsonBytes)), "json");
    }
    case FORM: {
      const fields = await readForm(body, c.req.header("Content-Type")!, { limits, maxFieldBytes: maxJsonBytes });
      return product.accept(fields, "form");
    }
    default:
      throw new Problem("unsupported_media_type", "Send application/json or multipart/form-data.", {
        headers: { "Accept-Post": "application/json, multipart/form-data" },
      });
  }
}

function parseJson(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  const fields = parse(text);
  const path = repeatedKey(text, 1);
  if (path === undefined) return fields;
  throw new Problem("invalid_request", `The body has \`${path}\` twice. Send each field once.`, {
    errors: [{ path, message: "must be there once" }],
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
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

/** Returns the `charset` parameter of the Content-Type, or an empty string. */
function charset(c: Context): string {
  return /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(c.req.header("Content-Type") ?? "")?.[1] ?? "";
}

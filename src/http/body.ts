import type { Context, MiddlewareHandler } from "hono";
import { bodyTooLarge, readBody } from "../inputs/body.ts";
import { type ReceivedJson, readJson } from "../inputs/json.ts";
import { SPARE_BYTES } from "../inputs/memory.ts";
import { readForm } from "../inputs/multipart.ts";
import { counted } from "../inputs/receive.ts";
import { receiveUpload } from "../inputs/receiveUpload.ts";
import { expectPdf } from "../inputs/sniff.ts";
import { readUrlEncoded } from "../inputs/urlEncoded.ts";
import { announcedBytesOf, FORM, maxBytesOf, mediaTypeOf, PDF, TEXT_FORM } from "../service/request/bodySize.ts";
import { knownName } from "../service/request/nearest.ts";
import type { CallContext } from "../service/sale/callContext.ts";
import { type AcceptedRequest, PRODUCTS, type Product } from "../service/sale/products.ts";
import { hasTooManyValues, MAX_JSON_VALUES } from "../shared/json/jsonValues.ts";
import { repeatedKey } from "../shared/json/repeatedKey.ts";
import { once } from "../shared/once.ts";
import { Problem, repeatedField, shownName } from "../shared/problems.ts";
import type { RunningSha256 } from "../shared/sha256.ts";
import type { ApiEnv } from "./environment.ts";

/**
 * Rejects a body whose Content-Length exceeds the limit. A body without Content-Length is limited while it is read.
 * @throws Problem body_too_large
 */
export const limitBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const maxBytes = maxBytesOf(c.req.raw, c.var.config);
  if ((announcedBytesOf(c.req.raw) ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
  await next();
};

/**
 * Rejects a compressed body, because this service does not decompress bodies.
 * @throws Problem unsupported_media_type
 */
export const expectPlainBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const codings = c.req.header("Content-Encoding")?.split(",") ?? [];
  const isEncoded = codings.some((coding) => !/^\s*(identity)?\s*$/i.test(coding));
  // The length is checked too, because the runtime sets `body` even if the body is empty.
  if (isEncoded && ["POST", "PUT"].includes(c.req.method) && announcedBytesOf(c.req.raw) !== 0 && c.req.raw.body)
    throw new Problem(
      "unsupported_media_type",
      "Compressed bodies are not supported. Send the body without Content-Encoding.",
      {
        headers: { "Accept-Encoding": "identity" }, // RFC 9110, 15.5.16: a 415 names the supported codings
      },
    );
  await next();
};

/**
 * Returns the fields in the query of a call whose body is the PDF itself.
 * @throws Problem invalid_request if a field is repeated or is named `file`
 */
export function queryFields(c: Context): Record<string, string> {
  const fields = new Map<string, string>();
  // `c.req.query()` would return invalid UTF-8 undecoded. The mark would then contain a literal `%E9`.
  for (const [name, value] of new URL(c.req.url).searchParams) {
    if (name === "file" || fields.has(name)) {
      const isFile = name === "file";
      const error = isFile
        ? { path: name, message: "is the body, so it must not be in the query" }
        : repeatedField(name);
      const where = isFile ? "" : "In the query, ";
      throw new Problem("invalid_request", `${where}\`${error.path}\` ${error.message}.`, { errors: [error] });
    }
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

/** Returns the field names of all products, without duplicates. */
const productFields = once(() => [...new Set(PRODUCTS.flatMap(({ schemas }) => Object.keys(schemas.json.shape)))]);

/**
 * Rejects request fields in the query, including misspelled ones, unless the body is the PDF itself. With any other
 * body, the service reads the fields from the body and would ignore the query. Other parameters, such as `utm_source`,
 * are allowed.
 * @throws Problem invalid_request
 */
export function expectFieldsInBody(c: Context): void {
  for (const path of new URL(c.req.url).searchParams.keys()) {
    const field = knownName(path, productFields());
    if (field === undefined) continue;
    const where = path === field ? "in the body" : `in the body, as \`${field}\``;
    const message = `must be ${where}: the query is read only if the body is the PDF itself`;
    throw new Problem("invalid_request", `\`${shownName(path)}\` ${message}.`, { errors: [{ path, message }] });
  }
}

/**
 * Reads and validates a request body (JSON, a form or the PDF itself). The size and the pace of the body are
 * limited.
 * @param hash hashes the whole body
 * @throws Problem body_too_large, body_timeout, unsupported_media_type, invalid_request, too_busy, or a problem that
 * {@link readForm} throws
 * @throws Error if a file cannot be spooled
 */
export async function readRequest(
  c: Context<ApiEnv>,
  product: Product,
  { receiving }: CallContext,
  hash?: RunningSha256,
): Promise<AcceptedRequest> {
  const { bodyPace: pace } = c.var.config;
  const { memory } = receiving.file;
  const within = { pace, maxBytes: maxBytesOf(c.req.raw, c.var.config) };
  const read = readBody(c.req.raw.body ?? emptyBody(), within, {}, (bytes) => memory.take(bytes, SPARE_BYTES));
  const body = counted(hash ? hash.of(read) : read, receiving.file.count);
  const announced = announcedBytesOf(c.req.raw);
  switch (mediaTypeOf(c.req.raw)) {
    case "application/json": {
      expectUtf8(c);
      expectFieldsInBody(c);
      const json = await readJson(body, receiving.file, announced);
      return product.accept(parseJson(json, product.example), "json", json.tooLong);
    }
    case FORM: {
      expectFieldsInBody(c);
      const { fields, tooLong } = await readForm(body, c.req.header("Content-Type")!, receiving, announced);
      return product.accept(fields, "form", tooLong);
    }
    case TEXT_FORM: {
      const fields = await readUrlEncoded(body, memory);
      expectFieldsInBody(c); // last, because `readUrlEncoded` has a better error for a PDF sent as a form
      return product.accept(fields, "form");
    }
    case PDF: {
      const fields = queryFields(c); // validates the fields before the service reads the body, which may be long
      const inspect = (head: Uint8Array) => expectPdf(head, undefined);
      const file = await receiveUpload(body, receiving.file, inspect, announced, announced);
      return product.accept({ ...fields, file }, "form");
    }
    default:
      throw unsupportedType(c);
  }
}

/** Creates the Problem for a body whose type is not supported. */
export function unsupportedType(c: Context): Problem {
  const type = c.req.header("Content-Type");
  const sent =
    type === undefined ? "The request has no Content-Type." : `The Content-Type ${shownName(type)} is not read.`;
  return new Problem(
    "unsupported_media_type",
    `${sent} Send application/json, multipart/form-data with the PDF as \`file\`, application/x-www-form-urlencoded, or the PDF as application/pdf with the other fields in the query.`,
    {
      headers: {
        "Accept-Post": "application/json, multipart/form-data, application/x-www-form-urlencoded, application/pdf",
      },
    },
  );
}

/**
 * Rejects JSON that declares another encoding than UTF-8.
 * @throws Problem unsupported_media_type
 */
export function expectUtf8(c: Context): void {
  if (!/^(utf-?8|us-ascii)?$/i.test(charset(c)))
    throw new Problem("unsupported_media_type", "JSON must be encoded in UTF-8 (RFC 8259). Send the body as UTF-8.");
}

/**
 * Parses a JSON body.
 * @param example a valid request, shown in error messages
 * @param others other kinds of valid body, appended to the sentence with the example
 * @throws Problem invalid_request
 */
export function parseJson(
  json: ReceivedJson,
  example: object,
  others = ", a form, or the PDF itself as application/pdf",
): unknown {
  const { text } = json;
  const advice = `Send an object such as ${JSON.stringify(example)}${others}.`;
  if (hasTooManyValues(text))
    throw new Problem("invalid_request", `The body has more than ${MAX_JSON_VALUES} values, or is not JSON. ${advice}`);
  const fields = parse(json, advice);
  const repeated = repeatedKey(text, 1);
  if (repeated === undefined) return fields;
  const error = repeatedField(repeated);
  throw new Problem("invalid_request", `The body contains \`${error.path}\` more than once. Send each field once.`, {
    errors: [error],
  });
}

function parse(json: ReceivedJson, advice: string): unknown {
  try {
    return json.parse();
  } catch (cause) {
    const defect = json.text.trim() === "" ? "is empty" : "is not well-formed JSON";
    throw new Problem("invalid_request", `The body ${defect}. ${advice}`, { cause });
  }
}

function emptyBody(): ReadableStream<Uint8Array> {
  return new Blob([]).stream();
}

/** Returns the `charset` parameter of the Content-Type, or an empty string. */
function charset(c: Context): string {
  return /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(c.req.header("Content-Type") ?? "")?.[1] ?? "";
}

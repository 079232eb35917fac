import type { Context, MiddlewareHandler } from "hono";
import { bodyTooLarge, readBody } from "../inputs/body.ts";
import { type ReceivedJson, readJson } from "../inputs/json.ts";
import { SPARE_BYTES } from "../inputs/memory.ts";
import { readForm } from "../inputs/multipart.ts";
import { counted } from "../inputs/receive.ts";
import { receiveUpload } from "../inputs/receiveUpload.ts";
import { expectPdf } from "../inputs/sniff.ts";
import { announcedBytesOf, FORM, maxBytesOf, mediaTypeOf, PDF } from "../service/request/bodySize.ts";
import { knownName } from "../service/request/nearest.ts";
import type { CallContext } from "../service/sale/callContext.ts";
import { type AcceptedRequest, PRODUCTS, type Product } from "../service/sale/products.ts";
import { hasTooManyValues, MAX_JSON_VALUES } from "../shared/json/jsonValues.ts";
import { repeatedKey } from "../shared/json/repeatedKey.ts";
import { once } from "../shared/once.ts";
import { Problem, toldName } from "../shared/problems.ts";
import type { ApiEnv } from "./environment.ts";

/**
 * Refuses a body over the limit at once, if Content-Length tells its size. Any other is refused where it goes past the
 * limit, by who reads it.
 * @throws Problem body_too_large
 */
export const limitBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const maxBytes = maxBytesOf(c.req.raw, c.var.config);
  if ((announcedBytesOf(c.req.raw) ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
  await next();
};

/**
 * Refuses a body that is encoded, as by gzip: no encoding is undone here, and none is told by Content-Type.
 * @throws Problem unsupported_media_type
 */
export const expectPlainBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const codings = c.req.header("Content-Encoding")?.split(",") ?? [];
  const isEncoded = codings.some((coding) => !/^\s*(identity)?\s*$/i.test(coding));
  // to the runtime, an empty body is one too
  if (isEncoded && ["POST", "PUT"].includes(c.req.method) && announcedBytesOf(c.req.raw) !== 0 && c.req.raw.body)
    throw new Problem("unsupported_media_type", "Send the body as it is, without a Content-Encoding: none is read.", {
      headers: { "Accept-Encoding": "identity" }, // RFC 9110, 15.5.16
    });
  await next();
};

/**
 * Returns the fields of a call whose body is the file.
 * @throws Problem invalid_request if one is there twice, or is the file
 */
function queryFields(c: Context): Record<string, string> {
  const fields = new Map<string, string>();
  // Hono's own reading leaves what is not UTF-8 as it is spelled: %E9 would be laid over every page
  for (const [name, value] of new URL(c.req.url).searchParams) {
    if (name === "file" || fields.has(name)) {
      const path = toldName(name);
      const message = path === "file" ? "is the body, so it must not be in the query" : "must be there once";
      const where = path === "file" ? "" : "In the query, ";
      throw new Problem("invalid_request", `${where}\`${path}\` ${message}.`, { errors: [{ path, message }] });
    }
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

/** The fields of all that is sold. */
const fieldsSold = once(() => [...new Set(PRODUCTS.flatMap(({ schemas }) => Object.keys(schemas.json.shape)))]);

/**
 * Refuses fields in the query beside a body that has fields, also misspelt ones: who sends them wants them read. What else
 * stands there is for others, as `utm_source` is.
 * @throws Problem invalid_request
 */
function expectFieldsInBody(c: Context): void {
  for (const path of new URL(c.req.url).searchParams.keys()) {
    const field = knownName(path, fieldsSold());
    if (field === undefined) continue;
    const where = path === field ? "in the body" : `in the body, as \`${field}\``;
    const message = `must be ${where}: the query is read only where the body is the PDF by itself`;
    throw new Problem("invalid_request", `\`${toldName(path)}\` ${message}.`, { errors: [{ path, message }] });
  }
}

/**
 * Reads and checks a request body, JSON, multipart or the PDF itself, within the limits of its call.
 * @throws Problem body_too_large, body_timeout, unsupported_media_type, invalid_request, too_busy, or as {@link readForm}
 * @throws Error if a file cannot be spooled
 */
export async function readRequest(
  c: Context<ApiEnv>,
  product: Product,
  { limits }: CallContext,
): Promise<AcceptedRequest> {
  const { bodyPace: pace } = c.var.config;
  const { memory } = limits.file;
  const within = { pace, maxBytes: maxBytesOf(c.req.raw, c.var.config) };
  const read = readBody(c.req.raw.body ?? emptyBody(), within, {}, (bytes) => memory.take(bytes, SPARE_BYTES));
  const body = counted(read, limits.file.count);
  const announced = announcedBytesOf(c.req.raw);
  switch (mediaTypeOf(c.req.raw)) {
    case "application/json": {
      if (!/^(utf-?8|us-ascii)?$/i.test(charset(c)))
        throw new Problem("unsupported_media_type", "Send JSON in UTF-8: no other encoding is read (RFC 8259).");
      expectFieldsInBody(c);
      const json = await readJson(body, limits.file, announced);
      return product.accept(parseJson(json, product.example), "json", json.tooLong);
    }
    case FORM: {
      expectFieldsInBody(c);
      const { fields, tooLong } = await readForm(body, c.req.header("Content-Type")!, limits, announced);
      return product.accept(fields, "form", tooLong);
    }
    case PDF: {
      const fields = queryFields(c); // looked at first: the body may be long
      const look = (head: Uint8Array) => expectPdf(head, undefined);
      const file = await receiveUpload(body, limits.file, look, announced, announced);
      return product.accept({ ...fields, file }, "form");
    }
    default:
      throw new Problem(
        "unsupported_media_type",
        "Send application/json, multipart/form-data with the PDF as `file`, or the PDF as application/pdf with the other fields in the query.",
        {
          headers: { "Accept-Post": "application/json, multipart/form-data, application/pdf" },
        },
      );
  }
}

/**
 * Parses a body in JSON.
 * @param example shown to who has sent something else
 * @param others what may be done instead: the end of that sentence
 * @throws Problem invalid_request
 */
export function parseJson(
  json: ReceivedJson,
  example: object,
  others = ", a form, or the PDF by itself as application/pdf",
): unknown {
  const { text } = json;
  const advice = `Send an object such as ${JSON.stringify(example)}${others}.`;
  if (hasTooManyValues(text))
    throw new Problem("invalid_request", `The body has more than ${MAX_JSON_VALUES} values, or is not JSON. ${advice}`);
  const fields = parse(json, advice);
  const twice = repeatedKey(text, 1);
  if (twice === undefined) return fields;
  const path = toldName(twice);
  throw new Problem("invalid_request", `The body has \`${path}\` twice. Send each field once.`, {
    errors: [{ path, message: "must be there once" }],
  });
}

function parse(json: ReceivedJson, advice: string): unknown {
  try {
    return json.parse();
  } catch (cause) {
    const what = json.text.trim() === "" ? "is empty" : "is not well-formed JSON";
    throw new Problem("invalid_request", `The body ${what}. ${advice}`, { cause });
  }
}

function emptyBody(): ReadableStream<Uint8Array> {
  return new Blob([]).stream();
}

/** Returns the `charset` parameter of the Content-Type, or an empty string. */
function charset(c: Context): string {
  return /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(c.req.header("Content-Type") ?? "")?.[1] ?? "";
}

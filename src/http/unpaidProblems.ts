/** Finds errors in the request of an unpaid call, so that callers can correct them before they pay. */

import type { Context } from "hono";
import { ReceivedJson } from "../inputs/json.ts";
import { expectBoundary } from "../inputs/multipart.ts";
import { ReceivedFile } from "../inputs/receivedFile.ts";
import { Upload } from "../inputs/upload.ts";
import { urlEncodedFields } from "../inputs/urlEncoded.ts";
import { announcedBytesOf, FORM, mediaTypeOf, PDF, TEXT_FORM } from "../service/request/bodySize.ts";
import { IDEMPOTENCY_KEY } from "../service/request/idempotencyKey.ts";
import { MAX_PROBLEMS } from "../service/request/invalidRequest.ts";
import type { Exchange } from "../service/sale/callContext.ts";
import type { AcceptedRequest, Product } from "../service/sale/products.ts";
import { errorsBeforePayment } from "../service/sale/unpaidErrors.ts";
import type { FieldError } from "../shared/problems.ts";
import { expectFieldsInBody, expectUtf8, parseJson, queryFields, unsupportedType } from "./body.ts";
import type { ApiEnv } from "./environment.ts";

/** Maximum declared length of a body that is read without a payment. */
const MAX_BODY_BYTES = 16 * 1024;
/** Time limit for reading the body of an unpaid call, in milliseconds. */
const READ_MS = 1000;
/** Placeholder for the file of a call whose body is the PDF itself. */
const SENT_FILE = new Upload(new ReceivedFile(new Uint8Array()), "");

/** Advice for a call whose body was not read. */
const UNCHECKED = `The body is read only after the payment. To check its fields for free, send them as JSON of at most ${MAX_BODY_BYTES} bytes, with a URL in place of each file.`;

/**
 * Returns additional members for the 402 of an unpaid call. `problems` lists the errors that a paid call with this
 * request would get. `unchecked` is advice if the body was not read. Checks the query, the headers, and a small body of
 * JSON or of a form without files.
 */
export async function unpaidFacts(c: Context<ApiEnv>, product: Product, exchange: Exchange) {
  let isUnread = false;
  const accept = async () => {
    const accepted = await read(c, product);
    isUnread = accepted === undefined;
    return accepted;
  };
  const problems = await errorsBeforePayment(accept, c.req.raw.headers.get(IDEMPOTENCY_KEY), exchange);
  const all = [...misnamedKeys(c.req.raw.headers), ...problems].slice(0, MAX_PROBLEMS);
  return { ...(all.length > 0 ? { problems: all } : {}), ...(isUnread ? { unchecked: UNCHECKED } : {}) };
}

/** Headers that callers confuse with the idempotency key. The service does not read them, so callers must be warned. */
const MISNAMED_KEYS = ["X-Idempotency-Key", "Idempotency-Token", "Idempotency-Id"];

function misnamedKeys(headers: Headers): FieldError[] {
  return MISNAMED_KEYS.filter((name) => headers.get(name) !== null).map((path) => ({
    path,
    message: `is not read. Did you mean ${IDEMPOTENCY_KEY}?`,
  }));
}

/**
 * Reads and validates an unpaid request.
 * @returns undefined if the body is long, slow or a form with files
 * @throws Problem for the errors that a paid call with this request would get
 */
async function read(c: Context<ApiEnv>, product: Product): Promise<AcceptedRequest | undefined> {
  const { raw } = c.req;
  const type = mediaTypeOf(raw);
  const announced = announcedBytesOf(raw) ?? (raw.body ? Number.POSITIVE_INFINITY : 0);
  const isQueryOnly = announced === 0 && new URL(raw.url).search !== "";
  if (type === PDF || isQueryOnly) return product.accept({ ...queryFields(c), file: SENT_FILE }, "form");
  if (announced === 0) return product.accept(parseJson(new ReceivedJson(""), product.example), "json");
  if (type === FORM) {
    expectBoundary(c.req.header("Content-Type")!);
    expectFieldsInBody(c);
    return undefined;
  }
  if (type !== "application/json" && type !== TEXT_FORM) throw unsupportedType(c);
  if (announced > MAX_BODY_BYTES) return undefined;
  const text = await textOf(raw);
  if (text === undefined) return undefined;
  if (type === TEXT_FORM) {
    const fields = urlEncodedFields(text);
    expectFieldsInBody(c); // last, because `urlEncodedFields` has a better error for a PDF sent as a form
    return product.accept(fields, "form");
  }
  expectUtf8(c);
  expectFieldsInBody(c);
  return product.accept(parseJson(new ReceivedJson(text), product.example), "json");
}

/** Returns the body as text. Returns undefined and cancels the body if it does not arrive in time. */
async function textOf({ body }: Request): Promise<string | undefined> {
  if (!body) return undefined;
  const reader = body.getReader();
  const deadline = scheduler.wait(READ_MS);
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), deadline]);
      if (!read) break;
      if (read.done) return text + decoder.decode();
      text += decoder.decode(read.value, { stream: true });
    }
    void reader.cancel().catch(() => undefined);
  } catch {
    // the caller has disconnected
  }
  return undefined;
}

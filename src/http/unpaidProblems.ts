/** Finds errors in the request of an unpaid call, so that callers can correct them before they pay. */

import type { Context } from "hono";
import { ReceivedJson } from "../inputs/json.ts";
import { urlEncodedFields } from "../inputs/urlEncoded.ts";
import { announcedBytesOf, mediaTypeOf, PDF, TEXT_FORM } from "../service/request/bodySize.ts";
import { MAX_PROBLEMS } from "../service/request/invalidRequest.ts";
import type { Product } from "../service/sale/products.ts";
import { type FieldError, Problem } from "../shared/problems.ts";
import { expectFieldsInBody, parseJson, queryFields } from "./body.ts";
import type { ApiEnv } from "./environment.ts";

/** Maximum declared length of a body that is read without a payment. */
const MAX_BODY_BYTES = 16 * 1024;
/** Time limit for such a body. */
const READ_MS = 1000;
/** Stands for a PDF that is the body itself. */
const SENT_FILE = "upload:body";

/**
 * Returns errors that a paid call with this request would get. Checks the query, and a small body of JSON or of a form
 * without files. Opens no files. Returns no errors if the body is long, slow or of another type.
 */
export async function unpaidProblems(c: Context<ApiEnv>, product: Product): Promise<FieldError[]> {
  try {
    await check(c, product);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return (error.errors ?? [{ path: "", message: error.detail }]).slice(0, MAX_PROBLEMS);
  }
}

async function check(c: Context<ApiEnv>, product: Product): Promise<void> {
  const { raw } = c.req;
  const type = mediaTypeOf(raw);
  const announced = announcedBytesOf(raw) ?? (raw.body ? Number.POSITIVE_INFINITY : 0);
  const isQueryOnly = announced === 0 && new URL(raw.url).search !== "";
  if (type === PDF || isQueryOnly) {
    product.accept({ ...queryFields(c), file: SENT_FILE }, "form");
    return;
  }
  if (announced === 0 || announced > MAX_BODY_BYTES || !["application/json", TEXT_FORM].includes(type)) return;
  const text = await textOf(raw);
  if (text === undefined) return;
  expectFieldsInBody(c);
  if (type === TEXT_FORM) product.accept(urlEncodedFields(text), "form");
  else product.accept(parseJson(new ReceivedJson(text), product.example), "json");
}

/** Returns the body as text; undefined if it does not arrive in time. The rest of a slow body is canceled. */
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

/**
 * The preview on the page of a payment link (a quote). The page marks the files in the browser, so it has to read them.
 * Only uploaded files can be read this way, a few times each. Uploads are otherwise not readable.
 */
import { PAYMENT_LINKS } from "../../settings/limits.ts";
import { Problem } from "../../shared/problems.ts";
import { bucketOf } from "../../storage/bucket.ts";
import { isHandle, type StoredUpload, uploadOf } from "../../storage/uploads.ts";
import type { Exchange } from "./callContext.ts";
import { FILE_FIELDS, type FileField } from "./quoteSchemas.ts";
import { expectOpen, type OpenQuote } from "./quotes.ts";

/** The data from which the page draws a preview. */
export interface QuotePreview {
  operation: "text" | "image";
  /** The settings of the mark, without files. */
  settings: Record<string, unknown>;
  /** The name of each uploaded file. A name may be empty. */
  files: Partial<Record<FileField, string>>;
}

/**
 * Returns the data from which the page of a quote draws a preview. Returns undefined if a file is not an upload, is too
 * large or is missing. Also returns undefined if the PDF has a password, which the page must not know.
 */
export async function previewOf({ product, fields }: OpenQuote, { env }: Exchange): Promise<QuotePreview | undefined> {
  const { password, file, image, ...settings } = fields;
  if (password !== undefined) return undefined;
  const files: QuotePreview["files"] = {};
  for (const field of FILE_FIELDS) {
    const handle = fields[field];
    if (handle === undefined) continue;
    const upload = await previewable(String(handle), env).catch(() => undefined);
    if (!upload) return undefined;
    files[field] = upload.name ?? "";
  }
  return { operation: product.operation === "watermark.image" ? "image" : "text", settings, files };
}

/** Returns the upload of a handle, if the page of a quote can draw its file. */
async function previewable(handle: string, env: Env): Promise<StoredUpload | undefined> {
  if (!isHandle(handle)) return undefined;
  const upload = await uploadOf(bucketOf(env), handle, Date.now());
  return upload.file && upload.file.bytes <= PAYMENT_LINKS.previewBytes ? upload : undefined;
}

/**
 * Returns the bytes of a quote's uploaded file.
 * @throws Problem not_found if the page can draw no preview of the file, too_many_requests if the file was read too
 * often, and the errors of {@link expectOpen}
 */
export async function readPreviewFile(
  quote: OpenQuote,
  field: FileField,
  exchange: Exchange,
): Promise<ReadableStream<Uint8Array>> {
  await expectOpen(quote, exchange);
  const { env } = exchange;
  const upload = quote.fields.password === undefined ? await previewable(String(quote.fields[field]), env) : undefined;
  if (!upload?.file) throw noPreview();
  const limits = {
    slots: PAYMENT_LINKS.previewReads,
    bytes: Number.POSITIVE_INFINITY,
    ms: upload.expires - Date.now(),
  };
  const waitSeconds = await env.BUDGETS.getByName(`previews:${upload.key}`).registerUpload(1, limits);
  if (waitSeconds > 0)
    throw new Problem(
      "too_many_requests",
      `The file was already read ${limits.slots} times for a preview. The marked PDF can still be bought.`,
      { headers: { "Retry-After": String(waitSeconds) } },
    );
  const object = await bucketOf(env).get(upload.file.key, {});
  if (!object) throw noPreview();
  return object.body;
}

function noPreview(): Problem {
  return new Problem("not_found", "There is no preview of this file. The marked PDF can still be bought.");
}

import type { Handler } from "hono";
import { readBody } from "../inputs/body.ts";
import { ReceivedJson } from "../inputs/json.ts";
import { UPLOAD_EXAMPLE } from "../service/request/uploads.ts";
import { paymentsOf } from "../service/sale/sentPayments.ts";
import { completeUpload, listParts, receivePart } from "../service/sale/uploadParts.ts";
import { openUpload, receiveFile } from "../service/sale/uploads.ts";
import { Problem } from "../shared/problems.ts";
import { CALLING_POLICY } from "../site/policies.ts";
import { UploadPage } from "../site/uploadPage.tsx";
import { bucketOf } from "../storage/bucket.ts";
import { uploadAt } from "../storage/uploads.ts";
import { parseJson } from "./body.ts";
import type { ApiEnv } from "./environment.ts";
import { sendPage } from "./page.ts";
import { exchangeOf } from "./sell.ts";

/** Size limit of the body that requests an upload. */
const MAX_REQUEST_BYTES = 16 * 1024;

/** End of error messages for callers that send a form or the file itself instead of JSON. */
const FILE_FOLLOWS = ", then send the file to the upload URL of the response";

function tooLarge(maxBytes: number): Problem {
  const example = JSON.stringify(UPLOAD_EXAMPLE);
  return new Problem(
    "body_too_large",
    `The upload request is larger than ${maxBytes} bytes. Send an object such as ${example}${FILE_FOLLOWS}.`,
  );
}

/** Headers of responses that contain secrets. */
const PRIVATE = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };

/**
 * Returns an upload URL and a handle. A request without a body asks for the upload of a PDF within the free size limit.
 */
export const createUpload: Handler<ApiEnv> = async (c) => {
  const { body } = c.req.raw;
  const chunks: Uint8Array[] = [];
  const limits = { pace: c.var.config.bodyPace, maxBytes: MAX_REQUEST_BYTES };
  if (body) for await (const chunk of readBody(body, limits, { tooLarge })) chunks.push(Buffer.from(chunk));
  const fields =
    chunks.length > 0
      ? parseJson(new ReceivedJson(new TextDecoder().decode(Buffer.concat(chunks))), UPLOAD_EXAMPLE, FILE_FOLLOWS)
      : {};
  const sent = await paymentsOf(c.req.raw, c.var.config);
  return c.json(await openUpload(fields, exchangeOf(c), sent), 201, PRIVATE);
};

/** Receives the file of an upload. */
export const receiveUploadedFile: Handler<ApiEnv, "/v1/uploads/:id"> = async (c) => {
  const slot = await uploadAt(bucketOf(c.env), c.req.param("id"), Date.now());
  const received = receiveFile(slot, exchangeOf(c));
  // after a disconnect, the upload is still stored or discarded
  c.executionCtx.waitUntil(received.catch(() => undefined));
  return c.json(await received, 200, PRIVATE);
};

/** Receives a part of an upload. */
export const receiveUploadedPart: Handler<ApiEnv, "/v1/uploads/:id/parts/:number"> = async (c) => {
  const slot = await uploadAt(bucketOf(c.env), c.req.param("id"), Date.now());
  const received = receivePart(slot, Number(c.req.param("number")), exchangeOf(c));
  // after a disconnect, the part is still stored or discarded
  c.executionCtx.waitUntil(received.catch(() => undefined));
  return c.json(await received, 200, PRIVATE);
};

/** Lists the stored parts of an upload. */
export const listUploadedParts: Handler<ApiEnv, "/v1/uploads/:id/parts"> = async (c) => {
  const slot = await uploadAt(bucketOf(c.env), c.req.param("id"), Date.now());
  return c.json(await listParts(slot, exchangeOf(c)), 200, PRIVATE);
};

/** Joins the parts of an upload to its file. */
export const completeUploadedParts: Handler<ApiEnv, "/v1/uploads/:id/complete"> = async (c) => {
  const slot = await uploadAt(bucketOf(c.env), c.req.param("id"), Date.now());
  return c.json(await completeUpload(slot, exchangeOf(c)), 200, PRIVATE);
};

/** Shows the page of an upload URL, on which a person chooses the file. */
export const showUploadPage: Handler<ApiEnv, "/v1/uploads/:id"> = async (c) => {
  const slot = await uploadAt(bucketOf(c.env), c.req.param("id"), Date.now());
  return sendPage(c, UploadPage({ upload: slot, host: new URL(c.req.url).host }), CALLING_POLICY, 200, PRIVATE);
};

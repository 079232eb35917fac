import type { Handler } from "hono";
import { readBody } from "../inputs/body.ts";
import { ReceivedJson } from "../inputs/json.ts";
import { openUpload, receiveFile, UPLOAD_EXAMPLE } from "../service/request/uploads.ts";
import { Problem } from "../shared/problems.ts";
import { UPLOAD_POLICY } from "../site/policies.ts";
import { UploadPage } from "../site/uploadPage.tsx";
import { bucketOf } from "../storage/bucket.ts";
import { slotAt } from "../storage/uploads.ts";
import { parseJson } from "./body.ts";
import type { ApiEnv } from "./environment.ts";
import { sendPage } from "./page.ts";
import { exchangeOf } from "./sell.ts";

/** The longest request for a slot. */
const MAX_REQUEST_BYTES = 16 * 1024;

/** Said to who sends something else than a request, as a form, or the file itself. */
const FILE_FOLLOWS = ", and the file itself to the address that the answer names";

function tooLarge(maxBytes: number): Problem {
  const example = JSON.stringify(UPLOAD_EXAMPLE);
  return new Problem(
    "body_too_large",
    `The request for an upload is larger than ${maxBytes} bytes. Send an object such as ${example}${FILE_FOLLOWS}.`,
  );
}

/** What is told of a slot is for whoever asks alone. */
const UNKEPT = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };

/** Opens a slot. A request without a body is for any PDF that is small enough. */
export const openSlot: Handler<ApiEnv> = async (c) => {
  const { body } = c.req.raw;
  const read: Uint8Array[] = [];
  const limits = { pace: c.var.config.bodyPace, maxBytes: MAX_REQUEST_BYTES };
  if (body) for await (const chunk of readBody(body, limits, { tooLarge })) read.push(Buffer.from(chunk));
  const fields =
    read.length > 0
      ? parseJson(new ReceivedJson(new TextDecoder().decode(Buffer.concat(read))), UPLOAD_EXAMPLE, FILE_FOLLOWS)
      : {};
  const sent = [c.req.header("PAYMENT-SIGNATURE"), c.req.header("X-PAYMENT")];
  return c.json(await openUpload(fields, exchangeOf(c), sent), 201, UNKEPT);
};

/** Takes in the file of a slot. */
export const putFile: Handler<ApiEnv, "/v1/uploads/:id"> = async (c) => {
  const slot = await slotAt(bucketOf(c.env), c.req.param("id"), Date.now());
  const received = receiveFile(slot, exchangeOf(c));
  c.executionCtx.waitUntil(received.catch(() => undefined)); // what has come is kept or deleted, even if its sender has gone
  return c.json(await received, 200, UNKEPT);
};

/** Shows whoever opens a slot's address a page to choose its file on. */
export const showSlot: Handler<ApiEnv, "/v1/uploads/:id"> = async (c) => {
  const slot = await slotAt(bucketOf(c.env), c.req.param("id"), Date.now());
  return sendPage(c, UploadPage({ slot }), UPLOAD_POLICY, 200, UNKEPT);
};

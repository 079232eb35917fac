/** Creates uploads and receives their files. */
import type * as z from "zod";
import { tooLarge } from "../../inputs/size.ts";
import { PaymentRequired, type Resource } from "../../payments/wire/offer.ts";
import type { Config } from "../../settings/config.ts";
import { UPLOADS } from "../../settings/limits.ts";
import { Problem } from "../../shared/problems.ts";
import { bucketOf } from "../../storage/bucket.ts";
import { beginParts } from "../../storage/uploadParts.ts";
import {
  createUploadRecord,
  type StoredUpload,
  storeUploadedFile,
  type UploadRecord,
  uploadUsed,
} from "../../storage/uploads.ts";
import { addressAccount, payerAccount, registerUpload } from "../limits/quota.ts";
import { rejectThrottled } from "../limits/refusedPayments.ts";
import { countUnusedAfterFailure } from "../limits/unusedPayments.ts";
import { announcedBytesOf } from "../request/bodySize.ts";
import { fieldMessage } from "../request/fieldMessages.ts";
import { invalidRequest } from "../request/invalidRequest.ts";
import { UPLOADS_PATH, type uploadOffer, type uploadReceipt, uploadRequest } from "../request/uploads.ts";
import type { Exchange } from "./callContext.ts";
import { PRODUCTS } from "./products.ts";
import { admitPayer, offerFor } from "./purchase.ts";
import type { SentPayments } from "./sentPayments.ts";
import { serviceMetadata } from "./serviceMetadata.ts";
import { curlInParts, partUrls } from "./uploadParts.ts";
import { receiveBody } from "./uploadTransfer.ts";

/**
 * Creates an upload. A free upload counts against the caller's address. With a payment that a facilitator verifies, the
 * upload counts against the payer and may be large. The payment is not settled, so it can pay for the call afterwards.
 * @throws Problem invalid_request, source_too_large, image_too_large, too_many_requests
 * @throws PaymentRequired if the upload exceeds the free size without a payment, or the payment is refused
 * @throws PaymentError any error of {@link admitPayer}
 */
export async function openUpload(
  fields: unknown,
  exchange: Exchange,
  sent: SentPayments,
): Promise<z.output<ReturnType<typeof uploadOffer>>> {
  const { request, env, config } = exchange;
  const checked = uploadRequest().safeParse(fields, { error: fieldMessage });
  if (!checked.success)
    throw invalidRequest(checked.error.issues, {
      here: Object.keys(uploadRequest().shape),
      elsewhere: () => undefined,
    });
  const { name, type, size } = checked.data;
  const most = expectFits(type, size ?? 0, config);
  const maxBytes = size ?? Math.min(most, UPLOADS.freeBytes);

  const payer = await payerOf(exchange, sent, maxBytes > UPLOADS.freeBytes);
  const account = payer ?? addressAccount(request);
  const limits = payer ? { slots: UPLOADS.payerSlots, bytes: config.unchargedBytesPerHour } : UPLOADS.free;
  if (account !== undefined)
    await registerUpload(env.BUDGETS, account, maxBytes, { ...limits, ms: 1000 * UPLOADS.seconds }).catch(
      (error: unknown) => {
        if (payer) countUnusedAfterFailure(error, payer, request);
        throw error;
      },
    );

  const expires = 1000 * Math.floor(Date.now() / 1000 + UPLOADS.seconds);
  const bucket = bucketOf(env);
  const partBytes = size !== undefined && size > UPLOADS.partBytes ? UPLOADS.partBytes : undefined;
  const { handle, id, key } = await createUploadRecord(bucket, { name, type, size, maxBytes, partBytes, expires });
  if (partBytes !== undefined) await beginParts(bucket, key);
  const url = `${new URL(request.url).origin}${UPLOADS_PATH}/${id}`;
  const headers = {
    "Content-Type": type === "pdf" ? "application/pdf" : "application/octet-stream",
    ...(size !== undefined && { "Content-Length": String(size) }),
  };
  const path = quoted(name ?? (type === "pdf" ? "document.pdf" : "image.png"));
  const parts = partBytes === undefined ? undefined : partUrls(url, maxBytes, partBytes);
  return {
    handle,
    upload: { transport: "https", method: "PUT", url, headers },
    ...(parts && { parts }),
    curl:
      parts && maxBytes > UPLOADS.wholeBytes
        ? curlInParts(path, url, parts)
        : `curl -g -T ${path} -H 'Content-Type: ${headers["Content-Type"]}' '${url}'`,
    expires_at: new Date(expires).toISOString(),
  };
}

/**
 * Returns the maximum number of bytes of a file of the given type.
 * @throws Problem source_too_large, image_too_large if the file exceeds this size
 */
function expectFits(type: UploadRecord["type"], bytes: number, { maxSourceBytes, maxImageBytes }: Config): number {
  const limits = {
    pdf: { field: "file", maxBytes: maxSourceBytes },
    image: { field: "image", maxBytes: maxImageBytes },
  } as const;
  if (bytes > limits[type].maxBytes) throw tooLarge(limits[type]);
  return limits[type].maxBytes;
}

const NOT_FREE = `payment required: the upload is larger than ${UPLOADS.freeBytes} bytes`;

/**
 * Verifies the payment that was sent with the request, and returns its payer's account. Returns undefined if no payment
 * was verified and none is needed.
 * @throws PaymentRequired if a payment is needed but none is accepted, or if the payment is refused
 */
async function payerOf(exchange: Exchange, sent: SentPayments, isNeeded: boolean): Promise<string | undefined> {
  if (!sent.isSent && !isNeeded) return undefined;
  const [product] = PRODUCTS; // uses the first product for the offer, because the product of the later call is unknown
  const all = offerFor(product!, resourceAt(new URL(exchange.request.url).origin), exchange);
  // a voucher is charged only by the call that sends it, so it cannot pay for an earlier upload
  const offer = { ...all, channels: [] };
  if (!sent.isSent) throw new PaymentRequired(offer, NOT_FREE);
  rejectThrottled(exchange.request);
  const { payment } = sent.read(offer);
  const { verified } = await admitPayer(product!, payment, offer, exchange);
  if (verified) return payerAccount(payment);
  if (isNeeded) throw new PaymentRequired(offer, "payment_already_used: sign a new payment for this upload");
  return undefined;
}

function resourceAt(origin: string): Resource {
  return {
    url: origin + UPLOADS_PATH,
    description:
      "A large upload to be watermarked. The payment is verified, not settled, and can be used for the call.",
    outputSchema: {},
    service: serviceMetadata(origin),
  };
}

/** Quotes a text as one word of a shell command. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Receives the whole file of an upload and streams it to storage.
 * @throws Problem upload_used, upload_length_wrong, source_too_large, image_too_large; any error of {@link receiveBody}
 */
export async function receiveFile(
  slot: StoredUpload,
  exchange: Exchange,
): Promise<z.output<ReturnType<typeof uploadReceipt>>> {
  if (slot.file) throw uploadUsed();
  const length = lengthOf(exchange.request, slot, exchange.config);
  const { bytes, sha256 } = await receiveBody(slot, length, exchange, {
    isBeginning: true,
    store: (chunks) => storeUploadedFile(bucketOf(exchange.env), slot, chunks, length),
  });
  return { bytes, sha256, expires_at: new Date(slot.expires).toISOString() };
}

/**
 * Returns the length of an upload's file from the request's Content-Length.
 * @throws Problem upload_length_wrong, source_too_large, image_too_large
 */
function lengthOf(request: Request, { type, size, maxBytes }: UploadRecord, config: Config): number {
  const length = announcedBytesOf(request);
  if (length !== undefined && size === undefined) expectFits(type, length, config);
  if (length !== undefined && length > maxBytes && size === undefined)
    throw new Problem(
      "source_too_large",
      `This upload takes at most ${maxBytes} bytes. Create another upload with the file's \`size\`. Above ${UPLOADS.freeBytes} bytes, send a payment along.`,
    );
  if (length && (size === undefined || length === size)) return length;
  const what = size === undefined ? "its Content-Length" : `a Content-Length of ${size}, as announced`;
  throw new Problem("upload_length_wrong", `Send the whole file with ${what}, or create another upload.`);
}

/** Creates uploads and receives their files. */
import type * as z from "zod";
import { detectFormat } from "../../engine/index.ts";
import { readBody } from "../../inputs/body.ts";
import { MemoryShare, noRoom, SENDERS_POOL } from "../../inputs/memory.ts";
import { joined } from "../../inputs/receive.ts";
import { tooLarge } from "../../inputs/size.ts";
import { expectPdf } from "../../inputs/sniff.ts";
import { PaymentRequired, type Resource } from "../../payments/wire/offer.ts";
import type { Config } from "../../settings/config.ts";
import { UPLOADS } from "../../settings/limits.ts";
import { Problem } from "../../shared/problems.ts";
import { bucketOf } from "../../storage/bucket.ts";
import {
  createUploadRecord,
  type StoredUpload,
  storeUploadedFile,
  type UploadedFile,
  type UploadRecord,
  uploadUsed,
} from "../../storage/uploads.ts";
import { addressAccount, payerAccount, registerUpload, withinQuota } from "../limits/quota.ts";
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

/** Maximum number of bytes of a file that are buffered in memory on their way to storage. */
const BUFFERED_BYTES = 100_000;

/**
 * Creates an upload. A free upload counts against the sender's address. With a payment that a facilitator verifies, the
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
  const { handle, id } = await createUploadRecord(bucketOf(env), { name, type, size, maxBytes, expires });
  const url = `${new URL(request.url).origin}${UPLOADS_PATH}/${id}`;
  const headers = {
    "Content-Type": type === "pdf" ? "application/pdf" : "application/octet-stream",
    ...(size !== undefined && { "Content-Length": String(size) }),
  };
  const path = quoted(name ?? (type === "pdf" ? "document.pdf" : "image.png"));
  return {
    handle,
    upload: { transport: "https", method: "PUT", url, headers },
    curl: `curl -g -T ${path} -H 'Content-Type: ${headers["Content-Type"]}' '${url}'`,
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
  const offer = { ...all, channels: [] }; // a voucher is charged only by the call that sends it, so it cannot pay for an earlier upload
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
 * Receives the file of an upload and streams it to storage. Rejects the file if its first bytes do not match the
 * upload's type.
 * @throws Problem upload_used, upload_length_wrong, source_too_large, image_too_large, too_many_requests, too_busy,
 * body_timeout, not_a_pdf
 * @throws EngineError unsupported_image, damaged_image
 */
export async function receiveFile(
  slot: StoredUpload,
  exchange: Exchange,
): Promise<z.output<ReturnType<typeof uploadReceipt>>> {
  const { request, config } = exchange;
  if (slot.file) throw uploadUsed();
  const length = lengthOf(request, slot, config);
  const pace = { ...config.bodyPace, deadlineMs: slot.expires - Date.now() };
  const memory = new MemoryShare(SENDERS_POOL, pace.deadlineMs, addressAccount(request));
  if (!memory.take(BUFFERED_BYTES)) throw noRoom("Send the file again in a moment.");
  const chunks = readBody(request.body!, { pace, maxBytes: length }, REFUSALS);
  try {
    const { value: head = new Uint8Array() } = await chunks.next();
    if (slot.type === "pdf") expectSignsOfPdf(head);
    else detectFormat(head);
    const { bytes, sha256 } = await receiveWithinQuota(slot, joined([head], chunks), length, exchange);
    return { bytes, sha256, expires_at: new Date(slot.expires).toISOString() };
  } finally {
    memory.release();
    await chunks.return(undefined);
  }
}

/**
 * Receives a file within the upload's allowance for aborted transfers. Without this allowance, a sender could abort
 * transfers repeatedly and make the service receive any number of bytes for free. The quota is checked while the file
 * arrives. Files of at most `BUFFERED_BYTES` bytes do not count.
 */
function receiveWithinQuota(
  slot: StoredUpload,
  chunks: AsyncIterable<Uint8Array>,
  length: number,
  { env, waitUntil }: Exchange,
): Promise<UploadedFile> {
  const bucket = bucketOf(env);
  if (length <= BUFFERED_BYTES) return storeUploadedFile(bucket, slot, chunks, length);
  const { key, maxBytes, expires } = slot;
  const unchargedBytes = UPLOADS.maxFailedSizes * maxBytes;
  const limits = { payments: 1, calls: 20, unchargedMs: 1, unchargedBytes, leaseMs: expires - Date.now() };
  const counted = { name: key, payment: key, bytes: length, refusal: refusalOfFile };
  return withinQuota(env.BUDGETS, counted, limits, waitUntil, async (setCost, allowed) => {
    async function* allowing() {
      let bytes = 0;
      for await (const chunk of chunks) {
        bytes += chunk.length;
        setCost({ ms: 0, bytes });
        if (bytes > BUFFERED_BYTES) await allowed;
        yield chunk;
      }
    }
    const file = await storeUploadedFile(bucket, slot, allowing(), length);
    setCost({ ms: 0, bytes: 0 });
    return file;
  });
}

function refusalOfFile(isUnderWay: boolean): string {
  return isUnderWay
    ? "Another request is sending the file right now. Wait until it ends, or create another upload."
    : "Too many transfers to this upload were aborted. Create another upload.";
}

/**
 * Rejects a file whose beginning has neither a PDF header nor an object, because uploads must not store other kinds of
 * files.
 */
function expectSignsOfPdf(head: Uint8Array): void {
  expectPdf(head, undefined);
  if (!/%PDF-|\d\s+obj\b/.test(new TextDecoder("latin1").decode(head)))
    throw new Problem("not_a_pdf", "The file is not a PDF. Check that you sent the right file.");
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

const REFUSALS = {
  brokenOff: (cause: unknown) =>
    new Problem("upload_length_wrong", "The body ended too early. Send the whole file again.", { cause }),
  tooSlow: () => new Problem("body_timeout", "The body arrived too slowly. Send the whole file again."),
};

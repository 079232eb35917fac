/** A purchase: the price, the payment, the upload of a large file, and the call, repeated until an answer arrives. */
import { UPLOADS } from "../../src/settings/limits.ts";
import { OverprintError } from "./errors.ts";
import { type FileSource, formValue, sha256Of } from "./files.ts";
import { errorIn, isTrusted, jsonIn, send } from "./http.ts";
import { downloadsOf, type MarkedPdf, noticesIn } from "./marked.ts";
import type { SignedPayment, Wallet } from "./payment.ts";
import { checkReceipt } from "./receipt.ts";

/** The item being bought. */
export interface Order {
  operation: "text" | "image";
  file: FileSource;
  image?: FileSource;
  fields: Readonly<Record<string, string | number | boolean | undefined>>;
  idempotencyKey: string;
}

/** Time limit of a call in seconds: the limits of the service for the body and for the work. */
const CALL_SECONDS = 900;
/** Time limit of an upload in seconds. */
const UPLOAD_SECONDS = 3600;
/** Time limit in seconds of the answer with an upload URL. */
const OFFER_SECONDS = 30;
/** Time limit in milliseconds for repeated calls. */
const RETRY_MS = 3 * 60_000;
const LONGEST_WAIT_SECONDS = 60;
/** Maximum number of times that a call is repeated because another program has spent from the same channel. */
const MAX_CORRECTIONS = 5;
/** Minimum lifetime in seconds of a payment when the call starts. */
const MIN_LIFETIME_SECONDS = 60;

/** Codes of failures that leave the outcome of the call unknown. */
const LOST = /^(unreachable|answer_broken|http_5..)$/;
/** Codes of failures after which the payment may still settle. */
const UNSETTLED = /^(settlement_pending|payment_in_progress)$/;

/**
 * Buys a mark.
 * @throws OverprintError. `mayBePaid` is true if the payment may settle although the call failed.
 */
export async function buy(origin: URL, wallet: Wallet, order: Order): Promise<MarkedPdf> {
  const endpoint = new URL(`/v1/watermark/${order.operation}`, origin);
  const file = formValue(order.file, "file");
  const image = order.image === undefined ? undefined : formValue(order.image, "image");
  const isLarge = typeof file !== "string" && file.size > UPLOADS.freeBytes;
  if (isLarge && wallet.isChannel)
    throw new OverprintError("invalid_argument", "A channel cannot pay for a file of more than 10 MB. Send its URL.");

  let payment = await wallet.pay(endpoint);
  let sent = file;
  let uploadHandle: string | undefined;
  try {
    if (isLarge) {
      sent = uploadHandle = await upload(origin, file, payment);
      payment = await livePayment(payment, wallet, endpoint);
    }
    const form = () => formOf(order, sent, image);
    const answer = await answerOf(endpoint, payment, order.idempotencyKey, form);
    return await markedIn(answer, { origin, endpoint, file, wallet, order });
  } catch (error) {
    if (error instanceof OverprintError) Object.assign(error, { idempotencyKey: order.idempotencyKey, uploadHandle });
    throw error;
  }
}

/**
 * Returns a payment that is valid long enough for a call. Signs a new payment only after the old one has expired, so
 * that at most one payment can be cashed at any time.
 */
async function livePayment(payment: SignedPayment, wallet: Wallet, endpoint: URL): Promise<SignedPayment> {
  const left = (payment.expiresAt ?? Number.POSITIVE_INFINITY) - Date.now() / 1000;
  if (left > MIN_LIFETIME_SECONDS) return payment;
  await sleep(Math.max(0, left) + 1);
  return wallet.pay(endpoint);
}

function formOf({ fields }: Order, file: File | string, image: File | string | undefined): FormData {
  const form = new FormData();
  form.set("file", file);
  if (image !== undefined) form.set("image", image);
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, String(value));
  return form;
}

/** A sold call. */
interface Answer {
  headers: Headers;
  response: Response;
  payment: SignedPayment;
  sold: Sold;
}

/** The body of the answer to a sold call. */
interface Sold {
  output: { url: string; expires_at: string; pages: number; bytes: number };
  operation: MarkedPdf["operation"];
  cost: string;
}

/**
 * Makes a call until it succeeds. Repeats it with the same payment and idempotency key if no answer arrives, or if the
 * answer asks the caller to wait.
 */
async function answerOf(endpoint: URL, first: SignedPayment, key: string, form: () => FormData): Promise<Answer> {
  const deadline = Date.now() + RETRY_MS;
  let payment = first;
  let mayBePaid = false;
  let corrections = 0;
  for (let attempt = 0; ; attempt++) {
    try {
      const headers = { ...payment.headers, "Idempotency-Key": key };
      const response = await send(endpoint, { method: "POST", headers, body: form() }, CALL_SECONDS);
      const corrected = await payment.received(response);
      if (corrected && corrections++ < MAX_CORRECTIONS) {
        payment = corrected;
        continue;
      }
      return { response, payment, headers: response.headers, sold: await soldIn(response) };
    } catch (error) {
      if (!(error instanceof OverprintError)) throw error;
      const isLost = LOST.test(error.code);
      mayBePaid ||= isLost || UNSETTLED.test(error.code);
      error.mayBePaid = mayBePaid;
      const canWait = (error.status === 429 || error.status === 503) && error.retryAfterSeconds !== undefined;
      const seconds = Math.min(error.retryAfterSeconds || 2 ** attempt, LONGEST_WAIT_SECONDS);
      if (!(isLost || canWait) || Date.now() + seconds * 1000 > deadline) throw error;
      await sleep(seconds);
    }
  }
}

async function soldIn(answer: Response): Promise<Sold> {
  if (!answer.ok) {
    const error = await errorIn(answer);
    if (error.code !== "http_402") throw error;
    const { message, status, requestId } = error;
    throw new OverprintError("payment_refused", message, { status, requestId });
  }
  const sold = (await jsonIn(answer)) as Partial<Sold> | undefined;
  const { output } = sold ?? {};
  if (typeof output?.url === "string" && typeof output.bytes === "number") return sold as Sold;
  throw new OverprintError("answer_broken", "The answer was cut off, or is not from an Overprint deployment.");
}

/** Returns the result of a sold call, with its checked receipt. */
async function markedIn(
  { headers, response, payment, sold }: Answer,
  call: { origin: URL; endpoint: URL; file: File | string; wallet: Wallet; order: Order },
): Promise<MarkedPdf> {
  const { origin, endpoint, file, wallet, order } = call;
  const { url, expires_at, pages, bytes: length } = sold.output;
  const notices = noticesIn(headers.get("Overprint-Notice"));
  const isPaidEarlier = notices.some(({ code }) => code === "payment-not-settled");
  const { receipt, receiptFault, outputSha256 } = await checkReceipt(response, {
    endpoint,
    payer: wallet.address,
    network: isPaidEarlier ? undefined : payment.network,
    inputSha256: async () => (typeof file === "string" ? undefined : sha256Of(file)),
  });
  const { operation, cost } = sold;
  return {
    ...{ url, expiresAt: new Date(expires_at), pages, length, operation, cost, notices, receipt, receiptFault },
    idempotencyKey: order.idempotencyKey,
    ...downloadsOf({ url, length, sha256: outputSha256, origin }),
  };
}

/** Uploads a file with a payment, which the deployment verifies and does not settle. Returns the upload handle. */
async function upload(origin: URL, file: File, { headers }: SignedPayment): Promise<string> {
  const asked = await send(
    new URL("/v1/uploads", origin),
    {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ name: file.name, size: file.size, type: "pdf" }),
    },
    OFFER_SECONDS,
  );
  if (!asked.ok) throw await errorIn(asked);
  const { handle, upload: target } = Object((await jsonIn(asked)) ?? {}) as {
    handle?: unknown;
    upload?: { url: string; headers: Record<string, string> };
  };
  if (typeof handle !== "string" || !target || !isTrusted(target.url, origin))
    throw new OverprintError("answer_broken", "The answer to the upload is not from an Overprint deployment.");
  const sent = await send(target.url, { method: "PUT", headers: target.headers, body: file }, UPLOAD_SECONDS);
  if (!sent.ok) throw await errorIn(sent);
  return handle;
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

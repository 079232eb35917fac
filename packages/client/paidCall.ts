/** A paid call: the payment, the upload of a large file, and the call, repeated until an answer arrives. */
import { OverprintError } from "./errors.ts";
import { errorIn, jsonIn, send } from "./http.ts";
import { isLarge, upload } from "./upload.ts";

/** A signed payment for one call. */
export interface SignedPayment {
  headers: Record<string, string>;
  /** CAIP-2 id of the network. */
  network: string;
  /** Time at which the payment expires, in Unix seconds. Undefined for a payment through a channel. */
  expiresAt: number | undefined;
  /**
   * Updates the state of the channel from the answer to a call. Returns a newly signed payment if the deployment
   * corrected the state, so that the call can be repeated.
   */
  received(answer: Response): Promise<SignedPayment | undefined>;
}

/** A call, and the way to pay for it. */
export interface PaidCall {
  /** URL of the paid operation. */
  endpoint: URL;
  /** The deployment charges repeated calls with this key only once. */
  idempotencyKey: string;
  /** The PDF. A text is a source that the deployment reads itself: a URL or an upload handle. */
  file: File | string;
  /** Returns the body of the call. Its argument is `file`, or the handle of the uploaded file. */
  formOf(file: File | string): FormData;
  /** Signs a payment. A second payment is signed only after the first has expired. */
  sign(): Promise<SignedPayment>;
}

/** Functions that are called while a paid call is made. */
export interface CallEvents {
  /** Bytes of a large file were uploaded. */
  onSent?(bytes: number): void;
  /** The call begins. From now on, the payment may settle. The argument is the handle if the file was uploaded. */
  onCall?(uploadHandle: string | undefined): void;
  /** The call failed, and is repeated after some seconds. */
  onRetry?(error: OverprintError, seconds: number): void;
}

/** The body of the answer to a sold call. */
export interface Sold {
  output: { url: string; expires_at: string; pages: number; bytes: number };
  operation: "watermark.text" | "watermark.image";
  cost: string;
}

/** A sold call. */
export interface Answer {
  response: Response;
  payment: SignedPayment;
  sold: Sold;
  /** Size in bytes of the parts in which the file was sent. Undefined if it was sent whole, or not at all. */
  partBytes: number | undefined;
}

/**
 * Time limit of a call in seconds. It exceeds the sum of the service's default limits for the body and for the work.
 */
const CALL_SECONDS = 900;
/** Time limit in milliseconds for repeated calls. */
const RETRY_MS = 3 * 60_000;
const LONGEST_WAIT_SECONDS = 60;
/** Maximum number of times that a call is repeated because another program has spent from the same channel. */
const MAX_CORRECTIONS = 5;
/** Minimum lifetime in seconds of a payment when the call starts. */
const MIN_LIFETIME_SECONDS = 60;

/**
 * Codes of failures that leave the outcome of the call unknown: no answer, an incomplete answer, or an answer from an
 * intermediary.
 */
const LOST = /^(unreachable|answer_broken|http_5..)$/;
/** Codes of failures after which the payment may still settle. */
const UNSETTLED = /^(settlement_pending|payment_in_progress)$/;
/** Codes of temporary failures, after which the call is repeated even if the service asks for a long wait. */
const TEMPORARY = /^(settlement_pending|payment_in_progress|too_busy|too_many_requests)$/;

/**
 * Pays for a call, and repeats it until an answer arrives.
 * @throws OverprintError. `mayBePaid` is true if the payment may settle although the call failed. Errors of the
 * functions of `call` are passed on.
 */
export async function makePaidCall(call: PaidCall, events: CallEvents = {}): Promise<Answer> {
  const { endpoint, file } = call;
  const payment = await call.sign();
  if (!isLarge(file)) {
    events.onCall?.(undefined);
    return { ...(await callUntilAnswered(call, file, payment, events)), partBytes: undefined };
  }
  const { handle, partBytes } = await upload(new URL(endpoint.origin), file, payment.headers, events.onSent);
  events.onCall?.(handle);
  const answer = await callUntilAnswered(call, handle, await livePayment(payment, call), events);
  return { ...answer, partBytes };
}

/**
 * Returns a payment that is valid long enough for a call. Signs a new payment only after the old one has expired, so
 * that at most one payment can be cashed at any time.
 */
async function livePayment(payment: SignedPayment, call: PaidCall): Promise<SignedPayment> {
  const left = (payment.expiresAt ?? Number.POSITIVE_INFINITY) - Date.now() / 1000;
  if (left > MIN_LIFETIME_SECONDS) return payment;
  await sleep(Math.max(0, left) + 1);
  return call.sign();
}

/**
 * Makes a call until it succeeds. Repeats it with the same payment and idempotency key if no answer arrives, or if the
 * answer asks the caller to wait.
 */
async function callUntilAnswered(
  { endpoint, idempotencyKey, formOf }: PaidCall,
  file: File | string,
  first: SignedPayment,
  { onRetry }: CallEvents,
): Promise<Omit<Answer, "partBytes">> {
  const deadline = Date.now() + RETRY_MS;
  let payment = first;
  let mayBePaid = false;
  let corrections = 0;
  for (let attempt = 0; ; attempt++) {
    try {
      const headers = { ...payment.headers, "Idempotency-Key": idempotencyKey };
      const response = await send(endpoint, { method: "POST", headers, body: formOf(file) }, CALL_SECONDS);
      const corrected = await payment.received(response);
      if (corrected && corrections++ < MAX_CORRECTIONS) {
        payment = corrected;
        continue;
      }
      return { response, payment, sold: await soldIn(response) };
    } catch (error) {
      if (!(error instanceof OverprintError)) throw error;
      mayBePaid ||= LOST.test(error.code) || UNSETTLED.test(error.code);
      error.mayBePaid = mayBePaid;
      const seconds = waitAfter(error, attempt);
      if (seconds === undefined || Date.now() + seconds * 1000 > deadline) throw error;
      onRetry?.(error, seconds);
      await sleep(seconds);
    }
  }
}

/** Returns the seconds to wait before the call is repeated. Returns undefined if repeating the call does not help. */
function waitAfter({ code, status, retryAfterSeconds }: OverprintError, attempt: number): number | undefined {
  const isShort = retryAfterSeconds !== undefined && retryAfterSeconds <= LONGEST_WAIT_SECONDS;
  const canWait = LOST.test(code) || TEMPORARY.test(code) || ((status === 429 || status === 503) && isShort);
  return canWait ? Math.min(retryAfterSeconds || 2 ** attempt, LONGEST_WAIT_SECONDS) : undefined;
}

async function soldIn(answer: Response): Promise<Sold> {
  if (!answer.ok) throw await errorIn(answer);
  const { output, operation, cost } = Object((await jsonIn(answer)) ?? {}) as Partial<Sold>;
  const { url, expires_at, pages, bytes } = (output ?? {}) as Partial<Sold["output"]>;
  if (
    [url, expires_at, operation, cost].every((text) => typeof text === "string") &&
    [pages, bytes].every((count) => Number.isInteger(count))
  )
    return { output: { url, expires_at, pages, bytes }, operation, cost } as Sold;
  throw new OverprintError("answer_broken", "The answer was cut off, or is not from an Overprint deployment.");
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

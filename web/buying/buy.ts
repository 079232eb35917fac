/** A purchase, from the order to the link, without a word to the page but by {@link Till}. */

import { send } from "../send.ts";
import { type Attempt, type Bought, dropAttempt, keepAttempt } from "./attempts.ts";
import { formOf, type Order } from "./order.ts";
import type { Payer } from "./payer.ts";
import { Stopped } from "./stopped.ts";

/** How a purchase is told of, and asks. */
export interface Till {
  signal: AbortSignal;
  /** Says what goes on. */
  tell(words: string): void;
  /** Shows how much has been uploaded, 0 to 1. */
  showProgress(share: number): void;
  /** Has the reader choose who pays. */
  choosePayer(): Promise<Payer>;
}

/** An answer that is a problem (RFC 9457), or a 402 in x402's own shape. */
interface Refusal {
  code?: string;
  detail?: string;
  error?: string;
  /** Of Retry-After; 0 without one. */
  seconds: number;
}

/** Problems that pass by themselves: what the call waits for goes on meanwhile. */
const PASSING: Record<string, string> = {
  settlement_pending: "The payment is on its way, and not confirmed yet.",
  payment_in_progress: "The payment is being worked with.",
  too_busy: "The service is busy.",
};
/** Problems of a payment or key whose link has ended. */
const SPENT = ["payment_already_used", "idempotency_key_reused"];

/**
 * Buys an order. What was tried for it before is tried again, under the same key and with the same payment.
 * @throws Stopped with words for the reader
 * @throws DOMException AbortError if it was cancelled
 */
export async function buy(order: Order, attempt: Attempt, till: Till): Promise<Bought> {
  let isOld = attempt.payment !== undefined;
  for (;;) {
    if (!attempt.payment) keepAttempt(Object.assign(attempt, { payment: await sign(order.path, till) }));
    const answer = await upload(order, attempt, till);
    if (answer.ok) return (await answer.json()) as Bought;

    const refusal = await refusalIn(answer);
    const { code = "" } = refusal;
    if (answer.status === 402) {
      keepAttempt(Object.assign(attempt, { payment: undefined }));
      if (!isOld) throw new Stopped(`The payment was refused: ${wordsOf(refusal)} Nothing was charged.`);
      isOld = false; // it was never used, and its time is over
    } else if (code in PASSING) {
      await waitFor(refusal.seconds || 5, PASSING[code]!, till);
    } else {
      if (!SPENT.includes(code)) throw new Stopped(wordsOf(refusal));
      dropAttempt(attempt);
      throw new Stopped("The link that was bought has ended. To have the file once more is a new purchase.");
    }
  }
}

async function sign(path: string, till: Till): Promise<Record<string, string>> {
  const payer = await till.choosePayer();
  const { termsOf } = await import("./payer.ts");
  const terms = await termsOf(path).catch(async (thrown: unknown) => {
    if (thrown instanceof Response) throw new Stopped(wordsOf(await refusalIn(thrown)));
    throw new Stopped("The service cannot be reached. Nothing was charged; try again in a while.");
  });
  till.signal.throwIfAborted();
  const payment = await payer.sign(terms, (words) => till.signal.aborted || till.tell(words));
  till.signal.throwIfAborted();
  return payment;
}

async function upload(order: Order, { key, payment }: Attempt, till: Till): Promise<Response> {
  let isSent = false;
  till.tell("Uploading the file …");
  till.showProgress(0);
  const onProgress = (share: number) => {
    till.showProgress(share);
    if (isSent || share < 1) return;
    isSent = true;
    till.tell("Marking, storing and settling …");
  };
  const headers = { ...payment, "Idempotency-Key": key };
  return send("POST", order.path, formOf(order), headers, { signal: till.signal, onProgress }).catch(
    (error: unknown) => {
      if (till.signal.aborted) throw error;
      throw new Stopped(`${isSent ? "The answer" : "The connection"} was lost. Try again: nothing is charged twice.`);
    },
  );
}

async function refusalIn(answer: Response): Promise<Refusal> {
  const seconds = Number(answer.headers.get("Retry-After"));
  const problem = await answer.json().catch(() => ({ detail: `The answer was a ${answer.status}.` }));
  return { ...(problem as Refusal), seconds };
}

function wordsOf({ detail, error, seconds }: Refusal): string {
  const words = detail ?? error ?? "no reason was given";
  const sentence = /[.!?]$/.test(words) ? words : `${words}.`;
  return seconds > 0 ? `${sentence} Try again in ${seconds} seconds.` : sentence;
}

/** Waits, and says so, for as long as the service asks for. */
async function waitFor(seconds: number, why: string, { tell, signal }: Till): Promise<void> {
  tell(`${why} This page asks again in ${seconds} seconds.`);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

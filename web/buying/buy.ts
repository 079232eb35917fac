/** Runs a purchase, from the order to the link. Accesses the page only through {@link PurchaseView}. */

import { send } from "../send.ts";
import { type Attempt, type Bought, dropAttempt, excludeAttempt, saveAttempt } from "./attempts.ts";
import type { Order } from "./order.ts";
import type { Payer } from "./payer.ts";
import { Stopped } from "./stopped.ts";

/** The user interface of a purchase: shows progress and asks the visitor. */
export interface PurchaseView {
  signal: AbortSignal;
  /** Shows a message about the current step. */
  show(words: string): void;
  /** Shows how much of the file is uploaded, from 0 to 1. */
  showProgress(share: number): void;
  /** Shows that the link of the earlier purchase has ended. */
  showEnded(): void;
  /** Asks the visitor which wallet pays. */
  choosePayer(): Promise<Payer>;
}

/** An error answer: a problem (RFC 9457), or a 402 in the format of x402. */
interface Refusal {
  code?: string;
  detail?: string;
  error?: string;
  /** Value of the Retry-After header, or 0 if the header is missing. */
  seconds: number;
}

const UNREACHABLE = "The service cannot be reached. Nothing was charged. Try again.";
/** Temporary problems. The purchase waits and retries the same call. */
const TEMPORARY: Record<string, string> = {
  settlement_pending: "The payment is sent but not confirmed yet.",
  payment_in_progress: "The payment is being processed.",
  too_busy: "The service is busy.",
};

/**
 * Buys an order. Retries an earlier attempt with the same key and payment.
 * @throws Stopped with a message for the visitor
 * @throws DOMException AbortError if the visitor canceled
 */
export async function buy(order: Order, attempt: Attempt, view: PurchaseView): Promise<Bought> {
  let isOld = attempt.payment !== undefined;
  for (;;) {
    if (!attempt.payment) saveAttempt(Object.assign(attempt, { payment: await sign(order.path, view) }));
    const answer = await upload(order, attempt, view);
    if (answer.ok) return (await answer.json()) as Bought;

    const refusal = await refusalIn(answer);
    const { code = "" } = refusal;
    if (answer.status === 402) {
      saveAttempt(Object.assign(attempt, { payment: undefined }));
      if (!isOld) throw new Stopped(`The payment was rejected: ${wordsOf(refusal)} Nothing was charged.`);
      isOld = false; // the payment of an earlier attempt was not used and has expired, so a new one is signed
    } else if (code in TEMPORARY) {
      await waitFor(refusal.seconds || 5, TEMPORARY[code]!, view);
    } else if (code === "idempotency_key_reused") {
      excludeAttempt(attempt, order.password);
      throw new Stopped(
        "Your earlier purchase of this file used another password. Nothing was charged now. Press the button again to get the file with this password.",
      );
    } else {
      if (code !== "payment_already_used") throw new Stopped(wordsOf(refusal));
      dropAttempt(attempt);
      view.showEnded();
      throw new Stopped("The link that you bought has expired or was revoked. Buy the file again to get a new link.");
    }
  }
}

/**
 * Loads the code that signs payments.
 * @throws Stopped if the code cannot be loaded
 */
export function loadPayers(): Promise<typeof import("./payer.ts")> {
  return import("./payer.ts").catch(() => {
    throw new Stopped(UNREACHABLE);
  });
}

async function sign(path: string, view: PurchaseView): Promise<Record<string, string>> {
  const payer = await view.choosePayer();
  const { termsOf } = await loadPayers();
  const terms = await termsOf(path).catch(async (thrown: unknown) => {
    throw new Stopped(thrown instanceof Response ? wordsOf(await refusalIn(thrown)) : UNREACHABLE);
  });
  view.signal.throwIfAborted();
  const payment = await payer.sign(terms, (words) => view.signal.aborted || view.show(words));
  view.signal.throwIfAborted();
  return payment;
}

async function upload(order: Order, { key, payment }: Attempt, view: PurchaseView): Promise<Response> {
  let isSent = false;
  const marking = "Marking the file and settling the payment …";
  view.show(order.bytes > 0 ? "Uploading the file …" : marking);
  view.showProgress(0);
  const onProgress = (share: number) => {
    view.showProgress(share);
    if (isSent || share < 1) return;
    isSent = true;
    view.show(marking);
  };
  const headers = { ...payment, "Idempotency-Key": key };
  return send("POST", order.path, order.form(), headers, { signal: view.signal, onProgress }).catch(
    (error: unknown) => {
      if (view.signal.aborted) throw error;
      throw new Stopped(
        `${isSent ? "The answer" : "The connection"} was lost. Try again: you will not be charged twice.`,
      );
    },
  );
}

async function refusalIn(answer: Response): Promise<Refusal> {
  const seconds = Number(answer.headers.get("Retry-After"));
  const problem = await answer.json().catch(() => ({ detail: `The service answered with status ${answer.status}.` }));
  return { ...(problem as Refusal), seconds };
}

function wordsOf({ detail, error, seconds }: Refusal): string {
  const words = detail ?? error ?? "no reason was given";
  const sentence = /[.!?]$/.test(words) ? words : `${words}.`;
  return seconds > 0 ? `${sentence} Try again in ${seconds} seconds.` : sentence;
}

/** Shows the reason for waiting, and waits for the number of seconds that the service requested. */
async function waitFor(seconds: number, why: string, { show, signal }: PurchaseView): Promise<void> {
  show(`${why} This page tries again in ${seconds} seconds.`);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

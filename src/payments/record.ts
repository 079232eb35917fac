import type { Settlement } from "./facilitator.ts";
import type { PaymentPayload } from "./paymentPayload.ts";

/**
 * What became of one payment, as the ledger stores it. One record per payment (`paymentKey`), in the single key `entry`.
 *
 * | state    | means                                                      | leaves to                                                            |
 * |----------|------------------------------------------------------------|----------------------------------------------------------------------|
 * | (none)   | never seen; or its work failed, or its settlement refused  | `claim`: claimed                                                     |
 * | claimed  | one call is working for it, until its lease ends           | `store`: stored; `release`: (none); lease over: (none)               |
 * | stored   | the output is kept, nothing has been asked of the payer    | `settle`: settling; lease over: stored, for the next same call to settle; authorization over: (none), output deleted |
 * | settling | the facilitator has been asked to move the money           | answer: settled, or (none) with the output deleted; no answer: settling, and the alarm asks again |
 * | settled  | the money has moved: the result is the payer's             | alarm, a day after both link and authorization have ended: (none)    |
 *
 * `settling` is written before the question leaves, so whoever dies, the alarm goes on from there with the same payment.
 */
export type Entry =
  | ({ state: "claimed"; claim: string; leaseEnds: number } & Call)
  | ({ state: "stored"; claim: string; leaseEnds: number; work: StoredWork } & Call)
  | ({
      state: "settling";
      work: StoredWork;
      attempts: number;
      firstAsked: number;
      nextAt: number;
      transaction: string;
    } & Call)
  | ({ state: "settled"; work: StoredWork; transaction: string } & Call);

/** What a claim is made for. */
export interface Call {
  /** `fingerprintOf` the request. */
  fingerprint: string;
  payment: PaymentPayload;
  /** Name of the facilitator that verified the payment, and so has to settle it. */
  facilitator: string;
  /** Of the call that claimed it, for the log. */
  requestId: string;
}

/** The result of the work, to be given once the payment is settled. */
export interface StoredWork {
  /** JSON of the value that the caller gets. */
  value: string;
  /** Id of the output in storage, to be deleted where it can't be given. */
  output: string;
  /** When the link ends, Unix milliseconds. */
  expiresAt: number;
}

/**
 * Why nothing came of a claim, told to all who wait for it: the payment was refused, for a reason; or the work failed, with
 * an error as `Sale.errors` writes it.
 */
export type Failure = { reason: string } | { error: string };

/**
 * What a payment is worth to whoever presents it with a request.
 * - `free`: it can be claimed
 * - `yours`: claimed; `stored` where a call that died has left its output, so that only settling is left
 * - `sold`: settled for this very request, and the result is to be given
 * - `spent`: settled, for another request or for a link that has ended
 * - `taken`: held by another request
 * - `busy`: another call is working on this very request
 * - `pending`: it is being settled for this very request, and the outcome is not known yet
 * - `failed`: what was waited for has failed
 */
export type PaymentStatus =
  | { status: "free" | "spent" | "taken" | "busy" | "pending" }
  | { status: "yours"; claim: string; stored: boolean }
  | { status: "sold"; value: string; transaction: string }
  | { status: "failed"; failure: Failure };

const DAY_MS = 86_400_000;
/** Past this many milliseconds a Date has no value; such a record is kept for good. */
const MAX_DATE_MS = 8.64e15;
/** How long a refusal is doubted of a payment that may have been settled before. */
const DOUBT_MS = 600_000;
/** How long a call that has stored its output may take to settle it. */
export const SETTLE_LEASE_MS = 60_000;

/** The status of a payment with this entry for a request, at `now` (Unix milliseconds). */
export function statusOf(entry: Entry | undefined, fingerprint: string, now: number): PaymentStatus {
  const same = entry?.fingerprint === fingerprint;
  switch (entry?.state) {
    case undefined:
      return { status: "free" };
    case "claimed":
      if (entry.leaseEnds <= now) return { status: "free" };
      return { status: same ? "busy" : "taken" };
    case "stored":
      if (!same) return { status: "taken" };
      return { status: entry.leaseEnds <= now ? "free" : "busy" };
    case "settling":
      return { status: same ? "pending" : "taken" };
    case "settled":
      if (!same || entry.work.expiresAt <= now) return { status: "spent" };
      return { status: "sold", value: entry.work.value, transaction: entry.transaction };
  }
}

/** When the record has something to do by itself, Unix milliseconds; undefined for never. */
export function wakesAt(entry: Entry): number | undefined {
  switch (entry.state) {
    case "claimed":
      return entry.leaseEnds;
    case "stored":
      return dated(Math.max(entry.leaseEnds, authorizationEnds(entry)));
    case "settling":
      return entry.nextAt;
    case "settled":
      return dated(Math.max(entry.work.expiresAt, authorizationEnds(entry)) + DAY_MS);
  }
}

/** What an answer of the facilitator makes of a payment that is being settled. */
type Conclusion =
  | { conclusion: "settled"; transaction: string }
  | { conclusion: "refused"; reason: string }
  | { conclusion: "again"; transaction: string };

/**
 * Reads the facilitator's answer. A refusal proves that no money moved only where nothing was asked before: the payer's
 * authorization can be consumed once, so after an attempt that ended without an answer, the next one is refused exactly
 * where the first went through. The payer must not be left without a result then, so doubt goes their way:
 *
 * | answer   | to the first attempt | after an attempt without an answer                                             |
 * |----------|----------------------|--------------------------------------------------------------------------------|
 * | settled  | settled              | settled                                                                        |
 * | used     | settled              | settled: the authorization pays nobody but us, and verified a moment ago       |
 * | reverted | refused              | settled: what the chain does to one it has consumed                            |
 * | refused  | refused              | again; settled, once the authorization or ten minutes have run out (in doubt)  |
 * | unknown  | again                | again, until the link's life is over; nothing is given as long as nothing is known |
 *
 * Doubt can give a result for nothing: to a payer who cancels the authorization in the moment between the last verification
 * and the settlement, or empties the wallet while the facilitator is failing. The other way round it would keep the money
 * of one whose facilitator asked the chain twice, or counts the funds before it looks at the authorization.
 */
export function conclude(entry: Entry & { state: "settling" }, answer: Settlement, now: number): Conclusion {
  const first = entry.attempts === 1;
  switch (answer.outcome) {
    case "settled":
      return { conclusion: "settled", transaction: answer.transaction };
    case "used":
      return { conclusion: "settled", transaction: entry.transaction };
    case "reverted":
    case "refused": {
      if (first) return { conclusion: "refused", reason: answer.reason };
      const doubtEnds = Math.min(authorizationEnds(entry), entry.firstAsked + DOUBT_MS);
      if (answer.outcome === "reverted" || now >= doubtEnds)
        return { conclusion: "settled", transaction: entry.transaction };
      return { conclusion: "again", transaction: entry.transaction };
    }
    case "unknown":
      return { conclusion: "again", transaction: answer.transaction ?? entry.transaction };
  }
}

/** How long to wait after attempt number `attempts` without an answer: 2 s, doubled each time, to a minute, to an hour. */
export function backoffMs(attempts: number): number {
  const patient = attempts > 12;
  return Math.min(1000 * 2 ** attempts, patient ? 3_600_000 : 60_000);
}

/** When the payer's authorization ends, Unix milliseconds. */
export function authorizationEnds({ payment }: Call): number {
  return Number(payment.authorization.validBefore) * 1000;
}

function dated(ms: number): number | undefined {
  return ms < MAX_DATE_MS ? ms : undefined;
}

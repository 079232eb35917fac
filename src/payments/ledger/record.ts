import type { Evidence } from "../chain/chain.ts";
import type { Settlement } from "../facilitators/facilitator.ts";
import type { PaymentPayload } from "../wire/paymentPayload.ts";

/**
 * The state of one payment as the ledger stores it: one record per payment (`paymentKey`), in the single key `entry`.
 *
 * | state    | meaning                              | event                                 | next state             |
 * |----------|--------------------------------------|---------------------------------------|------------------------|
 * | (none)   | never seen, failed, or forgotten     | `claim`                               | claimed                |
 * | claimed  | one call is working under a lease    | `settle`, with the output             | settling               |
 * |          |                                      | `release`, or lease over              | (none)                 |
 * | settling | facilitator asked to move the money  | it moved, as `conclude` proves        | settled                |
 * |          |                                      | it did not and will not               | (none), output deleted |
 * |          |                                      | it is used, or the chain rejected it  | exposed, with a node   |
 * |          |                                      | the same without a node; link over    | burned, output deleted |
 * |          |                                      | not known: `doubt`; or not processed  | settling, alarm asks   |
 * | exposed  | not by us, but others may move it    | the chain shows that they have        | settled                |
 * |          |                                      | it can't happen any more; link over   | burned, output deleted |
 * | burned   | public, and not to be used any more  | authorization over                    | (none)                 |
 * | settled  | money moved, result is the payer's   | the day's book has the sale           | settled, booked        |
 * |          |                                      | booked, and link and authorization    | (none)                 |
 * |          |                                      | over for a day                        |                        |
 *
 * `settling` is written before the facilitator is asked, so after a crash the alarm continues with the same payment.
 * `exposed` asks only the chain.
 */
export type Entry =
  | ({ state: "claimed"; claim: string; leaseEnds: number } & Call)
  | ({
      state: "settling";
      work: StoredWork;
      attempts: number;
      /** Whether an earlier attempt may have moved the money. */
      doubt: boolean;
      firstAsked: number;
      nextAt: number;
      transaction: string;
    } & Call)
  | ({ state: "exposed"; work: StoredWork; attempts: number; firstAsked: number; nextAt: number } & Call)
  | ({ state: "burned" } & Call)
  | ({
      state: "settled";
      work: StoredWork;
      transaction: string;
      settledAt: number;
      /** It was sold on the facilitator's word: nothing shows that the money has moved. */
      unproved?: true;
      /** Until the book of its day has the sale: how often that has failed, and when the alarm tries it again. */
      unbooked?: { attempts: number; nextAt: number };
    } & Call);

/** The call that a claim is made for. */
export interface Call {
  /** Identifies the request. */
  fingerprint: string;
  payment: PaymentPayload;
  /** Name of the facilitator that verified the payment, and that must settle it. */
  facilitator: string;
  /** The accounts that its transactions on an EVM chain come from, in lower case; none if it has not said. */
  signers: readonly string[];
  /** Of the call that claimed the payment, for the log. */
  requestId: string;
}

/** What a settled payment has bought, as long as its link works. Points in time are Unix milliseconds. */
export interface Purchase {
  /** JSON of the value that the caller got. */
  value: string;
  /** Of the call that claimed the payment. */
  requestId: string;
  settledAt: number;
  expiresAt: number;
  transaction: string;
  /** CAIP-2. */
  network: string;
}

/** The result of the work, delivered once the payment is settled. */
export interface StoredWork {
  /** JSON of the value that the caller gets. */
  value: string;
  /** Id of the output in storage; deleted if it cannot be delivered. */
  output: string;
  /** When the link expires, Unix milliseconds. */
  expiresAt: number;
}

/**
 * Why a claim failed, as told to all calls that wait for it: the reason the payment was refused, or the error of the
 * work as `SaleTerms.errors` writes it.
 */
export type Failure = { reason: string } | { error: string };

/**
 * The status of a payment for the request it comes with.
 * - `free`: it can be claimed
 * - `yours`: claimed by this call
 * - `sold`: settled for the same request; the result can be delivered. The money is known to have moved at `provedAt`
 * - `withheld`: being settled, or settled, for whatever request: what the caller has shown may be public by now
 * - `spent`: settled, but for another request or for a link that has ended; or burned
 * - `taken`: in use for another request
 * - `busy`: another call is working on the same request
 * - `pending`: being settled for the same request, with the outcome still unknown; it is `until` then that others may move
 *   the money, where we could not
 * - `failed`: the work or settlement that was waited for has failed
 */
export type PaymentStatus =
  | { status: "free" | "spent" | "taken" | "busy" | "withheld" }
  | { status: "pending"; until?: number }
  | { status: "yours"; claim: string }
  | { status: "sold"; value: string; transaction: string; provedAt: number | undefined }
  | { status: "failed"; failure: Failure };

const DAY_MS = 86_400_000;
/** The latest time a Date can hold, in milliseconds. A record due later than this is kept forever. */
const MAX_DATE_MS = 8.64e15;
/** The chain's clock, read a few blocks late, has passed the end of an authorization by then. */
const CHAIN_LAG_MS = 10_000;

/** Returns the status of a payment with this entry for a request, at `now` (Unix milliseconds). */
export function statusOf(entry: Entry | undefined, fingerprint: string, now: number): PaymentStatus {
  const same = entry?.fingerprint === fingerprint;
  switch (entry?.state) {
    case undefined:
      return { status: "free" };
    case "claimed":
      if (entry.leaseEnds <= now) return { status: "free" };
      return { status: same ? "busy" : "taken" };
    case "settling":
      return { status: same ? "pending" : "taken" };
    case "exposed":
      return same ? { status: "pending", until: lapsesAt(entry) } : { status: "taken" };
    case "burned":
      return { status: "spent" };
    case "settled":
      if (!same || entry.work.expiresAt <= now) return { status: "spent" };
      return {
        status: "sold",
        value: entry.work.value,
        transaction: entry.transaction,
        provedAt: entry.unproved ? undefined : entry.settledAt,
      };
  }
}

/**
 * Returns whether a payment may be on the chain, where everyone can read it: what the facilitator is given ends up in a
 * transaction's data, signature included.
 */
export function mayBePublic(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.state !== "claimed";
}

/** Returns when the record's alarm is due, in Unix milliseconds; undefined for never. */
export function wakesAt(entry: Entry): number | undefined {
  switch (entry.state) {
    case "claimed":
      return entry.leaseEnds;
    case "settling":
    case "exposed":
      return entry.nextAt;
    case "burned":
      return dated(authorizationEnds(entry));
    case "settled":
      return entry.unbooked?.nextAt ?? dated(Math.max(entry.work.expiresAt, authorizationEnds(entry)) + DAY_MS);
  }
}

/** What an answer means for a payment that is being settled. */
export type Conclusion =
  | { conclusion: "settled"; transaction: string }
  | { conclusion: "unproved"; transaction: string }
  | { conclusion: "exposed"; reason: string }
  | Refusal
  | { conclusion: "again"; transaction: string; doubt: boolean };

/** Why the money has not moved for us, and will not. */
export interface Refusal {
  conclusion: "refused" | "burned";
  reason: string;
}

/**
 * Interprets the answer of the facilitator, or of the chain. There is doubt once an attempt may have moved the money
 * without our hearing of it: a timeout, a 5xx, a broken answer. Without doubt nothing but `settled` is a payment: a used
 * authorization has been canceled, or has paid another service of the same seller. In doubt no refusal proves anything:
 * an attempt that went through makes the next ones fail, and so does a payer who cancels or empties the wallet. What the
 * chain rejected can be read there, and anyone could use it, as somebody may have what is used: it is exposed where that
 * would be seen, and else burned.
 *
 * | answer         | no doubt                                | doubt                                                     |
 * |----------------|-----------------------------------------|-----------------------------------------------------------|
 * | settled        | settled                                 | settled                                                   |
 * | used           | exposed; burned if that is not watched  | unproved: the chain decides, or a few times a day the word |
 * | reverted       | the same as used                        | the same as used                                          |
 * | simulated      | refused                                 | the same as used                                          |
 * | unsent         | again, in doubt; burned without a node  | the same as used                                          |
 * | refused        | refused                                 | again                                                     |
 * | unprocessed    | again; refused after the authorization  | again                                                     |
 * | unknown        | again, in doubt                         | again                                                     |
 * | lost (chain)   | not asked                               | refused                                                   |
 *
 * Exposed payments are watched with a node, where the facilitator names its accounts: see {@link concludeExposed}.
 */
export function conclude(
  entry: Entry & { state: "settling" },
  answer: Settlement | Evidence,
  now: number,
  hasNode: boolean,
): Conclusion {
  const { doubt, transaction } = entry;
  const watched = hasNode && entry.signers.length > 0;
  switch (answer.outcome) {
    case "settled":
      return { conclusion: "settled", transaction: answer.transaction };
    case "lost":
      return { conclusion: "refused", reason: answer.reason };
    case "used":
    case "reverted":
      if (doubt) return { conclusion: "unproved", transaction };
      return { conclusion: watched ? "exposed" : "burned", reason: answer.reason };
    case "unsent":
      if (doubt) return { conclusion: "unproved", transaction };
      // not without a node: "already used" would be believed next, and a wallet's contract can make sending fail
      if (hasNode) return { conclusion: "again", transaction, doubt: true };
      return { conclusion: "burned", reason: answer.reason };
    case "simulated":
      if (doubt) return { conclusion: "unproved", transaction };
      return { conclusion: "refused", reason: answer.reason };
    case "refused":
      return doubt ? { conclusion: "again", transaction, doubt } : { conclusion: "refused", reason: answer.reason };
    case "unprocessed":
      return doubt || now < authorizationEnds(entry)
        ? { conclusion: "again", transaction, doubt }
        : { conclusion: "refused", reason: answer.reason };
    case "unknown":
      return { conclusion: "again", transaction: answer.transaction ?? transaction, doubt: true };
  }
}

/**
 * Interprets what the chain shows, or does not yet, of a payment that our facilitator has not moved, and others may have:
 * a stranger who has read it there, or the payer. What one of the facilitator's accounts has sent was asked for by another
 * service of the same seller, which has sold something for it.
 */
export function concludeExposed(
  { signers }: Call,
  found: Evidence | undefined,
): { conclusion: "settled"; transaction: string } | Refusal | undefined {
  if (found?.outcome === "lost") return { conclusion: "burned", reason: found.reason };
  if (found?.sender === undefined) return undefined;
  return signers.includes(found.sender)
    ? { conclusion: "burned", reason: "nonce_already_used: it has paid for something at another service" }
    : { conclusion: "settled", transaction: found.transaction };
}

/** Returns when a payment cannot buy its result any more: its authorization has ended, or its link would have. */
function lapsesAt(entry: Call & { work: StoredWork }): number {
  return Math.min(authorizationEnds(entry), entry.work.expiresAt);
}

/** Returns when to ask the chain again about an exposed payment, in Unix milliseconds. */
export function nextLookAt(entry: Call & { work: StoredWork; attempts: number }, now: number): number {
  const over = lapsesAt(entry) + CHAIN_LAG_MS;
  const next = now + backoffMs(entry.attempts);
  return now < over ? Math.min(next, over) : next;
}

/**
 * Returns how long to wait after attempt number `attempts`, in milliseconds: 2 s, doubled each time up to a minute; an
 * hour after more than twelve attempts.
 */
export function backoffMs(attempts: number): number {
  const patient = attempts > 12;
  return Math.min(1000 * 2 ** attempts, patient ? 3_600_000 : 60_000);
}

/** Returns when the payer's authorization expires, in Unix milliseconds. */
function authorizationEnds({ payment }: Call): number {
  return Number(payment.authorization.validBefore) * 1000;
}

function dated(ms: number): number | undefined {
  return ms < MAX_DATE_MS ? ms : undefined;
}

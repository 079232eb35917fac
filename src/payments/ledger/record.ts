import type { Evidence } from "../chain/chain.ts";
import type { Settlement } from "../facilitators/facilitator.ts";
import type { PaymentPayload } from "../wire/paymentPayload.ts";

/**
 * The state of one payment, as the ledger stores it. There is one record per payment (`paymentKey`), under the storage
 * key `entry`. The names of states and fields are stored data, so renaming one breaks existing records.
 *
 * | state    | meaning                                       | event                              | next state             |
 * |----------|-----------------------------------------------|------------------------------------|------------------------|
 * | (none)   | never seen, failed, or forgotten              | `claim`                            | claimed                |
 * | claimed  | one call works on the request under a lease   | `settle`, with the output          | settling               |
 * |          |                                               | `release`, or the lease expires    | (none)                 |
 * | settling | the facilitator was asked to settle           | settled                            | settled                |
 * |          |                                               | refused for good                   | (none), output deleted |
 * |          |                                               | used or rejected, and watched      | exposed                |
 * |          |                                               | used or rejected, and not watched  | burned, output deleted |
 * |          |                                               | outcome unknown, or not processed  | settling (retried)     |
 * |          |                                               | link expires                       | burned                 |
 * | exposed  | the attempt failed, but the payment is public | the chain shows a transfer         | settled                |
 * |          | and others may still submit it                | the chain rules a transfer out     | burned, output deleted |
 * |          |                                               | link expires                       | burned                 |
 * | burned   | public and unpaid, so never accepted again    | authorization expires              | (none)                 |
 * | settled  | money moved, and the result is the payer's    | the daybook has the sale           | settled, booked        |
 * |          |                                               | booked, and expired for a day      | (none)                 |
 *
 * {@link conclude} chooses among the events of `settling`, and {@link concludeExposed} among the events of `exposed`. A
 * payment is watched if a node of its chain is configured and its facilitator publishes its accounts. A settled payment
 * is expired once both its link and its authorization have expired.
 *
 * `settling` is stored before the facilitator is asked, so the alarm continues with the same payment after a crash.
 * In `exposed` the alarm asks only the chain, never the facilitator.
 */
export type Entry = ClaimedEntry | SettlingEntry | ExposedEntry | BurnedEntry | SettledEntry;

interface ClaimedEntry extends Call {
  state: "claimed";
  /** Random id of the claim. */
  claim: string;
  leaseEnds: number;
}

/** A payment that the facilitator is being asked to settle. */
export interface SettlingEntry extends Call {
  state: "settling";
  work: StoredWork;
  attempts: number;
  /** Whether an earlier attempt may have moved the money although the facilitator's answer did not report it. */
  doubt: boolean;
  /** Start of the first attempt. */
  firstAsked: number;
  /** Time of the next attempt. */
  nextAt: number;
  /** Hash of the transaction that may have moved the money; empty if unknown. */
  transaction: string;
}

/** A payment that the service could not settle, but that others may still submit to the chain. */
export interface ExposedEntry extends Call {
  state: "exposed";
  work: StoredWork;
  /** Number of chain look-ups. */
  attempts: number;
  /** Start of the first settlement attempt. */
  firstAsked: number;
  /** Time of the next chain look-up. */
  nextAt: number;
}

interface BurnedEntry extends Call {
  state: "burned";
}

/** A payment that has bought its result. */
export interface SettledEntry extends Call {
  state: "settled";
  work: StoredWork;
  transaction: string;
  settledAt: number;
  /** Whether the sale lacks proof that the money moved. Then only the facilitator's answer shows the settlement. */
  unproved?: true;
  /** Retry state of the daybook entry. Removed once the daybook has the sale. */
  unbooked?: { attempts: number; nextAt: number };
}

/** The call that claimed the payment. */
export interface Call {
  /** Identifies the request that the payment pays for. */
  fingerprint: string;
  payment: PaymentPayload;
  /** Name of the facilitator that verified the payment and must also settle it. */
  facilitator: string;
  /**
   * The accounts from which the facilitator sends transactions on an EVM chain, in lower case. Empty if the facilitator
   * does not publish its accounts.
   */
  signers: readonly string[];
  /** Id of the call in the log. */
  requestId: string;
}

/** The result that a settled payment has bought and whose link still works. Times are Unix milliseconds. */
export interface Purchase {
  /** The delivered value, as JSON. */
  value: string;
  /** Id of the call that claimed the payment. */
  requestId: string;
  settledAt: number;
  expiresAt: number;
  transaction: string;
  /** CAIP-2 id of the chain. */
  network: string;
}

/** The result of the work, delivered once the payment is settled. */
export interface StoredWork {
  /** The value to deliver, as JSON. */
  value: string;
  /** Id of the output in storage. If the output cannot be delivered, it is deleted. */
  output: string;
  /** Expiry of the link, Unix milliseconds. */
  expiresAt: number;
  /**
   * Names of the Durable Objects of the keys that were bound to the payment before its settlement. A backup uses the
   * names to read these objects.
   */
  keys?: readonly string[];
}

/**
 * The cause of a failed claim, as reported to every call that waits for the claim. `reason` says why the payment was
 * refused. `error` is the error of the work, converted to text by `SaleTerms.errors`.
 */
export type Failure = { reason: string } | { error: string };

/**
 * The status of a payment from the viewpoint of one request.
 *
 * | status           | meaning                                                                           |
 * |------------------|-----------------------------------------------------------------------------------|
 * | `free`           | the payment can be claimed                                                        |
 * | `claimed`        | the asking call holds the claim                                                   |
 * | `in_progress`    | another call is working on the same request                                       |
 * | `reserved`       | in use for another request                                                        |
 * | `pending`        | being settled for the same request; the outcome is unknown. `until` is set if the |
 * |                  | payment is exposed: others may submit it until then                               |
 * | `sold`           | settled for the same request, so the result can be delivered. `isProved` is false |
 * |                  | if only the facilitator's word says that the money has moved                      |
 * | `spent`          | cannot buy a result: settled for another request (`boughtOther` is set), settled  |
 * |                  | for the same request whose link has expired or whose result is no longer stored   |
 * |                  | (`lostBy` is the transaction), or burned                                          |
 * | `proof_required` | submitted for settlement, so the payment may be public and proves nothing. The    |
 * |                  | caller must prove in another way to be the payer                                  |
 * | `failed`         | the work or the settlement that the caller waited for has failed                  |
 */
export type PaymentStatus =
  | { status: "free" | "reserved" | "in_progress" | "proof_required" }
  | { status: "spent"; boughtOther?: true; lostBy?: string }
  | { status: "pending"; until?: number }
  | { status: "claimed"; claim: string }
  | { status: "sold"; value: string; transaction: string; settledAt: number; isProved: boolean }
  | { status: "failed"; failure: Failure };

const DAY_MS = 86_400_000;
/** The latest time a Date can hold, in milliseconds. A record that would be deleted after this time is kept forever. */
const MAX_DATE_MS = 8.64e15;
/**
 * Delay between the expiry of an exposed payment and the last look-up on the chain, in milliseconds. The chain's time
 * comes from a block below the newest one, so it lags behind. The delay lets the chain's time pass the expiry.
 */
const CHAIN_LAG_MS = 10_000;

/**
 * Returns the status of a payment for a request, at `now` (Unix milliseconds). `entry` is the payment's entry in the
 * ledger.
 */
export function statusOf(entry: Entry | undefined, fingerprint: string, now: number): PaymentStatus {
  const isSameRequest = entry?.fingerprint === fingerprint;
  switch (entry?.state) {
    case undefined:
      return { status: "free" };
    case "claimed":
      if (entry.leaseEnds <= now) return { status: "free" };
      return { status: isSameRequest ? "in_progress" : "reserved" };
    case "settling":
      return { status: isSameRequest ? "pending" : "reserved" };
    case "exposed":
      return isSameRequest ? { status: "pending", until: usableUntil(entry) } : { status: "reserved" };
    case "burned":
      return { status: "spent" };
    case "settled":
      if (!isSameRequest) return { status: "spent", boughtOther: true };
      if (entry.work.expiresAt <= now) return { status: "spent" };
      return {
        status: "sold",
        value: entry.work.value,
        transaction: entry.transaction,
        settledAt: entry.settledAt,
        isProved: !entry.unproved,
      };
  }
}

/**
 * Returns whether the payment may be readable on the chain. A facilitator puts the whole payment, including its
 * signature, into the data of a transaction.
 */
export function mayBePublic(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.state !== "claimed";
}

/**
 * Returns the time at which the record's alarm is due, in Unix milliseconds. Returns undefined if the record needs no
 * alarm.
 */
export function alarmDueAt(entry: Entry): number | undefined {
  switch (entry.state) {
    case "claimed":
      return entry.leaseEnds;
    case "settling":
    case "exposed":
      return entry.nextAt;
    case "burned":
      return unlessBeyondDates(authorizationEnds(entry));
    case "settled":
      return (
        entry.unbooked?.nextAt ?? unlessBeyondDates(Math.max(entry.work.expiresAt, authorizationEnds(entry)) + DAY_MS)
      );
  }
}

/** The transition of a payment in `settling` that a facilitator's answer or the chain's evidence causes. */
export type Conclusion =
  | { conclusion: "settled"; transaction: string }
  | { conclusion: "unproved"; transaction: string }
  | { conclusion: "exposed"; reason: string }
  | Refusal
  | { conclusion: "retry"; transaction: string; doubt: boolean };

/** A conclusion that the seller has not received the money and never will. `reason` gives the cause. */
export interface Refusal {
  conclusion: "refused" | "burned";
  reason: string;
}

/**
 * Interprets an answer of the facilitator, or evidence from the chain.
 *
 * An entry is in doubt if an attempt may have moved the money, but the facilitator gave no usable answer: a timeout, a
 * 5xx, or a broken answer. If an entry is not in doubt, only `settled` proves a payment. A used authorization may have
 * been canceled, or may have paid another service of the same seller. If an entry is in doubt, no refusal proves
 * anything: a successful attempt makes all later attempts fail, and a payer can cancel the authorization or empty the
 * wallet.
 *
 * A transaction that the chain rejected is readable on the chain, so anyone can submit the payment again. Such a
 * payment is exposed if the ledger can watch it, and burned otherwise. The ledger can watch a payment if a node is
 * configured and the facilitator publishes its accounts.
 *
 * | answer | no doubt, watched | no doubt, node only | no doubt, no node | in doubt |
 * |-------------------|---------------------|---------------------|---------------------|----------|
 * | settled | settled | settled | settled | settled |
 * | used, reverted | exposed | burned | burned | unproved |
 * | simulated | refused | refused | refused | unproved |
 * | unsent | retry, now in doubt | retry, now in doubt | burned | unproved |
 * | refused | refused | refused | refused | retry |
 * | unprocessed | retry until expiry | retry until expiry | retry until expiry | retry |
 * | unknown | retry, now in doubt | retry, now in doubt | retry, now in doubt | retry |
 * | lost (from chain) | not asked | not asked | not asked | refused |
 *
 * If an entry is not in doubt, `unprocessed` is refused once the authorization has expired. `unproved` means that an
 * earlier attempt may have settled the payment: the answer would then be the same, but no other evidence shows a
 * transfer. With a node, the chain decides at the next attempt. Without a node, a few payments per payer and day are
 * sold on the facilitator's word.
 */
export function conclude(
  entry: SettlingEntry,
  answer: Settlement | Evidence,
  now: number,
  hasNode: boolean,
): Conclusion {
  const { doubt, transaction } = entry;
  const isWatched = hasNode && entry.signers.length > 0;
  switch (answer.outcome) {
    case "settled":
      return { conclusion: "settled", transaction: answer.transaction };
    case "lost":
      return { conclusion: "refused", reason: answer.reason };
    case "used":
    case "reverted":
      if (doubt) return { conclusion: "unproved", transaction };
      return { conclusion: isWatched ? "exposed" : "burned", reason: answer.reason };
    case "unsent":
      if (doubt) return { conclusion: "unproved", transaction };
      // Without a node, the payment is not retried. If the facilitator answered the retry with "already used", the
      // result would be sold, and a malicious contract wallet can provoke this answer.
      if (hasNode) return { conclusion: "retry", transaction, doubt: true };
      return { conclusion: "burned", reason: answer.reason };
    case "simulated":
      if (doubt) return { conclusion: "unproved", transaction };
      return { conclusion: "refused", reason: answer.reason };
    case "refused":
      return doubt ? { conclusion: "retry", transaction, doubt } : { conclusion: "refused", reason: answer.reason };
    case "unprocessed":
      return doubt || now < authorizationEnds(entry)
        ? { conclusion: "retry", transaction, doubt }
        : { conclusion: "refused", reason: answer.reason };
    case "unknown":
      return { conclusion: "retry", transaction: answer.transaction ?? transaction, doubt: true };
  }
}

/**
 * Interprets the chain's evidence about an exposed payment. Returns undefined while the evidence decides nothing. If
 * one of the facilitator's accounts sent the transfer, another service of the same seller requested the transfer and
 * has sold something for it. If any other account sent the transfer, the payer or a stranger submitted the payment. The
 * transfer then pays for this request.
 */
export function concludeExposed(
  { signers }: Call,
  found: Evidence | undefined,
): { conclusion: "settled"; transaction: string } | Refusal | undefined {
  if (found?.outcome === "lost") return { conclusion: "burned", reason: found.reason };
  if (found?.sender === undefined) return undefined;
  return signers.includes(found.sender)
    ? { conclusion: "burned", reason: "nonce_already_used: the payment was used at another service" }
    : { conclusion: "settled", transaction: found.transaction };
}

/**
 * Returns the time (Unix milliseconds) after which an exposed payment can no longer buy its result, because its
 * authorization or its link has expired.
 */
function usableUntil(entry: Call & { work: StoredWork }): number {
  return Math.min(authorizationEnds(entry), entry.work.expiresAt);
}

/** Returns the time at which to ask the chain again about an exposed payment, in Unix milliseconds. */
export function nextChainCheckAt(entry: Omit<ExposedEntry, "nextAt">, now: number): number {
  const over = usableUntil(entry) + CHAIN_LAG_MS;
  const next = now + backoffMs(entry.attempts);
  return now < over ? Math.min(next, over) : next;
}

/**
 * Returns the delay after attempt number `attempts`, in milliseconds. The delay starts at 2 s and doubles each time, up
 * to a minute. After more than twelve attempts the delay is an hour.
 */
export function backoffMs(attempts: number): number {
  const maxMs = attempts > 12 ? 3_600_000 : 60_000;
  return Math.min(1000 * 2 ** attempts, maxMs);
}

/** Returns the time at which the payer's authorization expires, in Unix milliseconds. */
function authorizationEnds({ payment }: Call): number {
  return Number(payment.authorization.validBefore) * 1000;
}

function unlessBeyondDates(ms: number): number | undefined {
  return ms < MAX_DATE_MS ? ms : undefined;
}

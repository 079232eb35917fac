/** Log events of payments. Each event is one line of the log and contains no secrets. */

/** The outcome of one call with a payment. */
export interface SaleEvent {
  event: "sale";
  request_id: string;
  /**
   * The outcome of the call:
   *
   * - `sold`: this call settled the payment
   * - `replayed`: an earlier or parallel call has paid for the result
   * - `payment_required`: the payment was refused
   * - any other value: the code of the error
   */
  outcome: string;
  operation: string;
  network: string;
  payer: string;
  /** Amount in atomic units of the token. */
  amount: string;
  /** The payment's identity, see `paymentKey`. */
  payment: string;
  transaction?: string;
  /** The reason for the refusal, if the payment was refused. */
  reason?: string;
  ms: number;
  /** Facts about the work, such as pages and bytes. */
  [fact: string]: unknown;
}

/**
 * The outcome of one settlement attempt, or the end of all attempts. A payment has at most one event with `settled` or
 * `unproved`.
 */
export interface SettlementEvent {
  event: "settlement";
  /** Id of the call that claimed the payment. */
  request_id: string;
  /**
   * The outcome of the settlement:
   *
   * - `settled`: the money has moved
   * - `unproved`: the result was sold because the facilitator reports the authorization as used, after an earlier
   *   answer of the facilitator was lost
   * - `refused`: the money has not moved and will not move
   * - `pending`: the answer was inconclusive, and the ledger retries. If `reason` is set, the settlement has failed,
   *   but others may still submit the payment. The ledger then asks the chain
   * - `unresolved`: the link expired before a conclusive answer
   */
  outcome: "settled" | "unproved" | "refused" | "pending" | "unresolved";
  attempts: number;
  network: string;
  payer: string;
  /** Amount in atomic units of the token. */
  amount: string;
  /** The payment's identity, see `paymentKey`. */
  payment: string;
  transaction?: string;
  reason?: string;
}

/** A change of a payment channel, other than a sale. */
export interface ChannelEvent {
  event: "channel";
  /** Name of the channel's Durable Object. */
  channel: string;
  network: string;
  payer: string;
  /**
   * The change of the channel:
   *
   * - `deposited`, `refunded`: the payer's money was paid into the channel, or returned to the payer
   * - `claimed`: the seller's claim is on the chain
   * - `transferred`: claimed amounts have reached the seller
   * - `claim_failed`: the claim is not on the chain; it is retried
   * - `withdrawal`: the payer has requested a withdrawal, so the channel sells nothing and is claimed at once
   */
  outcome: "deposited" | "refunded" | "claimed" | "transferred" | "claim_failed" | "withdrawal";
  /** Amount in atomic units of the token. */
  amount?: string | undefined;
  transaction?: string | undefined;
  reason?: string | undefined;
}

/** A call to a facilitator that yielded no verdict. */
interface FacilitatorEvent {
  event: "facilitator";
  request_id: string;
  host: string;
  call: "verify" | "settle";
  /** HTTP status of an answer without a verdict: other JSON, or any answer with a status of 500 or more. */
  status?: number;
  /** The error of a call that failed for any other reason: the connection, a timeout, or an answer that is not JSON. */
  error?: string;
}

/** A call to a chain's node that yielded no valid answer. */
interface ChainEvent {
  event: "chain";
  request_id: string;
  network: string;
  error: string;
}

/** Any log event of payments. */
export type PaymentEvent = SaleEvent | SettlementEvent | ChannelEvent | FacilitatorEvent | ChainEvent;

/** The log, and the id of the call whose events are logged. */
export interface EventContext {
  requestId: string;
  log(event: PaymentEvent): void;
}

/** Events that payments log. Each is one line of the log and contains nothing secret. */

/** The outcome of one call that came with a payment. */
export interface SaleEvent {
  event: "sale";
  request_id: string;
  /**
   * - `sold`: this call settled the payment
   * - `replayed`: the result was paid for earlier, or by another call running at the same time
   * - `payment_required`: the payment was refused
   * - anything else: the code of the failure
   */
  outcome: string;
  operation: string;
  network: string;
  payer: string;
  /** Atomic units. */
  amount: string;
  /** See `paymentKey`. */
  payment: string;
  transaction?: string;
  /** Why the payment was refused. */
  reason?: string;
  ms: number;
  /** Facts about the work: pages, bytes. */
  [fact: string]: unknown;
}

/** The outcome of one attempt to settle, or of giving up. A payment has at most one event with `settled` or `unproved`. */
export interface SettlementEvent {
  event: "settlement";
  /** Of the call that claimed the payment. */
  request_id: string;
  /**
   * - `settled`: the money has moved
   * - `unproved`: sold on the facilitator's word that the authorization is used, after an answer of it was lost
   * - `refused`: the money has not moved and will not
   * - `pending`: no conclusive answer, and the ledger asks again; with a `reason` it has not moved for us, but others may
   *   move it, and the chain is asked
   * - `unresolved`: no conclusive answer before the link expired
   */
  outcome: "settled" | "unproved" | "refused" | "pending" | "unresolved";
  attempts: number;
  network: string;
  payer: string;
  /** Atomic units. */
  amount: string;
  /** See `paymentKey`. */
  payment: string;
  transaction?: string;
  reason?: string;
}

/** A call of a facilitator that returned no verdict. */
interface FacilitatorEvent {
  event: "facilitator";
  request_id: string;
  host: string;
  call: "verify" | "settle";
  /** HTTP status of a JSON answer that is not a verdict. */
  status?: number;
  /** What failed otherwise: the connection, the timeout, or reading the answer as JSON. */
  error?: string;
}

/** A node of the chain that did not answer as expected. */
interface ChainEvent {
  event: "chain";
  request_id: string;
  network: string;
  error: string;
}

/** Any event that payments log. */
export type PaymentEvent = SaleEvent | SettlementEvent | FacilitatorEvent | ChainEvent;

/** The log that events go to, and the call they belong to. */
export interface EventContext {
  requestId: string;
  log(event: PaymentEvent): void;
}

/** What payments report as it happens. Each is one line of the log; nothing in them is secret. */

/** What became of one call that came with a payment. */
export interface SaleEvent {
  event: "sale";
  request_id: string;
  /**
   * - `sold`: this call's work, paid for by this call
   * - `replayed`: a result that was paid for before, or by another call that was under way
   * - `payment_required`: the payment was refused
   * - anything else: the code of the failure
   */
  outcome: string;
  operation: string;
  network: string;
  payer: string;
  /** Atomic units. */
  amount: string;
  /** `paymentKey`. */
  payment: string;
  transaction?: string;
  /** Why the payment was refused. */
  reason?: string;
  ms: number;
  /** Facts of the work: pages, bytes. */
  [fact: string]: unknown;
}

/** An answer to the question whether money moves. One payment has exactly one with `settled`, or none. */
export interface SettlementEvent {
  event: "settlement";
  /** Of the call whose work is paid. */
  request_id: string;
  /**
   * - `settled`: the money has moved
   * - `refused`: it has not, and will not
   * - `pending`: no answer; the ledger asks again
   * - `unresolved`: never answered, and the link's life is over
   */
  outcome: "settled" | "refused" | "pending" | "unresolved";
  attempts: number;
  network: string;
  payer: string;
  /** Atomic units. */
  amount: string;
  /** `paymentKey`. */
  payment: string;
  transaction?: string;
  reason?: string;
}

/** A facilitator that gave no verdict. */
interface FacilitatorEvent {
  event: "facilitator";
  request_id: string;
  host: string;
  call: "verify" | "settle";
  /** The HTTP status, where there was one. */
  status?: number;
  /** What went wrong, where there was none. */
  error?: string;
}

export type PaymentEvent = SaleEvent | SettlementEvent | FacilitatorEvent;

/** Where events go, and the call they belong to. */
export interface EventContext {
  requestId: string;
  log(event: PaymentEvent): void;
}

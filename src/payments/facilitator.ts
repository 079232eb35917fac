/** What a facilitator is to the rest: somebody who checks payments and moves the money. */
import type { PaymentPayload } from "./paymentPayload.ts";

/** Whether a payment is good. `unknown`: no verdict could be had. */
export type Verdict = { outcome: "valid" } | { outcome: "invalid"; reason: string } | { outcome: "unknown" };

/**
 * What became of a settlement.
 * - `settled`: the money has moved, in `transaction`
 * - `used`: the authorization has been consumed before; it pays nobody but us
 * - `refused`: it has not moved, and why
 * - `reverted`: the chain would not take it: for want of something, or because it has been consumed before
 * - `unknown`: it may have moved or not; `transaction` is what it may have moved in
 */
export type Settlement =
  | { outcome: "settled"; transaction: string }
  | { outcome: "used" | "refused" | "reverted"; reason: string }
  | { outcome: "unknown"; transaction?: string };

/** Checks that a payment is good, and settles it. Never throws: what can't be told is `unknown`. */
export interface FacilitatorClient {
  /** How the ledger finds it again: `facilitatorNamed`. */
  name: string;
  verify(payment: PaymentPayload): Promise<Verdict>;
  settle(payment: PaymentPayload): Promise<Settlement>;
}

/** The interface of facilitators: they verify payments and settle them. */
import type { Network } from "../wire/networks.ts";
import type { PaymentPayload } from "../wire/paymentPayload.ts";

/** Whether a payment is valid. `unknown`: the facilitator gave no verdict. */
export type Verdict = { outcome: "valid" } | { outcome: "invalid"; reason: string } | { outcome: "unknown" };

/**
 * The outcome of an attempt to settle.
 * - `settled`: the money has moved, in `transaction`
 * - `used`: the authorization is no longer good: used earlier, for us or for another service of the same seller, or
 *   canceled by the payer
 * - `refused`: this attempt has moved nothing, for `reason`
 * - `reverted`: the chain rejected the transaction, so that the authorization is public; it may be `used`
 * - `simulated`: the chain would have rejected the transaction, which was not sent; the authorization may be `used`
 * - `unsent`: the facilitator could not send the transaction, or has lost the answer of its node: it may move the money yet
 * - `unprocessed`: the facilitator has not taken up the request
 * - `unknown`: the money may or may not have moved; `transaction` is the one it may have moved in
 */
export type Settlement =
  | { outcome: "settled"; transaction: string }
  | { outcome: "used" | "refused" | "reverted" | "simulated" | "unsent" | "unprocessed"; reason: string }
  | { outcome: "unknown"; transaction?: string };

/** Verifies and settles payments. Its methods never throw: without an answer the outcome is `unknown`. */
export interface FacilitatorClient {
  /** Identifies the facilitator in the ledger; `facilitatorNamed` finds the client by it. */
  name: string;
  /** Returns the accounts that its transactions on an EVM chain come from, in lower case; none if it has not said. */
  signersOn(network: Network): readonly string[];
  /** @param unwanted aborted when nobody waits for the verdict any more */
  verify(payment: PaymentPayload, unwanted?: AbortSignal): Promise<Verdict>;
  settle(payment: PaymentPayload): Promise<Settlement>;
}

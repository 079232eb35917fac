/** Interface of a facilitator: a service that verifies x402 payments and settles them on the chain. */
import type { Network } from "../wire/networks.ts";
import type { PaymentPayload } from "../wire/paymentPayload.ts";

/** The verdict on a payment. `unknown` means that the facilitator gave none. */
export type Verdict = { outcome: "valid" } | { outcome: "invalid"; reason: string } | { outcome: "unknown" };

/**
 * The outcome of one attempt to settle.
 * - `settled`: `transaction` has moved the money
 * - `used`: the authorization is no longer valid. It was used earlier, for us or for another service of the same
 *   seller, or the payer canceled it
 * - `refused`: this attempt has moved nothing, for `reason`
 * - `reverted`: the chain rejected the transaction, so the authorization is public. It may be `used`
 * - `simulated`: a simulation failed, so the transaction was not sent. The authorization may be `used`
 * - `unsent`: the facilitator could not send the transaction or lost its node's answer. The transaction may still move
 *   the money
 * - `unprocessed`: the facilitator has not processed the request
 * - `unknown`: the money may or may not have moved, possibly in `transaction`
 */
export type Settlement =
  | { outcome: "settled"; transaction: string }
  | { outcome: "used" | "refused" | "reverted" | "simulated" | "unsent" | "unprocessed"; reason: string }
  | { outcome: "unknown"; transaction?: string };

/** Verifies and settles payments. The methods never throw: without an answer the outcome is `unknown`. */
export interface FacilitatorClient {
  /** Identifies the facilitator in the ledger. `facilitatorNamed` returns the client with this name. */
  name: string;
  /**
   * Returns the facilitator's sending accounts on an EVM chain, in lower case. Empty if the facilitator does not
   * publish them.
   */
  signersOn(network: Network): readonly string[];
  /** @param abandoned aborted when no caller waits for the verdict any more */
  verify(payment: PaymentPayload, abandoned?: AbortSignal): Promise<Verdict>;
  settle(payment: PaymentPayload): Promise<Settlement>;
}

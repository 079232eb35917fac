/** Interface of a facilitator: a service that verifies x402 payments and settles them on the chain. */
import type { Network } from "../wire/networks.ts";
import type { PaymentPayload } from "../wire/paymentPayload.ts";

/**
 * The verdict on a payment.
 *
 * - `rejected`: the facilitator rejects the request itself, without a verdict on the payment. Another facilitator may
 *   accept it
 * - `unknown`: the facilitator gave no verdict
 */
export type Verdict =
  | { outcome: "valid" }
  | { outcome: "invalid" | "rejected"; reason: string }
  | { outcome: "unknown" };

/**
 * The outcome of one attempt to settle.
 * - `settled`: `transaction` has moved the money
 * - `used`: the authorization is no longer valid. Either it was used earlier, by this or another service of the same
 *   seller, or the payer canceled it
 * - `refused`: this attempt has moved no money. `reason` gives the cause
 * - `reverted`: the chain rejected the transaction, so the authorization is public and may be `used`
 * - `simulated`: a simulation failed, so the transaction was not sent. The authorization may be `used`
 * - `unsent`: the facilitator could not send the transaction, or its node did not answer. The money may still move
 * - `unprocessed`: the facilitator has not processed the request
 * - `unknown`: the money may or may not have moved. `transaction` is the transaction that may have moved it, if known
 */
export type Settlement =
  | { outcome: "settled"; transaction: string }
  | { outcome: "used" | "refused" | "reverted" | "simulated" | "unsent" | "unprocessed"; reason: string }
  | { outcome: "unknown"; transaction?: string };

/**
 * Verifies and settles payments. The methods never throw. If the facilitator does not answer, the outcome is `unknown`.
 */
export interface FacilitatorClient {
  /** Identifies the facilitator in the ledger. `facilitatorNamed` returns the client with this name. */
  name: string;
  /**
   * Returns the accounts from which the facilitator sends transactions on an EVM chain, in lower case. The list is
   * empty if the facilitator does not publish its accounts.
   */
  signersOn(network: Network): readonly string[];
  /**
   * Returns the facilitator's verdict on a payment.
   * @param abandoned signal that is aborted once no call waits for the verdict
   */
  verify(payment: PaymentPayload, abandoned?: AbortSignal): Promise<Verdict>;
  settle(payment: PaymentPayload): Promise<Settlement>;
}

/** The payment sent with a call, and its record in the ledger. */

import type { Failure, PaymentStatus, StoredWork } from "../ledger/record.ts";
import { paymentKey } from "../wire/paymentPayload.ts";
import { verify } from "./admission.ts";
import { orInProgress } from "./answers.ts";
import type { LedgerRecord, SaleTerms } from "./saleTerms.ts";

/** Maximum time for which a call waits for another call with the same payment, or for a settlement, in milliseconds. */
const WAIT_MS = 25_000;

/** The payment of one call. Claims, releases and settles it on behalf of this call. */
export class OwnPayment {
  /** Name of the payment in the ledger, as `paymentKey` returns it. */
  readonly name: string;
  /** Time until which the call waits for other calls and for a settlement, Unix milliseconds. */
  readonly until: number;
  readonly #terms: Omit<SaleTerms<unknown>, "work">;
  readonly #record: LedgerRecord;
  #isPayerProven: boolean;

  /** Creates the payment of one call. @param began start of the sale, Unix milliseconds */
  constructor(terms: Omit<SaleTerms<unknown>, "work">, began: number) {
    this.name = paymentKey(terms.payment);
    this.until = began + WAIT_MS;
    this.#terms = terms;
    this.#record = terms.ledger.getByName(this.name);
    this.#isPayerProven = terms.admitted?.isPayerProven ?? false;
  }

  /**
   * Whether the caller is known to be the payer. The caller has sent the payment before it could be public, has signed
   * in, or has sent a key that is bound to the payment.
   */
  get isPayerProven(): boolean {
    return this.#isPayerProven;
  }

  /** Waits for the payment's status for this request. The default for `until` is the maximum wait of the call. */
  waitForStatus(until = this.until): Promise<PaymentStatus> {
    return orInProgress(this.#record.waitForStatus(this.#terms.fingerprint, until, this.#isPayerProven));
  }

  /**
   * Verifies and claims the payment if it is free, and returns its status. Asks for a sign-in if the payment may be
   * public.
   * @param isUnderKey whether the caller's key is bound to this payment, which proves the payer
   * @throws PaymentRequired if the facilitator refuses the payment, or the authorization's validity period does not fit
   * @throws PaymentError facilitator_unavailable, payment_in_progress, sign_in_refused
   */
  async claim(isUnderKey: boolean): Promise<PaymentStatus> {
    const { admitted, isSignedIn, now } = this.#terms;
    if (isUnderKey) this.#isPayerProven = true;
    // A payment that was verified at admission was free at that time. The claim reports any later change.
    let found: PaymentStatus = admitted?.verified ? { status: "free" } : await this.waitForStatus(now());
    if (found.status === "proof_required" && (await isSignedIn())) {
      this.#isPayerProven = true;
      found = await this.waitForStatus(now());
    }
    if (found.status === "proof_required") return found;

    this.#isPayerProven = true; // the caller has signed in, or has sent the payment before it could be public
    if (found.status !== "free") return found;
    return this.unlessUsed(
      () => this.#claimVerified(),
      (status) => status,
    );
  }

  async #claimVerified(): Promise<PaymentStatus> {
    const { payment, admitted, fingerprint, requestId, workMs, timed, now } = this.#terms;
    const facilitator = admitted?.verified ?? (await timed("verify", () => verify(this.#terms)));
    const call = {
      fingerprint,
      payment,
      facilitator: facilitator.name,
      signers: facilitator.signersOn(payment.chain),
      requestId,
    };
    return orInProgress(this.#record.claim(call, workMs, now()));
  }

  /** Releases a claim. A failed release is harmless, because the lease expires anyway. */
  release(claim: string, failure?: Failure): Promise<void> {
    return this.#record.release(claim, failure).catch(() => undefined);
  }

  /**
   * Settles the payment under a claim, and waits for the outcome. Returns undefined if another call has taken over the
   * claim.
   */
  async settle(claim: string, work: StoredWork): Promise<PaymentStatus | undefined> {
    const status = await this.#terms.timed("settle", () => orInProgress(this.#record.settle(claim, work)));
    return status?.status === "pending" ? this.waitForStatus() : status;
  }

  /**
   * Runs a step. If the step fails and another call has used the payment in the meantime, this use has probably caused
   * the failure. In this case, returns the result that `used` makes from the payment's new status.
   */
  async unlessUsed<R>(step: () => Promise<R>, used: (meanwhile: PaymentStatus) => R): Promise<R> {
    try {
      return await step();
    } catch (error) {
      const meanwhile = await this.waitForStatus();
      if (meanwhile.status === "free") throw error;
      return used(meanwhile);
    }
  }
}

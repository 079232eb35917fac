/**
 * The sale of one piece of work for one payment. A call runs these steps in this order: look up the payment and its
 * key, admit the payer, claim the payment, bind the caller's key, do the work, bind the default key while the output is
 * stored, settle, answer. The first two steps run before the request is read (`admission.ts`).
 */

import { assignKey, type Binding, keyNameOf, type StoredBinding } from "../ledger/keyBinding.ts";
import type { PaymentStatus, StoredWork } from "../ledger/record.ts";
import { PaymentError } from "../wire/errors.ts";
import type { SaleEvent } from "../wire/events.ts";
import type { Network } from "../wire/networks.ts";
import type { Receipt } from "../wire/offer.ts";
import { currentBinding, outcomeOf, saleEvent } from "./admission.ts";
import { keyReused, receiptFor, soldOrThrow } from "./answers.ts";
import { DefaultKey, PaidEarlier } from "./defaultKey.ts";
import { bindKey, LedgerChanged, statusUnderKey } from "./earlierPayment.ts";
import { OwnPayment } from "./ownPayment.ts";
import type { SaleTerms } from "./saleTerms.ts";

/** A delivered result. */
export interface Sold<T> {
  value: T;
  receipt: Receipt;
  /**
   * Whether an earlier payment under the same key or default key has paid. If so, the payment sent with this call is
   * not settled.
   */
  isPaidEarlier: boolean;
  /** Time of the settlement, Unix milliseconds. */
  settledAt: number;
  /**
   * The transfer that paid for the result. Undefined if only the facilitator's answer shows that the payment was
   * settled.
   */
  paid: Paid | undefined;
}

/** A transfer that the chain or the facilitator has confirmed. */
interface Paid {
  chain: Network;
  payer: string;
  /**
   * The channel and the cumulative amount of a sale in a payment channel. Undefined for other sales. A signed receipt
   * contains this text instead of the transaction.
   */
  reference?: string;
}

/** The state of a call between its steps. */
interface Progress {
  /** The last known status of the payment that determines the outcome of the call. */
  status: PaymentStatus;
  /** The claim to settle, and the finished work. Undefined if this call has not done the work. */
  done?: { claim: string; work: StoredWork };
  /**
   * The earlier payment under the call's key or default key, if this earlier payment determines the outcome of the
   * call.
   */
  paidBy?: StoredBinding;
}

/**
 * Sells one piece of work for one payment. Call {@link fulfill} first, then {@link settle}. Parallel and later calls
 * with the same payment and the same request get the same result. If the work throws, the payment is not charged and
 * stays usable. Each sale logs one {@link SaleEvent}.
 */
export class Sale<T> {
  readonly #terms: SaleTerms<T>;
  readonly #payment: OwnPayment;
  /** The default key of the request, if it applies. */
  readonly #defaultKey: DefaultKey | undefined;
  readonly #event: SaleEvent;
  readonly #began: number;
  #progress: Progress = { status: { status: "free" } };

  constructor(terms: SaleTerms<T>) {
    this.#terms = terms;
    this.#began = terms.now();
    this.#payment = new OwnPayment(terms, this.#began);
    this.#defaultKey = terms.hasDefaultKey ? new DefaultKey(terms, this.#payment) : undefined;
    this.#event = saleEvent(terms);
  }

  /**
   * Claims the payment, does the work and stores its output. Does no work if the payment, or an earlier payment under
   * the same key, is in use or has bought its result. {@link settle} then reports the outcome.
   * @throws PaymentRequired if the facilitator refuses the payment, or the authorization's validity period does not fit
   * @throws PaymentError idempotency_key_reused, payment_already_used, payment_in_progress, facilitator_unavailable
   * @throws Error thrown by the work
   */
  async fulfill(): Promise<void> {
    this.#progress = await this.#logged(async () => {
      const { admitted } = this.#terms;
      let binding = admitted ? admitted.binding : await currentBinding(this.#terms);
      for (;;) {
        try {
          return await this.#fulfillUnder(binding);
        } catch (error) {
          if (!(error instanceof LedgerChanged)) throw error;
          binding = await currentBinding(this.#terms);
        }
      }
    });
  }

  /**
   * Claims the payment, binds the call's idempotency key to it, and does the work. Does no work if an earlier payment
   * or another call determines the outcome.
   * @param binding the binding of the idempotency key as last read. The key is bound again only if `binding` is still
   * current
   * @throws LedgerChanged if another call has changed the ledger meanwhile
   */
  async #fulfillUnder(binding: StoredBinding | undefined): Promise<Progress> {
    const { fingerprint } = this.#terms;
    const isBoundHere = binding?.payment === this.#payment.name;
    if (binding && !isBoundHere) {
      const earlier = await statusUnderKey(binding, this.#terms, this.#payment.until);
      if (earlier) return { status: earlier, paidBy: binding };
    }

    const [status, holder] = await Promise.all([this.#payment.claim(isBoundHere), this.#defaultKey?.lookUp()]);
    switch (status.status) {
      case "free":
      case "failed":
      case "proof_required":
        return { status };
      case "reserved":
      case "spent":
        if (isBoundHere && binding.fingerprint !== fingerprint) throw keyReused();
        return { status };
      case "sold":
        if (!isBoundHere || binding.fingerprint !== fingerprint) await this.#bindKey(binding);
        return { status };
      case "in_progress":
      case "pending":
        await this.#bindKey(binding);
        return { status: await this.#waitForOtherCall() };
      case "claimed":
        await this.#bindKey(binding, status.claim);
        return this.#payment.unlessUsed(
          () => this.#work(status.claim, holder),
          (meanwhile) => ({ status: meanwhile }),
        );
    }
  }

  /**
   * Binds the caller's key, if the call has one, to the payment of this call.
   * @param replaced the binding that may be replaced
   * @param claim this call's claim, which is released if the key cannot be bound
   * @throws LedgerChanged if the key is bound to another payment
   */
  async #bindKey(replaced: StoredBinding | undefined, claim?: string): Promise<void> {
    const { key } = this.#terms;
    if (key === null) return;
    let isBound = false;
    try {
      isBound = await this.#bind(key, this.#ownBinding, replaced?.version);
    } finally {
      if (!isBound && claim !== undefined) await this.#payment.release(claim);
    }
    if (!isBound) throw new LedgerChanged();
  }

  /** Binds a key of the payer. Returns false if the key is bound to another payment. */
  async #bind(key: string, binding: Binding, replacedVersion?: number): Promise<boolean> {
    const name = await keyNameOf(this.#terms.payment.authorization.from, key);
    return bindKey(name, binding, this.#terms, replacedVersion);
  }

  /** Returns the names of the keys that are bound to the payment of this call. */
  async #boundKeys(): Promise<string[]> {
    const { key, payment } = this.#terms;
    const names = [key === null ? undefined : await keyNameOf(payment.authorization.from, key), this.#defaultKey?.name];
    return names.filter((name) => name !== undefined);
  }

  get #ownBinding(): Binding {
    const { payment, fingerprint } = this.#terms;
    return { payment: this.#payment.name, chain: payment.chain, fingerprint };
  }

  /** Waits for another call with the same payment. If that call has ended without a result, this call starts again. */
  async #waitForOtherCall(): Promise<PaymentStatus> {
    const status = await this.#payment.waitForStatus();
    if (status.status === "free") throw new LedgerChanged();
    return status;
  }

  /**
   * Does the work under a claim, and releases the claim on failure. The payment is not verified again: if the payer has
   * canceled it meanwhile, the settlement fails.
   * @param holder the payment that held the default key before the work
   * @throws Error thrown by the work
   */
  async #work(claim: string, holder: StoredBinding | undefined): Promise<Progress> {
    const { work, errors } = this.#terms;
    try {
      if (holder) await this.#defaultKey?.yieldTo(holder);
      const { value, output, expiresAt, facts } = await work(this.#defaultKey);
      Object.assign(this.#event, facts);
      const keys = await this.#boundKeys();
      const stored = { value: JSON.stringify(value), output, expiresAt: expiresAt.getTime(), keys };
      return { status: { status: "claimed", claim }, done: { claim, work: stored } };
    } catch (error) {
      if (error instanceof PaidEarlier) {
        await this.#payment.release(claim);
        return { status: error.status, paidBy: error.paidBy };
      }
      // a PaymentError means that the default key could not be bound; the waiting calls then try to bind it again
      const isOwn = error instanceof PaymentError;
      const written = isOwn ? undefined : errors.write(error);
      await this.#payment.release(claim, written === undefined ? undefined : { error: written });
      throw error;
    }
  }

  /**
   * Settles the payment if this call has claimed it and done the work, and returns the result.
   * @throws PaymentRequired if the facilitator refuses the payment
   * @throws PaymentError payment_already_used, payment_in_progress, settlement_pending
   * @throws Error thrown by the work of another call for which this call has waited
   */
  async settle(): Promise<Sold<T>> {
    const { payment } = this.#terms;
    const sold = await this.#logged(async () => {
      this.#progress = await this.#settled(this.#progress);
      const { status, paidBy } = this.#progress;
      if (paidBy) this.#event.paid_by = paidBy.payment;
      const { value, transaction, settledAt, isProved } = soldOrThrow(status, this.#terms);
      this.#event.transaction = transaction;
      if (this.isSold) this.#event.outcome = "sold";
      const receipt = receiptFor(payment, { success: true, transaction }, paidBy);
      const { chain } = paidBy ?? payment;
      const paid = isProved ? { chain, payer: payment.authorization.from } : undefined;
      return { value: JSON.parse(value) as T, receipt, isPaidEarlier: paidBy !== undefined, settledAt, paid };
    });
    this.#log();
    return sold;
  }

  /** Settles the payment if this call has done the work. Otherwise returns the progress unchanged. */
  async #settled(progress: Progress): Promise<Progress> {
    const { done } = progress;
    if (!done) return progress;
    return this.#payment.unlessUsed<Progress>(
      async () => {
        const status = await this.#payment.settle(done.claim, done.work);
        if (status) return { status, done };
        return { status: await this.#payment.waitForStatus() }; // another call has taken over the claim
      },
      (meanwhile) => ({ status: meanwhile, done }),
    );
  }

  /** Whether this call has settled the payment. */
  get isSold(): boolean {
    const { done, status } = this.#progress;
    return done !== undefined && status.status === "sold";
  }

  async #logged<R>(step: () => Promise<R>): Promise<R> {
    try {
      return await step();
    } catch (error) {
      Object.assign(this.#event, outcomeOf(error));
      this.#log();
      throw await this.#withKey(error);
    }
  }

  /**
   * Adds a new idempotency key to the error of a call that has no key, if its payment may still be charged. The payer
   * needs the key to get the result later, because a public payment alone proves nothing. If an earlier payment
   * determines the outcome of the call, the key is bound to that payment.
   */
  async #withKey(error: unknown): Promise<unknown> {
    if (!(error instanceof PaymentError) || this.#terms.key !== null || !this.#payment.isPayerProven) return error;
    const { code, message, retryAfterSeconds, cause } = error;
    if (code !== "settlement_pending" && code !== "payment_in_progress") return error;
    const { paidBy = this.#ownBinding } = this.#progress;
    // assigns no key, because a key bound to a payment for another request would reject this request
    if (paidBy.fingerprint !== this.#terms.fingerprint) return error;
    const idempotencyKey = assignKey();
    if (!(await this.#bind(idempotencyKey, paidBy).catch(() => false))) return error;
    return new PaymentError(code, message, { retryAfterSeconds, idempotencyKey, cause });
  }

  #log(): void {
    const { log, now } = this.#terms;
    log({ ...this.#event, ms: now() - this.#began });
  }
}

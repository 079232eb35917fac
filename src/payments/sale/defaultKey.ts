/**
 * The default key: a call without an idempotency key is charged once for the same content. The official clients sign a
 * new payment for each attempt and send no key, so only the content shows that two calls are the same purchase.
 */

import { defaultKeyNameOf, type StoredBinding } from "../ledger/keyBinding.ts";
import type { PaymentStatus } from "../ledger/record.ts";
import { orInProgress } from "./answers.ts";
import { bindKey } from "./earlierPayment.ts";
import type { OwnPayment } from "./ownPayment.ts";
import type { RequestKey, SaleTerms } from "./saleTerms.ts";

/**
 * Time in milliseconds after a sale during which a repeated call with the same content gets the result of this sale.
 */
export const REPEAT_MS = 600_000;

/** Thrown if an earlier payment for the same content determines the outcome of a call. */
export class PaidEarlier extends Error {
  override name = "PaidEarlier";
  readonly status: PaymentStatus;
  readonly paidBy: StoredBinding;

  constructor(status: PaymentStatus, paidBy: StoredBinding) {
    super();
    this.status = status;
    this.paidBy = paidBy;
  }
}

/** The default key of one call's request. */
export class DefaultKey implements RequestKey {
  isContested = false;
  bound: Promise<void> = Promise.resolve();
  /** Name of the key's Durable Object. Undefined before the key is bound. */
  name?: string;
  readonly #terms: Omit<SaleTerms<unknown>, "work">;
  readonly #payment: OwnPayment;
  /** The version of the binding that this call may replace. */
  #replacedVersion = 0;

  constructor(terms: Omit<SaleTerms<unknown>, "work">, payment: OwnPayment) {
    this.#terms = terms;
    this.#payment = payment;
  }

  /**
   * Looks up which payment holds the default key, if the request's digest is known before the work. Ignores a failed
   * look-up, because the key is bound later in any case.
   */
  async lookUp(): Promise<StoredBinding | undefined> {
    const { knownDigest } = this.#terms;
    return knownDigest === undefined ? undefined : this.#holder(knownDigest).catch(() => undefined);
  }

  bind(digest: string): void {
    this.bound = this.#bind(digest);
    this.bound.catch(() => undefined); // prevents an unhandled rejection; the work awaits the outcome later
  }

  /**
   * Waits for the payment that holds the default key. If that payment can no longer buy the result, this call may
   * replace it.
   * @throws PaidEarlier if the payment that holds the key has bought the result, or may still buy it
   */
  async yieldTo(holder: StoredBinding): Promise<void> {
    if (holder.payment === this.#payment.name) return;
    const status = await this.#decidingStatus(holder);
    if (status) throw new PaidEarlier(status, holder);
    this.#replacedVersion = holder.version;
  }

  async #bind(digest: string): Promise<void> {
    const { payment, fingerprint } = this.#terms;
    const name = defaultKeyNameOf(payment.authorization.from, digest);
    const binding = { payment: this.#payment.name, chain: payment.chain, fingerprint };
    this.name = name;
    while (!(await bindKey(name, binding, this.#terms, this.#replacedVersion))) {
      this.isContested = true;
      const holder = await this.#holder(digest);
      if (holder) await this.yieldTo(holder);
    }
  }

  #holder(digest: string): Promise<StoredBinding | undefined> {
    const { ledger, payment } = this.#terms;
    return orInProgress(ledger.getByName(defaultKeyNameOf(payment.authorization.from, digest)).binding());
  }

  /**
   * Returns the status of the payment that holds the default key, if the current call must get that payment's outcome.
   * Returns undefined if that payment can no longer be settled for its request, or was settled at least `REPEAT_MS`
   * ago.
   */
  async #decidingStatus({ payment, fingerprint }: StoredBinding): Promise<PaymentStatus | undefined> {
    const { ledger, now } = this.#terms;
    const record = ledger.getByName(payment);
    for (;;) {
      const found = await orInProgress(record.waitForStatus(fingerprint, this.#payment.until, true));
      switch (found.status) {
        case "sold":
          return now() < found.settledAt + REPEAT_MS ? found : undefined;
        case "in_progress":
        case "pending":
          return found;
        case "spent":
          return undefined;
      }
      // The claim has failed, or its lease has expired. Invalidates the claim, because it must not be settled once this
      // call has replaced the payment.
      if (await orInProgress(record.invalidateClaims(fingerprint))) return undefined;
    }
  }
}

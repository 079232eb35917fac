/**
 * The sale of one piece of work for one payment. Each call runs these steps: verify the payment, claim it in the
 * ledger, do the work, store the output, settle the payment, deliver the result.
 */

import { type Binding, keyNameOf, type StoredBinding } from "../ledger/keyBinding.ts";
import type { Call, Failure, PaymentStatus, StoredWork } from "../ledger/record.ts";
import { PaymentError } from "../wire/errors.ts";
import type { SaleEvent } from "../wire/events.ts";
import type { Network } from "../wire/networks.ts";
import type { Receipt } from "../wire/offer.ts";
import { paymentKey } from "../wire/paymentPayload.ts";
import { type Admission, type AdmissionTerms, currentBinding, outcomeOf, saleEvent, verify } from "./admission.ts";
import { keyReused, orInProgress, receiptFor, soldOrThrow } from "./answers.ts";

/**
 * The result of the work. It is delivered once the payment is settled. If the payment is not settled, its output is
 * deleted.
 */
export interface WorkResult<T> {
  /** The value to deliver, as JSON data. */
  value: T;
  /** Id of the output in storage. */
  output: string;
  expiresAt: Date;
  /** Facts about the work for the log, such as pages and bytes. */
  facts: Readonly<Record<string, number>>;
}

/** The ledger's record of one payment: a `LedgerEntry`, called directly or through a Durable Object stub. */
interface LedgerRecord {
  waitForStatus(fingerprint: string, until: number, isPayerProven: boolean): Promise<PaymentStatus>;
  invalidateClaims(fingerprint: string): Promise<boolean>;
  claim(call: Call, leaseMs: number, until: number): Promise<PaymentStatus>;
  release(claim: string, failure: Failure | undefined): Promise<void>;
  settle(claim: string, work: StoredWork): Promise<PaymentStatus | undefined>;
}

/**
 * Access to the ledger's records by the name of a payment or key. The Durable Object namespace implements this
 * interface.
 */
export interface LedgerBook {
  getByName(name: string): LedgerRecord & {
    binding(): Promise<StoredBinding | undefined>;
    bind(binding: Binding, expiresAt: number, replacedVersion: number): Promise<boolean>;
  };
}

/** A delivered result. */
export interface Sold<T> {
  value: T;
  receipt: Receipt;
  /** Whether an earlier payment under the same key has paid. If so, the payment sent with this call is not settled. */
  isPaidEarlier: boolean;
  /** The transfer that paid; undefined if the sale relies on the facilitator's word alone. */
  paid: Paid | undefined;
}

/** A transfer that the chain or the facilitator has confirmed. */
interface Paid {
  chain: Network;
  payer: string;
  /** Time of the settlement, Unix milliseconds. */
  settledAt: number;
}

/** The terms of one sale: one payment for one piece of work. */
export interface SaleTerms<T> extends AdmissionTerms {
  ledger: LedgerBook;
  /** The result of `admit`. If it names no facilitator, the payment is verified when it is claimed. */
  admitted?: Admission;
  /** Identifies the request. */
  fingerprint: string;
  /**
   * Upper bound for the work, in milliseconds. A claim's lease has this duration, so the payment becomes free again if
   * the call dies.
   */
  workMs: number;
  /**
   * Lifetime of the result's link, in milliseconds. The idempotency key stays bound to its payment for at least this
   * time.
   */
  linkTtlMs: number;
  /** Does the work. Called at most once per call, and only after the payment was verified and claimed. */
  work(): Promise<WorkResult<T>>;
  /**
   * Converts errors of the work to text and back. A call that waits for another call's work can then report its error.
   * `write` returns undefined for an error that concerns only its own call; a waiting call then does the work itself.
   */
  errors: { write(error: unknown): string | undefined; read(text: string): Error };
}

/** Maximum time for which a call waits for another call with the same payment, or for a settlement, in milliseconds. */
const WAIT_MS = 25_000;

/**
 * Sells one piece of work for one payment. Call {@link fulfill} first, then {@link settle}. Parallel and later calls
 * with the same payment and the same request get the same result. If the work throws, the payment is not charged and
 * stays usable. Each sale logs one {@link SaleEvent}.
 */
export class Sale<T> {
  readonly #terms: SaleTerms<T>;
  /** The payment's `paymentKey`. */
  readonly #name: string;
  readonly #record: LedgerRecord;
  readonly #event: SaleEvent;
  readonly #began: number;
  /** The last known status of this call's payment, or of the earlier payment if `#paidBy` is set. */
  #status: PaymentStatus = { status: "free" };
  /** The claim to settle, and the finished work. Undefined unless this call has done the work. */
  #done: { claim: string; work: StoredWork } | undefined;
  /** See {@link Admission.isPayerProven}. */
  #isPayerProven: boolean;
  /** The binding of the caller's key to an earlier payment, if that payment determines the outcome of this call. */
  #paidBy: StoredBinding | undefined;

  constructor(terms: SaleTerms<T>) {
    this.#terms = terms;
    this.#name = paymentKey(terms.payment);
    this.#record = terms.ledger.getByName(this.#name);
    this.#isPayerProven = terms.admitted?.isPayerProven ?? false;
    this.#began = terms.now();
    this.#event = saleEvent(terms);
  }

  /**
   * Verifies and claims the payment, does the work and stores its output. Does no work if the payment, or an earlier
   * payment under the same key, is in use or has bought its result. {@link settle} then reports the outcome.
   * @throws PaymentRequired if the facilitator refuses the payment, or the authorization's validity period does not fit
   * @throws PaymentError idempotency_key_reused, payment_already_used, payment_in_progress, facilitator_unavailable
   * @throws Error thrown by the work
   */
  async fulfill(): Promise<void> {
    await this.#logged(async () => {
      const { admitted } = this.#terms;
      let binding = admitted ? admitted.binding : await currentBinding(this.#terms);
      while ((await this.#claimAndWork(binding)) === "changed") binding = await currentBinding(this.#terms);
    });
  }

  /**
   * Settles the payment if this call has claimed it and done the work, and returns the result.
   * @throws PaymentRequired if the facilitator refuses the payment
   * @throws PaymentError payment_already_used, payment_in_progress, settlement_pending
   * @throws Error thrown by the work of another call for which this call has waited
   */
  async settle(): Promise<Sold<T>> {
    const { payment } = this.#terms;
    const paidBy = this.#paidBy;
    const sold = await this.#logged(async () => {
      if (this.#done) await this.#settleClaim(this.#done);
      const { value, transaction, provedAt: settledAt } = soldOrThrow(this.#status, this.#terms);
      this.#event.transaction = transaction;
      if (this.isSold) this.#event.outcome = "sold";
      const receipt = receiptFor(payment, { success: true, transaction }, paidBy);
      const { chain } = paidBy ?? payment;
      const paid = settledAt === undefined ? undefined : { chain, payer: payment.authorization.from, settledAt };
      return { value: JSON.parse(value) as T, receipt, isPaidEarlier: paidBy !== undefined, paid };
    });
    this.#log();
    return sold;
  }

  /** Whether this call has settled the payment. */
  get isSold(): boolean {
    return this.#done !== undefined && this.#status.status === "sold";
  }

  async #settleClaim({ claim, work }: { claim: string; work: StoredWork }): Promise<void> {
    await this.#unlessUsed(async () => {
      const status = await this.#terms.timed("settle", () => orInProgress(this.#record.settle(claim, work)));
      if (!status) this.#done = undefined; // another call has taken over the claim
      this.#status = status && status.status !== "pending" ? status : await this.#waitForStatus();
    });
  }

  /**
   * Determines the outcome of the call, and stores it in `#status`. If neither the key nor the payment has an outcome
   * yet, claims the payment, binds the key to it, and does the work.
   * @param binding the key's binding as last read. The key is bound again only if this is still its current binding
   * @returns "changed" if the ledger has changed meanwhile. The caller then starts again with the current binding
   */
  async #claimAndWork(binding: StoredBinding | undefined): Promise<"decided" | "changed"> {
    const ownBinding = binding?.payment === this.#name ? binding : undefined;
    if (binding && !ownBinding) {
      const earlier = await this.#followEarlierPayment(binding);
      if (earlier !== "superseded") return earlier;
    }

    if (ownBinding) this.#isPayerProven = true; // a bound key proves the payer, because only the payer knows it
    await this.#claimIfFree();
    switch (this.#status.status) {
      case "claimed":
      case "in_progress":
      case "pending":
      case "sold":
        return this.#bindAndWork(binding);
      case "reserved":
      case "spent":
        if (ownBinding && ownBinding.fingerprint !== this.#terms.fingerprint) throw keyReused();
        return "decided";
      case "free":
      case "failed":
      case "proof_required":
        return "decided";
    }
  }

  /**
   * Binds the key to this call's payment. Then does the work if this call has claimed the payment. If another call is
   * using the payment, waits for that call.
   */
  async #bindAndWork(binding: StoredBinding | undefined): Promise<"decided" | "changed"> {
    const { key, fingerprint } = this.#terms;
    const { status } = this.#status;
    const isBound = status === "sold" && binding?.payment === this.#name && binding.fingerprint === fingerprint;
    if (key !== null && !isBound && !(await this.#bindOrRelease(key, binding?.version))) return "changed";

    if (this.#status.status === "claimed") {
      const { claim } = this.#status;
      await this.#unlessUsed(() => this.#work(claim));
    } else if (status !== "sold") {
      this.#status = await this.#waitForStatus();
      if (this.#status.status === "free") return "changed"; // the call that held the claim has died
    }
    return "decided";
  }

  /**
   * Takes over the outcome of an earlier payment under the same key.
   * @returns "superseded" if the earlier payment can no longer settle for its request, so that this call's payment is
   * used; "changed" if the earlier payment's status has changed meanwhile
   * @throws PaymentError idempotency_key_reused if the earlier payment was made for another request
   */
  async #followEarlierPayment(earlier: StoredBinding): Promise<"decided" | "superseded" | "changed"> {
    const { ledger, fingerprint, now } = this.#terms;
    const record = ledger.getByName(earlier.payment);
    const isSameRequest = earlier.fingerprint === fingerprint;
    const until = isSameRequest ? this.#until : now();
    const found = await orInProgress(record.waitForStatus(earlier.fingerprint, until, true));

    const isRefused = found.status === "failed" && "reason" in found.failure;
    if (isRefused || ["free", "reserved", "spent"].includes(found.status)) {
      if (await orInProgress(record.invalidateClaims(earlier.fingerprint))) return "superseded";
      if (found.status !== "spent") return "changed";
    }
    if (!isSameRequest) throw keyReused();
    this.#status = found;
    this.#paidBy = earlier;
    this.#event.paid_by = earlier.payment;
    return "decided";
  }

  /** Updates the status, and claims the payment if it is free. Asks for a sign-in if the payment may be public. */
  async #claimIfFree(): Promise<void> {
    const { admitted, isSignedIn, now } = this.#terms;
    // A payment that was verified at admission was free at that time. If this has changed, the claim reports it.
    this.#status = admitted?.verified ? { status: "free" } : await this.#waitForStatus(now());
    if (this.#status.status === "proof_required") {
      if (!(await isSignedIn())) return;
      this.#isPayerProven = true;
      this.#status = await this.#waitForStatus(now());
      if (this.#status.status === "proof_required") return;
    }

    this.#isPayerProven = true; // the caller has signed in, or has sent the payment before it could be public
    if (this.#status.status === "free") await this.#unlessUsed(() => this.#claimPayment());
  }

  /**
   * Binds the key to this call's payment and request.
   * @param replacedVersion the version of the binding that may be replaced
   * @returns false if the key is bound to another payment under another version
   */
  async #bind(key: string, replacedVersion = 0): Promise<boolean> {
    const { payment, ledger, fingerprint, workMs, linkTtlMs, now } = this.#terms;
    const name = await keyNameOf(payment.authorization.from, key);
    const binding = { payment: this.#name, chain: payment.chain, fingerprint };
    // The link's lifetime starts after the work, and the work may exceed its limit.
    const expiresAt = now() + 2 * workMs + linkTtlMs;
    return orInProgress(ledger.getByName(name).bind(binding, expiresAt, replacedVersion));
  }

  /**
   * Binds the key as {@link #bind} does. If binding fails, releases this call's claim, so that the payment stays
   * unused.
   */
  async #bindOrRelease(key: string, replacedVersion: number | undefined): Promise<boolean> {
    let isBound = false;
    try {
      isBound = await this.#bind(key, replacedVersion);
    } finally {
      if (!isBound && this.#status.status === "claimed")
        await this.#record.release(this.#status.claim, undefined).catch(() => undefined); // a failed release is harmless, because the lease expires anyway
    }
    return isBound;
  }

  async #claimPayment(): Promise<void> {
    const { payment, fingerprint, requestId, workMs, timed } = this.#terms;
    const facilitator = this.#terms.admitted?.verified ?? (await timed("verify", () => verify(this.#terms)));
    const call = {
      fingerprint,
      payment,
      facilitator: facilitator.name,
      signers: facilitator.signersOn(payment.chain),
      requestId,
    };
    this.#status = await orInProgress(this.#record.claim(call, workMs, this.#terms.now()));
  }

  async #work(claim: string): Promise<void> {
    const { value, output, expiresAt, facts } = await doWork(this.#terms, this.#record, claim);
    Object.assign(this.#event, facts);
    this.#done = { claim, work: { value: JSON.stringify(value), output, expiresAt: expiresAt.getTime() } };
  }

  /**
   * Runs a step. If the step fails and another call has used the payment meanwhile, that use has probably caused the
   * failure. The payment's new status then replaces the error.
   */
  async #unlessUsed(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      const meanwhile = await this.#waitForStatus();
      if (meanwhile.status === "free") throw error;
      this.#status = meanwhile;
    }
  }

  get #until(): number {
    return this.#began + WAIT_MS;
  }

  #waitForStatus(until = this.#until): Promise<PaymentStatus> {
    return orInProgress(this.#record.waitForStatus(this.#terms.fingerprint, until, this.#isPayerProven));
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
   * needs the key to get the result later, because a public payment alone proves nothing.
   */
  async #withKey(error: unknown): Promise<unknown> {
    if (!(error instanceof PaymentError) || this.#terms.key !== null || !this.#isPayerProven) return error;
    const { code, message, retryAfterSeconds, cause } = error;
    if (code !== "settlement_pending" && code !== "payment_in_progress") return error;
    const idempotencyKey = crypto.randomUUID();
    if (!(await this.#bind(idempotencyKey).catch(() => false))) return error;
    return new PaymentError(code, message, { retryAfterSeconds, idempotencyKey, cause });
  }

  #log(): void {
    const { log, now } = this.#terms;
    log({ ...this.#event, ms: now() - this.#began });
  }
}

/**
 * Does the work under a claim, and releases the claim on failure. The payment is not verified again: if the payer has
 * canceled it meanwhile, the settlement fails.
 * @throws Error thrown by the work
 */
async function doWork<T>({ work, errors }: SaleTerms<T>, record: LedgerRecord, claim: string): Promise<WorkResult<T>> {
  try {
    return await work();
  } catch (error) {
    const written = errors.write(error);
    const failure = written === undefined ? undefined : { error: written };
    await record.release(claim, failure).catch(() => undefined); // a failed release is harmless, because the lease expires anyway
    throw error;
  }
}

/** The sale of one piece of work for one payment: verify, claim, work, store, settle, deliver. */

import { type Binding, type Bound, keyNameOf } from "../ledger/keyBinding.ts";
import type { Call, Failure, PaymentStatus, StoredWork } from "../ledger/record.ts";
import { PaymentError } from "../wire/errors.ts";
import type { SaleEvent } from "../wire/events.ts";
import type { Network } from "../wire/networks.ts";
import type { Receipt } from "../wire/offer.ts";
import { paymentKey } from "../wire/paymentPayload.ts";
import { type Admission, type AdmissionTerms, boundIn, outcomeOf, saleEvent, verify } from "./admission.ts";
import { keyReused, orInProgress, receiptFor, soldOrThrow } from "./answers.ts";

/** The result of the work. It is delivered once the payment is settled, and its output is deleted if it cannot be. */
export interface WorkResult<T> {
  /** JSON. */
  value: T;
  /** Id of the output in storage. */
  output: string;
  expiresAt: Date;
  /** For the log: pages, bytes. */
  facts: Readonly<Record<string, number>>;
}

/** The ledger's record of one payment: a `LedgerEntry`, called directly or through a Durable Object stub. */
interface LedgerRecord {
  waitForStatus(fingerprint: string, until: number, proved: boolean): Promise<PaymentStatus>;
  abandon(fingerprint: string): Promise<boolean>;
  claim(call: Call, leaseMs: number, until: number): Promise<PaymentStatus>;
  release(claim: string, failure: Failure | undefined): Promise<void>;
  settle(claim: string, work: StoredWork): Promise<PaymentStatus | undefined>;
}

/** Looks up the ledger's records by name: the Durable Object namespace. */
export interface LedgerBook {
  getByName(name: string): LedgerRecord & {
    bound(): Promise<Bound | undefined>;
    bind(binding: Binding, forgetAt: number, instead: number): Promise<boolean>;
  };
}

/** What a payment has bought. */
export interface Sold<T> {
  value: T;
  receipt: Receipt;
  /** An earlier payment under the same key has paid: the one sent with this call is not settled. */
  lapses: boolean;
  /** The payment that is known to have moved; undefined where only the facilitator's word says so. */
  paid: Paid | undefined;
}

/** A payment that has moved. */
interface Paid {
  chain: Network;
  payer: string;
  /** Unix milliseconds. */
  settledAt: number;
}

/** One payment for one piece of work. */
export interface SaleTerms<T> extends AdmissionTerms {
  ledger: LedgerBook;
  /** What the payment was admitted with; without a verdict it is verified when it is claimed. */
  admitted?: Admission;
  /** Identifies the request. */
  fingerprint: string;
  /** The longest the work can take, in milliseconds: a payment claimed by a call that died is free again after this. */
  workMs: number;
  /** Life of the result's link, in milliseconds. A key stays bound to its payment for as long. */
  linkTtlMs: number;
  /** Does the work. Called at most once per call, under a claim on a payment that has verified. */
  work(): Promise<WorkResult<T>>;
  /**
   * Converts errors of the work to text and back: calls that wait for another call's work are told why it failed. What
   * means nothing to them is undefined: they do it themselves.
   */
  errors: { write(error: unknown): string | undefined; read(text: string): Error };
}

/** How long a call waits for another call with the same payment, or for a settlement. */
const WAIT_MS = 25_000;

/**
 * Sells one piece of work for one payment: {@link fulfil}, then {@link settle}. The same payment with the same request
 * gets the same result, at the same time or later. Work that throws is not charged, and its payment stays usable. Each
 * sale logs one {@link SaleEvent}.
 */
export class Sale<T> {
  readonly #terms: SaleTerms<T>;
  readonly #name: string;
  readonly #record: LedgerRecord;
  readonly #event: SaleEvent;
  readonly #began: number;
  /** The payment's last known status in the ledger. */
  #status: PaymentStatus = { status: "free" };
  /** The claim to settle, and what for; set once its work is done. */
  #done: { claim: string; work: StoredWork } | undefined;
  /** Whether the caller has shown more than the payment, or had the payment before it may have been public. */
  #proved: boolean;
  /** The earlier payment under the same key that the status is of. */
  #paidBy: Bound | undefined;

  constructor(terms: SaleTerms<T>) {
    this.#terms = terms;
    this.#name = paymentKey(terms.payment);
    this.#record = terms.ledger.getByName(this.#name);
    this.#proved = terms.admitted?.proved ?? false;
    this.#began = terms.now();
    this.#event = saleEvent(terms);
  }

  /**
   * Verifies and claims the payment, does the work and stores its output. Skipped if the payment, or an earlier one under
   * the same key, is in use or has already bought its result; {@link settle} then tells which.
   * @throws PaymentRequired if the facilitator refuses the payment, or the authorization's validity period does not fit
   * @throws PaymentError idempotency_key_reused, payment_already_used, payment_in_progress, facilitator_unavailable
   * @throws Error what the work throws
   */
  async fulfil(): Promise<void> {
    await this.#logged(async () => {
      const { admitted } = this.#terms;
      let bound = admitted ? admitted.bound : await boundIn(this.#terms);
      while (!(await this.#findOrClaim(bound))) bound = await boundIn(this.#terms);
    });
  }

  /**
   * Settles the payment if this call holds its claim, and returns the result.
   * @throws PaymentRequired if the facilitator refuses the payment
   * @throws PaymentError payment_already_used, payment_in_progress, settlement_pending
   * @throws Error what the work threw in another call that this one waited for
   */
  async settle(): Promise<Sold<T>> {
    const { payment, timed } = this.#terms;
    const done = this.#done;
    const paidBy = this.#paidBy;
    const given = await this.#logged(async () => {
      if (done)
        await this.#unlessUsed(async () => {
          const status = await timed("settle", () => orInProgress(this.#record.settle(done.claim, done.work)));
          if (!status) this.#done = undefined; // another call has the payment
          this.#status = status && status.status !== "pending" ? status : await this.#waitForStatus();
        });
      const { value, transaction, provedAt: settledAt } = soldOrThrow(this.#status, this.#terms);
      this.#event.transaction = transaction;
      if (this.isSold) this.#event.outcome = "sold";
      const receipt = receiptFor(payment, { success: true, transaction }, paidBy);
      const { chain } = paidBy ?? payment;
      const paid = settledAt === undefined ? undefined : { chain, payer: payment.authorization.from, settledAt };
      return { value: JSON.parse(value) as T, receipt, lapses: paidBy !== undefined, paid };
    });
    this.#log();
    return given;
  }

  /** Whether this call has settled the payment. */
  get isSold(): boolean {
    return this.#done !== undefined && this.#status.status === "sold";
  }

  /**
   * Finds out what has become of the call, under its key or else with its payment; if nothing yet, claims the payment and
   * does the work. Returns false if that changed meanwhile, and is to be found out again.
   * @param bound what the key was bound to; should that have changed, it can't be bound anew
   */
  async #findOrClaim(bound: Bound | undefined): Promise<boolean> {
    const { key, fingerprint, admitted } = this.#terms;
    if (bound && bound.payment !== this.#name) {
      const found = await this.#statusOf(bound);
      if (found !== "over") return found !== "changed";
    }

    this.#proved ||= bound?.payment === this.#name;
    // what was unknown to the ledger and has verified is claimed right away, which tells if it is not free any more
    this.#status = admitted?.verified ? { status: "free" } : await this.#waitForStatus(this.#terms.now());
    if (this.#status.status === "withheld" && (await this.#terms.isSignedIn())) {
      this.#proved = true;
      this.#status = await this.#waitForStatus(this.#terms.now());
    }
    if (this.#status.status === "withheld") return true;
    this.#proved = true; // whoever had the payment before it could be public
    if (this.#status.status === "free") await this.#unlessUsed(() => this.#claimPayment());

    const { status } = this.#status;
    if (!["yours", "busy", "pending", "sold"].includes(status)) {
      const used = status === "taken" || status === "spent";
      if (used && bound?.payment === this.#name && bound.fingerprint !== fingerprint) throw keyReused();
      return true;
    }
    const isBound = status === "sold" && bound?.payment === this.#name && bound.fingerprint === fingerprint;
    if (key !== null && !isBound && !(await this.#bindOrRelease(key, bound?.version))) return false;
    if (this.#status.status === "yours") {
      const { claim } = this.#status;
      await this.#unlessUsed(() => this.#work(claim));
    } else if (status !== "sold") {
      this.#status = await this.#waitForStatus();
      if (this.#status.status === "free") return false; // the call that was waited for died
    }
    return true;
  }

  /**
   * Sets the status to that of an earlier payment under the same key, as calls with that payment would have it.
   * @returns "over" if that payment will not be settled for its request; "changed" if this changed meanwhile
   * @throws PaymentError idempotency_key_reused if it was made for another request
   */
  async #statusOf(earlier: Bound): Promise<"found" | "over" | "changed"> {
    const { ledger, fingerprint, now } = this.#terms;
    const record = ledger.getByName(earlier.payment);
    const same = earlier.fingerprint === fingerprint;
    const found = await orInProgress(record.waitForStatus(earlier.fingerprint, same ? this.#until : now(), true));
    const refused = found.status === "failed" && "reason" in found.failure;
    if (refused || ["free", "taken", "spent"].includes(found.status)) {
      if (await orInProgress(record.abandon(earlier.fingerprint))) return "over";
      if (found.status !== "spent") return "changed";
    }
    if (!same) throw keyReused();
    this.#status = found;
    this.#paidBy = earlier;
    this.#event.paid_by = earlier.payment;
    return "found";
  }

  /** Returns false if the key has been bound to another payment since it was found bound by the binding of this number. */
  async #bind(key: string, instead = 0): Promise<boolean> {
    const { payment, ledger, fingerprint, workMs, linkTtlMs, now } = this.#terms;
    const name = await keyNameOf(payment.authorization.from, key);
    const binding = { payment: this.#name, chain: payment.chain, fingerprint };
    // the link begins once the work is done, which may take longer than it should
    return orInProgress(ledger.getByName(name).bind(binding, now() + 2 * workMs + linkTtlMs, instead));
  }

  /** {@link #bind}s the key, and gives the claim back where that fails: the payment lapses. */
  async #bindOrRelease(key: string, instead: number | undefined): Promise<boolean> {
    const isBound = await this.#bind(key, instead).catch((error: unknown) => error as Error);
    if (isBound !== true && this.#status.status === "yours")
      await this.#record.release(this.#status.claim, undefined).catch(() => undefined); // its lease ends anyway
    if (isBound instanceof Error) throw isBound;
    return isBound;
  }

  async #claimPayment(): Promise<void> {
    const { payment, fingerprint, requestId, workMs, timed } = this.#terms;
    const { name, signersOn } = this.#terms.admitted?.verified ?? (await timed("verify", () => verify(this.#terms)));
    const call = { fingerprint, payment, facilitator: name, signers: signersOn(payment.chain), requestId };
    this.#status = await orInProgress(this.#record.claim(call, workMs, this.#terms.now()));
  }

  async #work(claim: string): Promise<void> {
    const { value, output, expiresAt, facts } = await doWork(this.#terms, this.#record, claim);
    Object.assign(this.#event, facts);
    this.#done = { claim, work: { value: JSON.stringify(value), output, expiresAt: expiresAt.getTime() } };
  }

  /**
   * Runs a step. If it fails and another call has used the payment meanwhile, the error is dropped in favour of the new
   * status: the other call is the reason this step failed.
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
    return orInProgress(this.#record.waitForStatus(this.#terms.fingerprint, until, this.#proved));
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
   * Gives a call without a key one to ask again with, where its payment may still be charged: once that is public, the
   * payment alone gets nothing.
   */
  async #withKey(error: unknown): Promise<unknown> {
    if (!(error instanceof PaymentError) || this.#terms.key !== null || !this.#proved) return error;
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
 * Does the work under a claim. Releases the claim on failure. The payment is not verified again: should the payer have
 * withdrawn it meanwhile, the settlement fails.
 * @throws Error what the work throws
 */
async function doWork<T>({ work, errors }: SaleTerms<T>, record: LedgerRecord, claim: string): Promise<WorkResult<T>> {
  try {
    return await work();
  } catch (error) {
    const written = errors.write(error);
    const failure = written === undefined ? undefined : { error: written };
    await record.release(claim, failure).catch(() => undefined); // the lease expires anyway
    throw error;
  }
}

/** The sale of one piece of work for one payment: verify, claim, work, store, settle, deliver. */
import {
  type AdmissionTerms,
  inProgress,
  orInProgress,
  outcomeOf,
  saleEvent,
  type Verified,
  verify,
} from "./admission.ts";
import { PaymentError } from "./errors.ts";
import type { SaleEvent } from "./events.ts";
import { PaymentRequired, type Receipt } from "./offer.ts";
import { type PaymentPayload, paymentKey } from "./paymentPayload.ts";
import type { Call, Failure, PaymentStatus, StoredWork } from "./record.ts";

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
  waitForStatus(fingerprint: string, until: number): Promise<PaymentStatus>;
  claim(call: Call, leaseMs: number, until: number): Promise<PaymentStatus>;
  release(claim: string, failure: Failure): Promise<void>;
  store(claim: string, work: StoredWork): Promise<boolean>;
  settle(claim: string, fingerprint: string): Promise<PaymentStatus>;
}

/** Looks up the ledger's records by name: the Durable Object namespace. */
export interface LedgerBook {
  getByName(name: string): LedgerRecord & { bind(payment: string, forgetAt: number): Promise<boolean> };
}

/** One payment for one piece of work. */
export interface SaleTerms<T> extends AdmissionTerms {
  ledger: LedgerBook;
  /** The verdict that the payment was admitted with; without one it is verified when it is claimed. */
  verified?: Verified | undefined;
  /** Identifies the request. It must cover the payment's signature. */
  fingerprint: string;
  /** The longest the work can take, in milliseconds: a payment claimed by a call that died is free again after this. */
  workMs: number;
  /** Life of the result's link, in milliseconds. A `payment-identifier` stays bound to its payment for as long. */
  linkTtlMs: number;
  /** Does the work. Called at most once per call, under a claim on a payment that has verified. */
  work(): Promise<WorkResult<T>>;
  /** Converts errors of the work to text and back: calls that wait for another call's work are told why it failed. */
  errors: { write(error: unknown): string; read(text: string): Error };
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
  readonly #record: LedgerRecord;
  readonly #event: SaleEvent;
  readonly #began: number;
  /** The payment's last known status in the ledger. */
  #status: PaymentStatus = { status: "free" };
  /** The claim to settle; set once its output is stored. */
  #claim: string | undefined;

  constructor(terms: SaleTerms<T>) {
    this.#terms = terms;
    this.#record = terms.ledger.getByName(paymentKey(terms.payment));
    this.#began = terms.now();
    this.#event = saleEvent(terms);
  }

  /**
   * Verifies and claims the payment, does the work and stores its output. Skipped if the payment is in use or has
   * already bought its result; {@link settle} then tells which.
   * @throws PaymentRequired if the facilitator refuses the payment, or the authorization's validity period does not fit
   * @throws PaymentError payment_already_used, payment_in_progress, facilitator_unavailable
   * @throws Error what the work throws
   */
  async fulfil(): Promise<void> {
    await this.#logged(async () => {
      this.#status = await this.#waitForStatus();
      if (this.#status.status === "free") await this.#unlessUsed(() => this.#claimAndFulfil());
    });
  }

  /**
   * Settles the payment if this call holds its claim, and returns the result.
   * @throws PaymentRequired if the facilitator refuses the payment
   * @throws PaymentError payment_already_used, payment_in_progress, settlement_pending
   * @throws Error what the work threw in another call that this one waited for
   */
  async settle(): Promise<{ value: T; receipt: Receipt }> {
    const { payment, fingerprint } = this.#terms;
    const claim = this.#claim;
    const given = await this.#logged(async () => {
      if (claim !== undefined)
        await this.#unlessUsed(async () => {
          this.#event.outcome = "sold";
          this.#status = await orInProgress(this.#record.settle(claim, fingerprint));
          if (this.#status.status === "pending") this.#status = await this.#waitForStatus();
        });
      const { value, transaction } = soldOrThrow(this.#status, this.#terms);
      this.#event.transaction = transaction;
      return { value: JSON.parse(value) as T, receipt: receiptFor(payment, { success: true, transaction }) };
    });
    this.#log();
    return given;
  }

  /** Whether this call has settled the payment. */
  get isSold(): boolean {
    return this.#claim !== undefined && this.#status.status === "sold";
  }

  async #claimAndFulfil(): Promise<void> {
    const { payment, fingerprint, requestId, workMs } = this.#terms;
    const verified = this.#terms.verified ?? (await verify(this.#terms));
    await bindIdentifier(this.#terms);
    const call = { fingerprint, payment, facilitator: verified.facilitator.name, requestId };
    this.#status = await orInProgress(this.#record.claim(call, workMs, this.#until));
    if (this.#status.status !== "yours") return;

    const { claim, stored } = this.#status;
    if (!stored) {
      const work = await doWork(this.#terms, this.#record, claim);
      Object.assign(this.#event, work.facts);
      const { output, expiresAt } = work;
      const kept = { value: JSON.stringify(work.value), output, expiresAt: expiresAt.getTime() };
      if (!(await orInProgress(this.#record.store(claim, kept)))) {
        this.#status = await this.#waitForStatus();
        return;
      }
    }
    this.#claim = claim;
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

  #waitForStatus(): Promise<PaymentStatus> {
    return orInProgress(this.#record.waitForStatus(this.#terms.fingerprint, this.#until));
  }

  async #logged<R>(step: () => Promise<R>): Promise<R> {
    try {
      return await step();
    } catch (error) {
      Object.assign(this.#event, outcomeOf(error));
      this.#log();
      throw error;
    }
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
    const failure = { error: errors.write(error) };
    await record.release(claim, failure).catch(() => undefined); // the lease expires anyway
    throw error;
  }
}

async function bindIdentifier({ payment, ledger, linkTtlMs, now }: SaleTerms<unknown>): Promise<void> {
  if (payment.identifier === null) return;
  const name = `identifier:${payment.authorization.from.toLowerCase()}:${payment.identifier}`;
  if (await orInProgress(ledger.getByName(name).bind(paymentKey(payment), now() + linkTtlMs))) return;
  throw new PaymentError(
    "payment_already_used",
    "Another payment has been made under this payment-identifier. Send that payment again, or use a new identifier.",
  );
}

/**
 * Returns the status if the payment has bought this result.
 * @throws PaymentRequired if the payment was refused
 * @throws PaymentError for a payment that is used, in use, or still being settled
 * @throws Error what the work threw
 */
function soldOrThrow(found: PaymentStatus, sale: SaleTerms<unknown>): PaymentStatus & { status: "sold" } {
  switch (found.status) {
    case "sold":
      return found;
    case "failed": {
      const { failure } = found;
      if ("error" in failure) throw sale.errors.read(failure.error);
      const { payment, offer } = sale;
      const receipt = receiptFor(payment, { success: false, errorReason: failure.reason, transaction: "" });
      throw new PaymentRequired(offer, failure.reason, { version: payment.version, receipt });
    }
    case "spent":
      throw new PaymentError(
        "payment_already_used",
        "This payment has bought its result: another request's, or one whose link has ended. Sign a new payment.",
      );
    case "taken":
      throw new PaymentError(
        "payment_already_used",
        "This payment is being used for another request. Sign a new payment for this one.",
      );
    case "pending":
      throw new PaymentError(
        "settlement_pending",
        "The payment is being settled and the facilitator has not confirmed it yet. Send the same payment with the same request again; do not sign a new one.",
        { retryAfterSeconds: 10 },
      );
    case "busy":
    case "free":
    case "yours":
      throw inProgress();
  }
}

/** Told with a receipt of a payment that was sold without its transaction being known. */
const NO_TRANSACTION_NOTE =
  "The facilitator's answer with the transaction was lost. It says now that the payment has been used.";

function receiptFor(
  { version, chain, authorization }: PaymentPayload,
  outcome: Pick<Receipt, "success" | "errorReason" | "transaction">,
): Receipt {
  return {
    ...outcome,
    ...(outcome.success && outcome.transaction === "" && { extra: { note: NO_TRANSACTION_NOTE } }),
    network: version === 1 ? chain.name : chain.caip2,
    payer: authorization.from,
  };
}

/** The gate between a payment and what it buys: verify, claim, work, store, settle, give. */
import { PaymentError } from "./errors.ts";
import type { EventContext, SaleEvent } from "./events.ts";
import type { FacilitatorClient } from "./facilitator.ts";
import { NETWORKS } from "./networks.ts";
import { type Offer, PaymentRequired, type Receipt } from "./offer.ts";
import { type PaymentPayload, paymentKey } from "./paymentPayload.ts";
import type { Call, Failure, PaymentStatus, StoredWork } from "./record.ts";

/** What the work made: it is given out once the payment is settled, and deleted where it can't be. */
export interface WorkResult<T> {
  /** JSON. */
  value: T;
  /** Id of the output in storage. */
  output: string;
  expiresAt: Date;
  /** For the log: pages, bytes. */
  facts: Readonly<Record<string, number>>;
}

/** The ledger's record of one payment: `LedgerEntry`, near or behind a Durable Object's stub. */
interface LedgerRecord {
  waitForStatus(fingerprint: string, until: number): Promise<PaymentStatus>;
  claim(call: Call, leaseMs: number, until: number): Promise<PaymentStatus>;
  release(claim: string, failure: Failure, output: string | null): Promise<void>;
  store(claim: string, work: StoredWork): Promise<boolean>;
  settle(claim: string, fingerprint: string): Promise<PaymentStatus>;
}

/** Where the ledger's records are found: the Durable Object namespace. */
export interface LedgerBook {
  getByName(name: string): LedgerRecord & { bind(payment: string, forgetAt: number): Promise<boolean> };
}

/** One payment for one piece of work. */
export interface SaleTerms<T> extends EventContext {
  payment: PaymentPayload;
  offer: Offer;
  /** In order of preference; the first that has a verdict on the payment also settles it. */
  facilitators: readonly FacilitatorClient[];
  ledger: LedgerBook;
  /** Tells one request from another; it has to cover the payment's signature. */
  fingerprint: string;
  /** For the log. */
  operation: string;
  /** The longest the work can take: a call that died frees its payment after this. */
  workMs: number;
  linkTtlMs: number;
  /** The clock, Unix milliseconds. */
  now(): number;
  /** Runs once for a payment, and only for one that verified. */
  work(): Promise<WorkResult<T>>;
  /** Errors of the work as text, and back: callers who wait for another call's work are told why it failed. */
  errors: { write(error: unknown): string; read(text: string): Error };
}

/** Facilitators refuse to settle an authorization that ends sooner than this. */
const SETTLE_MARGIN_SECONDS = 6;
/** What most work is done in, the fetching of its files included. */
const EXPECTED_WORK_SECONDS = 30;
/** How long a call waits for another with the same payment, or for a settlement. */
const WAIT_MS = 25_000;
/** A verdict older than this is asked for again before the money: the payer may have withdrawn meanwhile. */
const FRESH_MS = 2000;

/**
 * Sells one piece of work for one payment: {@link fulfil}, then {@link settle}. The same payment with the same request gets
 * the same result, whether at once or later. Work that throws is not charged, and its payment stays usable.
 *
 * Both log one {@link SaleEvent} between them and throw
 * - PaymentRequired where the facilitator refuses the payment
 * - PaymentError payment_already_used, payment_in_progress, settlement_pending, facilitator_unavailable
 * - whatever the work throws
 */
export class Sale<T> {
  readonly #terms: SaleTerms<T>;
  readonly #record: LedgerRecord;
  readonly #event: SaleEvent;
  readonly #began: number;
  /** What is known of the payment once the work is done, or need not be. */
  #status: PaymentStatus = { status: "free" };
  /** Of stored work that is to be settled. */
  #claim: string | undefined;

  constructor(terms: SaleTerms<T>) {
    const { payment, operation, requestId, ledger, now } = terms;
    this.#terms = terms;
    this.#record = ledger.getByName(paymentKey(payment));
    this.#began = now();
    this.#event = {
      event: "sale",
      request_id: requestId,
      outcome: "replayed",
      operation,
      network: payment.network,
      payer: payment.authorization.from,
      amount: payment.authorization.value,
      payment: paymentKey(payment),
      ms: 0,
    };
  }

  /** Verifies, claims, works and stores, unless the payment has bought its result already. */
  async fulfil(): Promise<void> {
    await this.#logged(async () => {
      this.#status = await this.#waitForStatus();
      if (this.#status.status === "free") await this.#unlessUsed(() => this.#claimAndFulfil());
    });
  }

  /** Settles where this call did the work, and gives the result. */
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

  async #claimAndFulfil(): Promise<void> {
    const { payment, fingerprint, requestId, workMs, now } = this.#terms;
    const facilitator = await verify(this.#terms);
    const verified = now();
    await bindIdentifier(this.#terms);
    const call = { fingerprint, payment, facilitator: facilitator.name, requestId };
    this.#status = await orInProgress(this.#record.claim(call, workMs, this.#until));
    if (this.#status.status !== "yours") return;

    const { claim, stored } = this.#status;
    if (!stored) {
      const work = await doWork(this.#terms, this.#record, claim, { facilitator, verified });
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

  /** Where a step fails while another call has used the payment, that is what counts: it is why this one was refused. */
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
      if (error instanceof PaymentRequired)
        Object.assign(this.#event, { outcome: "payment_required", reason: error.reason });
      else this.#event.outcome = codeOf(error);
      this.#log();
      throw error;
    }
  }

  #log(): void {
    const { log, now } = this.#terms;
    log({ ...this.#event, ms: now() - this.#began });
  }
}

/** Does the work under a claim; where it fails, or the payment is no longer good, the claim is released. */
async function doWork<T>(
  { work, payment, offer, now, errors }: SaleTerms<T>,
  record: LedgerRecord,
  claim: string,
  { facilitator, verified }: { facilitator: FacilitatorClient; verified: number },
): Promise<WorkResult<T>> {
  let result: WorkResult<T> | undefined;
  try {
    result = await work();
    if (now() - verified <= FRESH_MS) return result;
    const verdict = await facilitator.verify(payment);
    if (verdict.outcome === "invalid") throw new PaymentRequired(offer, verdict.reason);
    return result;
  } catch (error) {
    const failure = error instanceof PaymentRequired ? { reason: error.reason } : { error: errors.write(error) };
    await record.release(claim, failure, result?.output ?? null).catch(() => undefined); // the lease ends it too
    throw error;
  }
}

/** The first facilitator that knows the payment to be good. @throws PaymentRequired; PaymentError facilitator_unavailable */
async function verify({ facilitators, payment, offer, now }: SaleTerms<unknown>): Promise<FacilitatorClient> {
  checkWindow(payment, offer, Math.floor(now() / 1000));
  for (const facilitator of facilitators) {
    const verdict = await facilitator.verify(payment);
    if (verdict.outcome === "valid") return facilitator;
    if (verdict.outcome === "invalid") throw new PaymentRequired(offer, verdict.reason);
  }
  throw new PaymentError(
    "facilitator_unavailable",
    "The payment facilitator cannot be reached. Nothing was charged; try again in a while with the same payment.",
    { retryAfterSeconds: 30 },
  );
}

function checkWindow(payment: PaymentPayload, offer: Offer, nowSeconds: number): void {
  const { validAfter, validBefore } = payment.authorization;
  if (BigInt(validAfter) > nowSeconds)
    throw new PaymentRequired(
      offer,
      "invalid_exact_evm_payload_authorization_valid_after: the authorization is not valid yet",
    );
  if (BigInt(validBefore) < nowSeconds + SETTLE_MARGIN_SECONDS + EXPECTED_WORK_SECONDS)
    throw new PaymentRequired(
      offer,
      `invalid_exact_evm_payload_authorization_valid_before: sign one that is good for ${offer.v1[0]?.maxTimeoutSeconds} s`,
    );
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

/** The result, where there is one. @throws PaymentRequired, PaymentError, what the work has thrown */
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

function receiptFor(
  { version, network, authorization }: PaymentPayload,
  outcome: Omit<Receipt, "network" | "payer">,
): Receipt {
  return {
    ...outcome,
    network: version === 1 ? network : NETWORKS[network].caip2,
    payer: authorization.from,
  };
}

function inProgress(cause?: unknown): PaymentError {
  return new PaymentError(
    "payment_in_progress",
    "This payment is being used right now. Send it again with the same request in a moment; it is not charged twice.",
    { retryAfterSeconds: 5, cause },
  );
}

/** The ledger's answer. Where it can't be reached, what was asked may have happened or not: asking again is safe. */
function orInProgress<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((cause: unknown) => {
    throw inProgress(cause);
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "internal_error";
}

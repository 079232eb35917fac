import { Problem, problemOf } from "../problems.ts";
import type { Facilitator } from "./facilitator.ts";
import { NETWORKS } from "./networks.ts";
import { type Offer, PaymentRequired, type Receipt } from "./offer.ts";
import { type Payment, paymentKey } from "./payment.ts";
import { PRICE } from "./price.ts";
import type { Call, Failure, Standing, StoredGoods } from "./record.ts";

/** What the work made: it is given out once the payment is settled, and deleted where it can't be. */
export interface Goods<T> {
  /** JSON. */
  value: T;
  /** Id of the output in storage. */
  output: string;
  expiresAt: Date;
  pages: number;
  bytes: number;
}

/** The ledger's record of one payment: {@link LedgerEntry}, near or behind a Durable Object's stub. */
interface LedgerRecord {
  look(fingerprint: string, until: number): Promise<Standing>;
  claim(call: Call, leaseMs: number, until: number): Promise<Standing>;
  release(claim: string, failure: Failure, output: string | null): Promise<void>;
  store(claim: string, goods: StoredGoods): Promise<boolean>;
  settle(claim: string, fingerprint: string): Promise<Standing>;
}

/** Where the ledger's records are found: the Durable Object namespace. */
export interface LedgerBook {
  getByName(name: string): LedgerRecord & { bind(payment: string, forgetAt: number): Promise<boolean> };
}

/** One sale: this payment for this work. */
export interface Sale<T> {
  payment: Payment;
  offer: Offer;
  /** In order of preference; the first that has a verdict on the payment also settles it. */
  facilitators: Facilitator[];
  ledger: LedgerBook;
  /** `fingerprintOf` the request. */
  fingerprint: string;
  /** For the log. */
  operation: string;
  /** The longest the work can take: a call that died frees its payment after this. */
  workMs: number;
  linkTtlMs: number;
  /** The clock, Unix milliseconds. */
  now(): number;
  /** Runs once for a payment, and only for one that verified. */
  work(): Promise<Goods<T>>;
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
 * Sells one piece of work for one payment: verify, claim, work, store, settle, give. The same payment with the same request
 * gets the same result, whether at once or later. Work that throws is not charged, and its payment stays usable.
 * Leaves one structured line in the log.
 * @throws PaymentRequired where the facilitator refuses the payment
 * @throws Problem payment_already_used, payment_in_progress, settlement_pending, facilitator_unavailable, and what the work throws
 */
export async function sell<T>(sale: Sale<T>): Promise<{ value: T; receipt: Receipt }> {
  const { payment, operation, now } = sale;
  const began = now();
  const line: Record<string, unknown> = {
    event: "sale",
    operation,
    network: payment.network,
    payer: payment.authorization.from,
    amount: PRICE.atomicUnits,
  };
  try {
    const { value, transaction } = given(await serve(sale, began + WAIT_MS, line), sale);
    Object.assign(line, { outcome: "sold", transaction });
    return { value: JSON.parse(value) as T, receipt: receiptFor(payment, { success: true, transaction }) };
  } catch (error) {
    if (error instanceof PaymentRequired) Object.assign(line, { outcome: "payment_required", reason: error.reason });
    else line.outcome = error instanceof Problem ? error.code : "internal_error";
    throw error;
  } finally {
    console.log(JSON.stringify({ ...line, ms: now() - began }));
  }
}

/** Everything up to the point where the payment stands for good, or for as long as this call can wait. */
async function serve<T>(sale: Sale<T>, until: number, line: Record<string, unknown>): Promise<Standing> {
  const record = sale.ledger.getByName(paymentKey(sale.payment));
  const standing = await told(record.look(sale.fingerprint, until));
  if (standing.standing !== "free") return standing;
  try {
    return await make(sale, record, until, line);
  } catch (error) {
    // where another call has used the payment meanwhile, that is why it was refused to this one
    const meanwhile = await told(record.look(sale.fingerprint, until));
    if (meanwhile.standing === "free") throw error;
    return meanwhile;
  }
}

/** Verify, claim, work, store, settle. */
async function make<T>(
  sale: Sale<T>,
  record: LedgerRecord,
  until: number,
  line: Record<string, unknown>,
): Promise<Standing> {
  const { payment, fingerprint, workMs, now } = sale;
  const facilitator = await verify(sale);
  const verified = now();
  await bindIdentifier(sale);
  const claimed = await told(record.claim({ fingerprint, payment, facilitator: facilitator.name }, workMs, until));
  if (claimed.standing !== "yours") return claimed;

  if (!claimed.stored) {
    const goods = await work(sale, record, claimed.claim, { facilitator, verified });
    Object.assign(line, { pages: goods.pages, bytes: goods.bytes });
    const stored = { value: JSON.stringify(goods.value), output: goods.output, expiresAt: goods.expiresAt.getTime() };
    if (!(await told(record.store(claimed.claim, stored)))) return told(record.look(fingerprint, until));
  }
  const settled = await told(record.settle(claimed.claim, fingerprint));
  return settled.standing === "pending" ? told(record.look(fingerprint, until)) : settled;
}

/** Does the work under a claim; where it fails, or the payment is no longer good, the claim is released. */
async function work<T>(
  { work, payment, offer, now }: Sale<T>,
  record: LedgerRecord,
  claim: string,
  { facilitator, verified }: { facilitator: Facilitator; verified: number },
): Promise<Goods<T>> {
  let goods: Goods<T> | undefined;
  try {
    goods = await work();
    if (now() - verified <= FRESH_MS) return goods;
    const verdict = await facilitator.verify(payment);
    if (verdict.outcome === "invalid") throw new PaymentRequired(offer, verdict.reason);
    return goods;
  } catch (error) {
    await record.release(claim, failureOf(error), goods?.output ?? null).catch(() => undefined); // the lease ends it too
    throw error;
  }
}

/** The first facilitator that knows the payment to be good. @throws PaymentRequired; Problem facilitator_unavailable */
async function verify({ facilitators, payment, offer, now }: Sale<unknown>): Promise<Facilitator> {
  checkWindow(payment, offer, Math.floor(now() / 1000));
  for (const facilitator of facilitators) {
    const verdict = await facilitator.verify(payment);
    if (verdict.outcome === "valid") return facilitator;
    if (verdict.outcome === "invalid") throw new PaymentRequired(offer, verdict.reason);
  }
  throw new Problem(
    "facilitator_unavailable",
    "The payment facilitator cannot be reached. Nothing was charged; try again in a while with the same payment.",
    { headers: { "Retry-After": "30" } },
  );
}

function checkWindow(payment: Payment, offer: Offer, nowSeconds: number): void {
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

async function bindIdentifier({ payment, ledger, linkTtlMs, now }: Sale<unknown>): Promise<void> {
  if (payment.identifier === null) return;
  const name = `identifier:${payment.authorization.from.toLowerCase()}:${payment.identifier}`;
  if (await told(ledger.getByName(name).bind(paymentKey(payment), now() + linkTtlMs))) return;
  throw new Problem(
    "payment_already_used",
    "Another payment has been made under this payment-identifier. Send that payment again, or use a new identifier.",
  );
}

/** The result, where there is one. @throws PaymentRequired, Problem */
function given(standing: Standing, { payment, offer }: Sale<unknown>): Standing & { standing: "sold" } {
  switch (standing.standing) {
    case "sold":
      return standing;
    case "failed": {
      const { code, detail, errors } = standing.failure;
      if (code !== undefined) throw new Problem(code, detail, errors && { errors });
      const receipt = receiptFor(payment, { success: false, errorReason: detail, transaction: "" });
      throw new PaymentRequired(offer, detail, { version: payment.version, receipt });
    }
    case "spent":
      throw new Problem(
        "payment_already_used",
        "This payment has bought its result: another request's, or one whose link has ended. Sign a new payment.",
      );
    case "taken":
      throw new Problem(
        "payment_already_used",
        "This payment is being used for another request. Sign a new payment for this one.",
      );
    case "pending":
      throw new Problem(
        "settlement_pending",
        "The payment is being settled and the facilitator has not confirmed it yet. Send the same payment with the same request again; do not sign a new one.",
        { headers: { "Retry-After": "10" } },
      );
    case "busy":
    case "free":
    case "yours":
      throw inProgress();
  }
}

function receiptFor(
  { version, network, authorization }: Payment,
  outcome: Omit<Receipt, "network" | "payer">,
): Receipt {
  return {
    ...outcome,
    network: version === 1 ? network : NETWORKS[network].caip2,
    payer: authorization.from,
  };
}

function inProgress(cause?: unknown): Problem {
  return new Problem(
    "payment_in_progress",
    "This payment is being used right now. Send it again with the same request in a moment; it is not charged twice.",
    { headers: { "Retry-After": "5" }, cause },
  );
}

/** What the ledger says. Where it can't be heard, whatever was asked of it may have happened or not: asking again is safe. */
function told<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((cause: unknown) => {
    throw inProgress(cause);
  });
}

function failureOf(error: unknown): Failure {
  if (error instanceof PaymentRequired) return { detail: error.reason };
  const { code, detail, errors } = problemOf(error);
  return { code, detail, ...(errors && { errors }) };
}

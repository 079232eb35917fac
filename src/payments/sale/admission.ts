/** What is asked of a payment before the request that it pays for is read: a stranger's request costs nothing. */

import type { FacilitatorClient } from "../facilitators/facilitator.ts";
import { type Bound, keyNameOf } from "../ledger/keyBinding.ts";
import type { PaymentStatus } from "../ledger/record.ts";
import { PaymentError } from "../wire/errors.ts";
import type { EventContext, SaleEvent } from "../wire/events.ts";
import { type Offer, PaymentRequired } from "../wire/offer.ts";
import { type PaymentPayload, paymentKey } from "../wire/paymentPayload.ts";
import { notSelling, orInProgress, withheld } from "./answers.ts";

/** The part of a sale's terms that is known before its request is. */
export interface AdmissionTerms extends EventContext {
  payment: PaymentPayload;
  /** The caller's idempotency key: calls with the same key and request are charged once, however often they are signed. */
  key: string | null;
  offer: Offer;
  /** In order of preference. The first to give a verdict on the payment also settles it. Without one nothing is sold. */
  facilitators: readonly FacilitatorClient[];
  /** Looks up the ledger's records by name. */
  ledger: {
    getByName(name: string): {
      waitForStatus(fingerprint: string, until: number, proved: boolean): Promise<PaymentStatus>;
      bound(): Promise<Bound | undefined>;
    };
  };
  /** Returns whether the caller has shown by other means to be the payer. Asked only where it matters. */
  isSignedIn(): Promise<boolean>;
  /** For the log. */
  operation: string;
  /** Does what takes its time elsewhere, and measures it. */
  timed<T>(step: "verify" | "settle", act: () => Promise<T>): Promise<T>;
  /** Returns the time, Unix milliseconds. */
  now(): number;
}

/** What is known of a payer whose request may be read. */
export interface Admission {
  /** The facilitator that has verified it; undefined for a payment or key that the ledger knows. */
  verified: FacilitatorClient | undefined;
  /** Whether the caller has signed in as the payer, or the payment came before it could be public. */
  proved: boolean;
  /** What the caller's key was bound to. */
  bound: Bound | undefined;
}

/** Facilitators refuse to settle an authorization that expires sooner than this. */
const SETTLE_MARGIN_SECONDS = 6;
/** The time that most work needs, including fetching its files. */
const EXPECTED_WORK_SECONDS = 30;
/** Equal to no request's fingerprint: the ledger tells only whether it knows the payment. */
const NO_REQUEST = "";

/**
 * Decides whether the request of a payment is read: if the ledger knows the payment, or one of the same payer under the
 * same key, which then tells what becomes of it, or else if a facilitator verifies it. Who has only what can be read on
 * the chain gets nothing by it, whatever the request is. A refusal is logged as a {@link SaleEvent}.
 * @throws PaymentRequired if a facilitator refuses the payment, or the authorization's validity period does not fit
 * @throws PaymentError facilitator_unavailable, not_selling, payment_in_progress, payment_already_used, sign_in_refused
 */
export async function admit(terms: AdmissionTerms): Promise<Admission> {
  const began = terms.now();
  let proved = false;
  let bound: Bound | undefined;
  const isKnown = async () => {
    const record = terms.ledger.getByName(paymentKey(terms.payment));
    const [{ status }, found] = await Promise.all([
      orInProgress(record.waitForStatus(NO_REQUEST, 0, false)),
      boundIn(terms),
    ]);
    bound = found;
    proved ||= status !== "withheld" || (await terms.isSignedIn());
    if (!proved && !bound) throw withheld();
    return status !== "free" || bound !== undefined;
  };
  const unwanted = new AbortController();
  try {
    // a call sent again has a key, mostly: without one the ledger won't know the payment, and is not waited for
    const verifying = terms.key === null ? verify(terms, unwanted.signal) : undefined;
    verifying?.catch(() => undefined); // means nothing if the ledger knows the payment
    const verified = (await isKnown())
      ? undefined
      : await terms
          .timed("verify", () => verifying ?? verify(terms))
          .catch(async (error: unknown) => {
            if (await isKnown()) return undefined; // another call has used the payment meanwhile: this is why
            throw error;
          });
    return { verified, proved, bound };
  } catch (error) {
    terms.log({ ...saleEvent(terms), ...outcomeOf(error), ms: terms.now() - began });
    throw error;
  } finally {
    unwanted.abort();
  }
}

/**
 * Returns the first facilitator that verifies the payment.
 * @param unwanted aborted when nobody waits for it any more: no other facilitator is asked then
 * @throws PaymentRequired if a facilitator refuses the payment, or the authorization's validity period does not fit
 * @throws PaymentError facilitator_unavailable if none gives a verdict, not_selling if there is none
 */
export async function verify(
  { facilitators, payment, offer, now }: AdmissionTerms,
  unwanted?: AbortSignal,
): Promise<FacilitatorClient> {
  if (facilitators.length === 0) throw notSelling();
  checkWindow(payment, offer, Math.floor(now() / 1000));
  for (const facilitator of facilitators) {
    const verdict = await facilitator.verify(payment, unwanted);
    if (unwanted?.aborted) break;
    if (verdict.outcome === "valid") return facilitator;
    if (verdict.outcome === "invalid") throw new PaymentRequired(offer, verdict.reason);
  }
  throw new PaymentError(
    "facilitator_unavailable",
    "The payment facilitator cannot be reached. Nothing was charged; try again in a while with the same payment, or with a new one and the same Idempotency-Key.",
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
      `invalid_exact_evm_payload_authorization_valid_before: sign one that is good for ${offer.maxTimeoutSeconds} s`,
    );
}

/** Returns what the caller's key is bound to, if there is a key. */
export async function boundIn({ payment, key, ledger }: AdmissionTerms): Promise<Bound | undefined> {
  if (key === null) return undefined;
  const name = await keyNameOf(payment.authorization.from, key);
  return orInProgress(ledger.getByName(name).bound());
}

/** Returns the log line of a sale that has just begun. */
export function saleEvent({ payment, operation, requestId }: AdmissionTerms): SaleEvent {
  return {
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

/** Returns what the log says of a sale that failed. */
export function outcomeOf(error: unknown): Pick<SaleEvent, "outcome" | "reason"> {
  if (error instanceof PaymentRequired) return { outcome: "payment_required", reason: error.reason };
  return { outcome: error instanceof Error && "code" in error ? String(error.code) : "internal_error" };
}

/** Admission: checks a payment before the body of its request is read, so that unpaid requests cost little. */

import type { FacilitatorClient } from "../facilitators/facilitator.ts";
import { keyNameOf, type StoredBinding } from "../ledger/keyBinding.ts";
import type { PaymentStatus } from "../ledger/record.ts";
import { PaymentError } from "../wire/errors.ts";
import type { EventContext, SaleEvent } from "../wire/events.ts";
import { type Offer, PaymentRequired } from "../wire/offer.ts";
import { type PaymentPayload, paymentKey } from "../wire/paymentPayload.ts";
import { boughtOther, notSelling, orInProgress, proofRequired } from "./answers.ts";

/** The terms of a sale that are known before the request is read. */
export interface AdmissionTerms extends EventContext {
  payment: PaymentPayload;
  /**
   * The caller's idempotency key; null if the call has none. Calls with the same key and request are charged once, even
   * with different payments.
   */
  key: string | null;
  offer: Offer;
  /**
   * The facilitators in order of preference. The first one that gives a verdict also settles the payment. If the list
   * is empty, nothing is sold.
   */
  facilitators: readonly FacilitatorClient[];
  /** Access to the ledger's records by name. */
  ledger: {
    getByName(name: string): {
      waitForStatus(fingerprint: string, until: number, isPayerProven: boolean): Promise<PaymentStatus>;
      binding(): Promise<StoredBinding | undefined>;
    };
  };
  /** Returns whether the caller has signed in as the payer. Called only if the payment may be public. */
  isSignedIn(): Promise<boolean>;
  /**
   * Returns the fingerprint of the request, or undefined if the request is too long to read. Called only for a payment
   * that is already used, if the caller has not proved that it is the payer. Without this function, no such request is
   * read.
   */
  smallFingerprint?(): Promise<string | undefined>;
  /** Name of the operation in the log. */
  operation: string;
  /** Runs a slow external step, and measures its duration for the log. */
  timed<T>(step: "verify" | "settle", act: () => Promise<T>): Promise<T>;
  /** Returns the current time in Unix milliseconds. */
  now(): number;
}

/** The facts about an admitted payment. */
export interface Admission {
  /** The facilitator that has verified the payment; undefined if the ledger already knew the payment or its key. */
  verified: FacilitatorClient | undefined;
  /**
   * Whether the caller is known to be the payer. A sign-in proves this, and so does a payment that arrived before it
   * could be public.
   */
  isPayerProven: boolean;
  /** The binding of the caller's idempotency key; undefined if the call has no key or the key is not bound. */
  binding: StoredBinding | undefined;
}

/**
 * Minimum remaining validity of an authorization at its settlement, in seconds. Facilitators refuse authorizations that
 * expire sooner.
 */
const SETTLE_MARGIN_SECONDS = 6;
/** Time in seconds in which most calls do their work, including fetching files. */
const EXPECTED_WORK_SECONDS = 30;
/**
 * Maximum remaining validity of an authorization, in seconds. The limit bounds how long the ledger stores an unused
 * record.
 */
const MAX_VALIDITY_SECONDS = 86_400;
/**
 * A fingerprint that matches no request. With this fingerprint the ledger only reports whether it knows the payment.
 */
const NO_REQUEST = "";

/**
 * Decides whether to read the request of a payment. The request is read in three cases: the ledger knows the payment,
 * the ledger knows another payment of the same payer under the same key, or a facilitator verifies the payment. A
 * caller who has only data from the chain is always refused. A refusal is logged as a {@link SaleEvent}.
 * @throws PaymentRequired if a facilitator refuses the payment, or the authorization's validity period does not fit
 * @throws PaymentError facilitator_unavailable, not_selling, payment_in_progress, payment_already_used, sign_in_refused
 */
export async function admit(terms: AdmissionTerms): Promise<Admission> {
  const began = terms.now();
  const abandoned = new AbortController();
  try {
    // A repeated call usually has a key. Without a key the ledger is unlikely to know the payment, so the facilitator
    // and the ledger are asked at the same time.
    const verifying = terms.key === null ? verify(terms, abandoned.signal) : undefined;
    verifying?.catch(() => undefined); // an error of the verification does not matter if the ledger knows the payment
    const { isKnown, isPayerProven, binding } = await lookUp(terms, false);
    if (isKnown) return { verified: undefined, isPayerProven, binding };

    try {
      const verified = await terms.timed("verify", () => verifying ?? verify(terms));
      return { verified, isPayerProven, binding };
    } catch (error) {
      // Another call may have used the payment in the meantime, which would explain the failure.
      const again = await lookUp(terms, isPayerProven);
      if (!again.isKnown) throw error;
      return { verified: undefined, isPayerProven: again.isPayerProven, binding: again.binding };
    }
  } catch (error) {
    terms.log({ ...saleEvent(terms), ...outcomeOf(error), ms: terms.now() - began });
    throw error;
  } finally {
    abandoned.abort();
  }
}

/**
 * Looks up the payment and the caller's key in the ledger.
 * @param wasPayerProven whether an earlier look-up in the same call has proved that the caller is the payer
 * @throws PaymentRequired if the payment has bought the result of another request
 * @throws PaymentError payment_already_used if the payment may be public and the caller has neither a bound key nor a
 * sign-in; payment_in_progress if the ledger cannot be reached; sign_in_refused
 */
async function lookUp(
  terms: AdmissionTerms,
  wasPayerProven: boolean,
): Promise<{ isKnown: boolean; isPayerProven: boolean; binding: StoredBinding | undefined }> {
  const record = terms.ledger.getByName(paymentKey(terms.payment));
  const [{ status }, binding] = await Promise.all([
    orInProgress(record.waitForStatus(NO_REQUEST, 0, false)),
    currentBinding(terms),
  ]);
  const isSettled = status === "spent";
  const isPublic = isSettled || status === "proof_required";
  const isPayerProven = wasPayerProven || !isPublic || (await terms.isSignedIn());
  if (!isPayerProven && !binding) {
    const fingerprint = isSettled ? await terms.smallFingerprint?.() : undefined;
    if (fingerprint === undefined) throw proofRequired();
    const found = await orInProgress(record.waitForStatus(fingerprint, 0, false));
    throw "boughtOther" in found ? boughtOther(terms.offer) : proofRequired();
  }
  return { isKnown: status !== "free" || binding !== undefined, isPayerProven, binding };
}

/**
 * Returns the first facilitator that verifies the payment.
 * @param abandoned signal that is aborted once no call waits for the verdict. After that, no other facilitator is asked
 * @throws PaymentRequired if the payment does not match the terms, if its validity period is too short or too long, if
 * a facilitator finds the payment invalid, or if a facilitator rejects the request and no other facilitator verifies
 * the payment
 * @throws PaymentError facilitator_unavailable if no facilitator gives a verdict; not_selling if no facilitator is
 * configured
 */
export async function verify(
  { facilitators, payment, offer, now }: AdmissionTerms,
  abandoned?: AbortSignal,
): Promise<FacilitatorClient> {
  if (facilitators.length === 0) throw notSelling();
  if (payment.mismatch !== undefined) throw new PaymentRequired(offer, payment.mismatch);
  checkWindow(payment, offer, Math.floor(now() / 1000));
  let rejection: string | undefined;
  for (const facilitator of facilitators) {
    const verdict = await facilitator.verify(payment, abandoned);
    if (abandoned?.aborted) break;
    if (verdict.outcome === "valid") return facilitator;
    if (verdict.outcome === "invalid") throw new PaymentRequired(offer, verdict.reason);
    if (verdict.outcome === "rejected") rejection ??= verdict.reason;
  }
  if (rejection !== undefined) throw new PaymentRequired(offer, rejection);
  throw new PaymentError(
    "facilitator_unavailable",
    "The payment facilitator cannot be reached. Nothing was charged. Try again later with the same payment, or with a new payment and the same Idempotency-Key.",
    { retryAfterSeconds: 30 },
  );
}

/**
 * Checks that the authorization is valid now, that it stays valid until the work and the settlement are done, and that
 * it expires within {@link MAX_VALIDITY_SECONDS}.
 */
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
      `invalid_exact_evm_payload_authorization_valid_before: sign an authorization that is valid for ${offer.maxTimeoutSeconds} s`,
    );
  if (BigInt(validBefore) > nowSeconds + MAX_VALIDITY_SECONDS)
    throw new PaymentRequired(
      offer,
      `invalid_exact_evm_payload_authorization_valid_before: the authorization is valid for more than 24 hours; sign one that is valid for ${offer.maxTimeoutSeconds} s`,
    );
}

/**
 * Returns the current binding of the caller's idempotency key. Returns undefined if the call has no key or the key is
 * not bound.
 */
export async function currentBinding({ payment, key, ledger }: AdmissionTerms): Promise<StoredBinding | undefined> {
  if (key === null) return undefined;
  const name = await keyNameOf(payment.authorization.from, key);
  return orInProgress(ledger.getByName(name).binding());
}

/** Returns the log event of a sale that has just begun. */
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

/** Returns the log fields for the error of a failed sale. */
export function outcomeOf(error: unknown): Pick<SaleEvent, "outcome" | "reason"> {
  if (error instanceof PaymentRequired) return { outcome: "payment_required", reason: error.reason };
  return { outcome: error instanceof Error && "code" in error ? String(error.code) : "internal_error" };
}

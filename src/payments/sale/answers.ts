/** Answers to a call about its payment: the receipt, or an error that says what to do next. */

import type { Binding } from "../ledger/keyBinding.ts";
import type { PaymentStatus } from "../ledger/record.ts";
import { PaymentError } from "../wire/errors.ts";
import { type Offer, PaymentRequired, type Receipt } from "../wire/offer.ts";
import type { PaymentPayload } from "../wire/paymentPayload.ts";

/**
 * Sentence appended to each error after which the payment may still be charged. The sentence asks the caller to repeat
 * the request.
 */
const REPEAT =
  "Repeat the same request in a moment, with the same Idempotency-Key if you sent one. You are not charged twice.";

/**
 * Returns the status of a payment that has bought this result. For any other status, throws the error that the caller
 * receives. {@link PaymentStatus} explains each status.
 * @throws PaymentRequired if the payment was refused
 * @throws PaymentError if the payment is used, in use, or still being settled
 * @throws Error thrown by the work
 */
export function soldOrThrow(
  found: PaymentStatus,
  { payment, offer, errors }: { payment: PaymentPayload; offer: Offer; errors: { read(text: string): Error } },
): PaymentStatus & { status: "sold" } {
  switch (found.status) {
    case "sold":
      return found;
    case "failed": {
      const { failure } = found;
      if ("error" in failure) throw errors.read(failure.error);
      const receipt = receiptFor(payment, { success: false, errorReason: failure.reason, transaction: "" });
      throw new PaymentRequired(offer, failure.reason, { version: payment.version, receipt });
    }
    case "spent":
      if (found.boughtOther) throw boughtOther(offer);
      if (found.lostBy !== undefined) throw resultLost(found.lostBy);
      throw new PaymentError(
        "payment_already_used",
        "This payment or its Idempotency-Key has already bought a result, or the chain has rejected the payment. Sign a new payment and send it with a new Idempotency-Key. If the chain has rejected the payment, wait until its `validBefore` has passed, because anyone can still submit it.",
      );
    case "reserved":
      throw new PaymentError(
        "payment_already_used",
        "This payment is being used for another request. Sign a new payment for this one.",
      );
    case "proof_required":
      throw proofRequired();
    case "pending":
      throw new PaymentError(
        "settlement_pending",
        found.until === undefined
          ? `The payment is being settled, but the facilitator has not confirmed it yet. ${REPEAT}`
          : `The facilitator could not settle the payment. The payment may be visible on the chain, so a third party could still submit it until ${new Date(found.until).toISOString()}. If that happens, it pays for this call. ${REPEAT}`,
        { retryAfterSeconds: found.until === undefined ? 10 : 30 },
      );
    case "in_progress":
    case "free":
    case "claimed":
      throw inProgress();
  }
}

/** Creates the answer to a call whose idempotency key was used for another request. */
export function keyReused(): PaymentError {
  return new PaymentError(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request. Nothing was charged for this request. Send it with a new Idempotency-Key.",
  );
}

/** Note on the receipt of a payment whose transaction is unknown. */
const NO_TRANSACTION_NOTE =
  "The facilitator's answer with the transaction was lost. The facilitator now reports the payment as used.";

/** Note on the receipt of a call whose result an earlier payment has bought. */
const PAID_EARLIER_NOTE =
  "An earlier payment has paid for this result. The payment sent with this call is not settled. It expires unused at its validBefore. To buy the result again, send a new Idempotency-Key.";

/**
 * Creates the receipt of a payment (x402, "SettlementResponse").
 * @param paidBy the earlier payment of the same payer that has paid for the result, if any
 */
export function receiptFor(
  { version, chain: own, authorization }: PaymentPayload,
  outcome: Pick<Receipt, "success" | "errorReason" | "transaction">,
  paidBy?: Binding,
): Receipt {
  const { chain } = paidBy ?? { chain: own };
  const notes = [
    ...(paidBy ? [PAID_EARLIER_NOTE] : []),
    ...(outcome.success && outcome.transaction === "" ? [NO_TRANSACTION_NOTE] : []),
  ];
  return {
    ...outcome,
    ...(notes.length > 0 && { extra: { note: notes.join(" ") } }),
    network: version === 1 ? chain.name : chain.caip2,
    payer: authorization.from,
  };
}

/** Creates the answer to a call whose payment has bought the result of another request. */
export function boughtOther(offer: Offer): PaymentRequired {
  return new PaymentRequired(
    offer,
    "payment_already_used: this payment has paid for another request. Sign a new payment for this one",
  );
}

/**
 * Creates the answer to a call whose payment has bought this result, which storage no longer holds.
 * @param transaction the transaction of the payment, or an empty string if it is unknown
 */
function resultLost(transaction: string): PaymentError {
  const proof = transaction === "" ? "" : ` of transaction ${transaction}`;
  return new PaymentError(
    "payment_already_used",
    `This payment has bought this result, but the result is no longer stored. You are not charged again. If you did not revoke the link, ask the operator for a refund${proof}. To buy the result again, sign a new payment and send it with a new Idempotency-Key.`,
  );
}

/** Creates the answer to a caller whose only proof is a payment that may be public. */
export function proofRequired(): PaymentError {
  return new PaymentError(
    "payment_already_used",
    "This payment was submitted for settlement and may be public, so it no longer proves that you are the payer. Send the Idempotency-Key of the original call, or get the result from GET /v1/purchases. For another request, sign a new payment.",
  );
}

/** Creates the answer to a new call while the deployment sells nothing. */
export function notSelling(): PaymentError {
  return new PaymentError(
    "not_selling",
    "This deployment is not accepting new orders right now. Nothing was charged. Try again later. To get a result that is already paid for, repeat its request unchanged.",
    { retryAfterSeconds: 600 },
  );
}

/** Creates the answer to a call whose payment is in use, or to a call for which the ledger cannot be reached. */
function inProgress(cause?: unknown): PaymentError {
  const reason =
    cause === undefined ? "This payment is in use right now" : "The record of this payment cannot be reached right now";
  return new PaymentError("payment_in_progress", `${reason}. ${REPEAT}`, { retryAfterSeconds: 5, cause });
}

/**
 * Awaits an answer of the ledger. If the ledger cannot be reached, it may or may not have performed the operation.
 * Repeating the call is safe.
 * @throws PaymentError payment_in_progress if the ledger cannot be reached
 */
export function orInProgress<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((cause: unknown) => {
    throw inProgress(cause);
  });
}

/** What a call is told of its payment: a receipt, or an error that says what to do next. */

import type { Binding } from "../ledger/keyBinding.ts";
import type { PaymentStatus } from "../ledger/record.ts";
import { PaymentError } from "../wire/errors.ts";
import { type Offer, PaymentRequired, type Receipt } from "../wire/offer.ts";
import type { PaymentPayload } from "../wire/paymentPayload.ts";

/** Told with each failure after which the payment may still be charged. */
const ASK_AGAIN =
  "Send the same request again in a moment, with this payment or under the same Idempotency-Key; it is not charged twice.";

/**
 * Returns the status if the payment has bought this result.
 * @throws PaymentRequired if the payment was refused
 * @throws PaymentError for a payment that is used, in use, or still being settled
 * @throws Error what the work threw
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
      throw new PaymentError(
        "payment_already_used",
        "This payment, or its Idempotency-Key, has bought its result (another request's, or one whose link has ended), or the chain has rejected the payment. Sign a new payment, under a new Idempotency-Key if this one has bought something.",
      );
    case "taken":
      throw new PaymentError(
        "payment_already_used",
        "This payment is being used for another request. Sign a new payment for this one.",
      );
    case "withheld":
      throw withheld();
    case "pending":
      throw new PaymentError(
        "settlement_pending",
        found.until === undefined
          ? `The payment is being settled and the facilitator has not confirmed it yet. ${ASK_AGAIN}`
          : `The facilitator could not settle the payment. It may be public by now, so that somebody else can have it moved until ${new Date(found.until).toISOString()}: if that happens, it has paid for this call, and if not, another payment can be made then. ${ASK_AGAIN}`,
        { retryAfterSeconds: found.until === undefined ? 10 : 30 },
      );
    case "busy":
    case "free":
    case "yours":
      throw inProgress();
  }
}

/** Creates the answer for a key that stands for another request. */
export function keyReused(): PaymentError {
  return new PaymentError(
    "idempotency_key_reused",
    "This Idempotency-Key stands for another request. Nothing was charged for this one: send it with a key of its own.",
  );
}

/** Told with a receipt of a payment that was sold without its transaction being known. */
const NO_TRANSACTION_NOTE =
  "The facilitator's answer with the transaction was lost. It says now that the payment has been used.";

/** Told with a receipt of an earlier payment under the same key. */
const LAPSES_NOTE =
  "An earlier payment under the same key has paid for this. The payment sent with this call is not settled: it lapses by itself.";

/**
 * Creates the receipt of a payment: x402's settlement response.
 * @param paidBy the payment that it is for, if it is an earlier one of the same payer
 */
export function receiptFor(
  { version, chain: own, authorization }: PaymentPayload,
  outcome: Pick<Receipt, "success" | "errorReason" | "transaction">,
  paidBy?: Binding,
): Receipt {
  const { chain } = paidBy ?? { chain: own };
  const notes = [
    ...(paidBy ? [LAPSES_NOTE] : []),
    ...(outcome.success && outcome.transaction === "" ? [NO_TRANSACTION_NOTE] : []),
  ];
  return {
    ...outcome,
    ...(notes.length > 0 && { extra: { note: notes.join(" ") } }),
    network: version === 1 ? chain.name : chain.caip2,
    payer: authorization.from,
  };
}

/** Creates the answer for a payment that may be public, from a caller who has shown nothing else. */
export function withheld(): PaymentError {
  return new PaymentError(
    "payment_already_used",
    "This payment has been sent off to be settled and may be public by now, so it does not show any more that its result is yours. Send the Idempotency-Key that it was sent with, or find the result with GET /v1/purchases. For another request sign a new payment.",
  );
}

/** Creates the answer for new calls while nothing is sold. */
export function notSelling(): PaymentError {
  return new PaymentError(
    "not_selling",
    "This deployment sells nothing at the moment. Nothing was charged. What is paid for already is delivered: send its request again as it was; links work until they end.",
    { retryAfterSeconds: 600 },
  );
}

/** Creates the answer for a payment that is in use, or whose record cannot be reached. */
function inProgress(cause?: unknown): PaymentError {
  return new PaymentError("payment_in_progress", `This payment is being used right now. ${ASK_AGAIN}`, {
    retryAfterSeconds: 5,
    cause,
  });
}

/**
 * Awaits an answer of the ledger. If the ledger cannot be reached, the operation may or may not have happened; calling
 * again is safe.
 * @throws PaymentError payment_in_progress if the ledger cannot be reached
 */
export function orInProgress<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((cause: unknown) => {
    throw inProgress(cause);
  });
}

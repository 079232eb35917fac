/** Why a payment cannot be used now. Stable: programs tell failures apart by it. */
export type PaymentErrorCode =
  | "payment_already_used"
  | "payment_in_progress"
  | "settlement_pending"
  | "facilitator_unavailable"
  | "not_configured";

/**
 * A payment that cannot be used as it stands. The message tells the payer what to do. A refusal with 402 is a
 * `PaymentRequired` instead.
 */
export class PaymentError extends Error {
  override name = "PaymentError";
  readonly code: PaymentErrorCode;
  /** After how many seconds to send the same payment again; undefined if that would not help. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: PaymentErrorCode, message: string, extra: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(message, { cause: extra.cause });
    this.code = code;
    this.retryAfterSeconds = extra.retryAfterSeconds;
  }
}

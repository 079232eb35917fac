/** The reason why a payment cannot be used now. Programs depend on these codes, so they never change. */
export type PaymentErrorCode =
  | "payment_already_used"
  | "idempotency_key_reused"
  | "payment_in_progress"
  | "settlement_pending"
  | "sign_in_refused"
  | "facilitator_unavailable"
  | "not_selling"
  | "not_configured";

/**
 * An error that says why a payment cannot be used now, and what to do. Refusals with status 402 are `PaymentRequired`
 * errors instead.
 */
export class PaymentError extends Error {
  override name = "PaymentError";
  readonly code: PaymentErrorCode;
  /** Seconds until the same payment may succeed. Undefined if sending the payment again does not help. */
  readonly retryAfterSeconds: number | undefined;
  /**
   * A new key for the next attempt, assigned to a call that has no key. The message does not contain the key, because
   * the message is logged.
   */
  readonly idempotencyKey: string | undefined;

  constructor(
    code: PaymentErrorCode,
    message: string,
    extra: { retryAfterSeconds?: number | undefined; idempotencyKey?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: extra.cause });
    this.code = code;
    this.retryAfterSeconds = extra.retryAfterSeconds;
    this.idempotencyKey = extra.idempotencyKey;
  }
}

/** Why a payment cannot be used now. Stable: programs tell failures apart by it. */
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
 * A payment that cannot be used as it stands. The message tells the payer what to do. A refusal with 402 is a
 * `PaymentRequired` instead.
 */
export class PaymentError extends Error {
  override name = "PaymentError";
  readonly code: PaymentErrorCode;
  /** After how many seconds to send the same payment again; undefined if that would not help. */
  readonly retryAfterSeconds: number | undefined;
  /** A key that this call has been given, to be sent with the next attempt. The message, which is logged, lacks it. */
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

/** Why a payment buys nothing now. Stable: programs tell failures apart by it. */
export type PaymentErrorCode =
  | "payment_already_used"
  | "payment_in_progress"
  | "settlement_pending"
  | "facilitator_unavailable"
  | "not_configured";

/** A payment that cannot be taken as it stands. Its message tells the payer what to do; a 402 is a `PaymentRequired` instead. */
export class PaymentError extends Error {
  override name = "PaymentError";
  readonly code: PaymentErrorCode;
  /** When the same payment is worth sending again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: PaymentErrorCode, message: string, extra: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(message, { cause: extra.cause });
    this.code = code;
    this.retryAfterSeconds = extra.retryAfterSeconds;
  }
}

import type { ProblemCode } from "./api.ts";

/** Codes of errors that the client detects itself. */
export type ClientErrorCode =
  /** An argument of the call is invalid. Nothing was sent. */
  | "invalid_argument"
  /** No answer arrived. */
  | "unreachable"
  /** The answer was cut off, or is not from an Overprint deployment. */
  | "answer_broken"
  /** The answer is a redirect, which the client does not follow. */
  | "redirected"
  /** The payment terms are not valid x402. */
  | "not_x402"
  /** The account cannot pay in any of the offered ways within the limits of this client. */
  | "not_payable"
  /** The account did not sign the payment. */
  | "not_signed"
  /** The service refused the payment. */
  | "payment_refused"
  /** The state of the payment channel in the answer is wrong. Do not use the channel again. */
  | "channel_wrong"
  /** The download is incomplete, or differs from the file that the signed receipt names. */
  | "download_wrong";

/** Code of an error. An answer without a code has its HTTP status as the code, such as `http_502`. */
export type ErrorCode = ProblemCode | ClientErrorCode | `http_${number}`;

/** An invalid field of a request. */
export interface FieldError {
  path: string;
  message: string;
}

/** Facts about a failed call. */
interface Failed {
  status?: number | undefined;
  errors?: readonly FieldError[] | undefined;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/** An error of the client or of the service. Its message says what to do. */
export class OverprintError extends Error {
  override name = "OverprintError";
  readonly code: ErrorCode;
  /** HTTP status of the answer. */
  readonly status: number | undefined;
  /** Each invalid field, for `invalid_request`. */
  readonly errors: readonly FieldError[];
  /** Id of the call, for reports to the operator. */
  readonly requestId: string | undefined;
  /** Seconds after which a repeated call may succeed. Undefined if waiting does not help. */
  readonly retryAfterSeconds: number | undefined;
  /**
   * Whether the payment may settle although the call failed. To get the result without a second payment, repeat the
   * call with `idempotencyKey`. If `uploadHandle` is defined, send it in place of the file.
   */
  mayBePaid = false;
  /** Idempotency key of the failed call. */
  idempotencyKey: string | undefined;
  /** Handle of the uploaded file, if the file was too large for the call. */
  uploadHandle: string | undefined;

  constructor(code: ErrorCode, message: string, failed: Failed = {}) {
    super(message, { cause: failed.cause });
    this.code = code;
    this.status = failed.status;
    this.errors = failed.errors ?? [];
    this.requestId = failed.requestId;
    this.retryAfterSeconds = failed.retryAfterSeconds;
  }
}

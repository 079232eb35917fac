import { EngineError, type EngineErrorCode } from "../engine/index.ts";
import { PaymentError, type PaymentErrorCode } from "../payments/wire/errors.ts";

/**
 * Every error of the service: its stable `code`, its HTTP status and its title. The function that throws an error
 * writes its `detail`, which says what to do next.
 */
export const PROBLEMS = {
  invalid_request: { status: 400, title: "The request is invalid" },
  not_found: { status: 404, title: "Nothing exists at this path" },
  method_not_allowed: { status: 405, title: "This path does not support the method" },
  body_timeout: { status: 408, title: "The request body arrived too slowly" },
  body_too_large: { status: 413, title: "The request body is too large" },
  too_many_requests: { status: 429, title: "Too many requests" },
  unsupported_media_type: { status: 415, title: "The content type or encoding is not supported" },

  source_not_allowed: { status: 422, title: "The file URL is not allowed" },
  source_unreachable: { status: 502, title: "The file URL could not be fetched" },
  source_timeout: { status: 504, title: "The file URL responded too slowly" },
  source_too_large: { status: 413, title: "The file is too large" },

  too_busy: { status: 503, title: "The service is temporarily overloaded" },

  not_a_pdf: { status: 422, title: "The file is not a PDF" },
  damaged_pdf: { status: 422, title: "The PDF is damaged beyond repair" },
  too_many_pages: { status: 422, title: "The PDF has too many pages" },
  too_complex: { status: 422, title: "The PDF takes too much work to process" },
  password_required: { status: 422, title: "The PDF requires a password" },
  wrong_password: { status: 422, title: "The password does not open the PDF" },
  modification_not_permitted: { status: 422, title: "The PDF's owner does not permit changes" },
  unsupported_encryption: { status: 422, title: "The PDF's encryption is not supported" },
  xfa_not_supported: { status: 422, title: "The PDF is a dynamic XFA form" },

  unsupported_image: { status: 422, title: "The image format is not supported" },
  damaged_image: { status: 422, title: "The image is damaged" },
  image_too_large: { status: 413, title: "The image is too large" },
  unsupported_character: { status: 422, title: "The text has a character that no font covers" },

  payment_already_used: { status: 409, title: "The payment was already used" },
  idempotency_key_reused: { status: 422, title: "The Idempotency-Key was used for another request" },
  payment_in_progress: { status: 503, title: "The payment is in use by another call" },
  settlement_pending: { status: 503, title: "The payment is not settled yet" },
  facilitator_unavailable: { status: 503, title: "Payments cannot be processed right now" },
  blocked: { status: 403, title: "This deployment does not serve the caller" },
  not_selling: { status: 503, title: "This deployment is not accepting new orders right now" },
  not_configured: { status: 503, title: "This deployment does not accept payments yet" },

  sign_in_required: { status: 402, title: "A sign-in with the paying key is required" },
  sign_in_refused: { status: 403, title: "The sign-in is invalid" },

  upload_not_found: { status: 404, title: "The upload does not exist" },
  upload_expired: { status: 410, title: "The upload has expired" },
  upload_used: { status: 409, title: "The upload already has its file" },
  upload_empty: { status: 409, title: "The upload has no file yet" },
  upload_length_wrong: { status: 400, title: "The body length does not match the upload" },

  quote_not_found: { status: 404, title: "The payment link does not exist" },
  quote_expired: { status: 410, title: "The payment link has expired" },
  quote_sold: { status: 409, title: "The payment link was already paid" },

  call_cancelled: { status: 503, title: "The call was canceled" },

  file_not_found: { status: 404, title: "The file does not exist" },
  invalid_token: { status: 403, title: "The token is wrong" },
  precondition_failed: { status: 412, title: "The file does not match the precondition" },
  range_not_satisfiable: { status: 416, title: "The range is outside the file" },
  link_expired: { status: 410, title: "The link has expired or was revoked" },

  internal_error: { status: 500, title: "The service failed unexpectedly" },
} as const satisfies Record<string, { status: number; title: string }> &
  Record<EngineErrorCode | PaymentErrorCode, unknown>;

/** A code of {@link PROBLEMS}. */
export type ProblemCode = keyof typeof PROBLEMS;

/** An invalid field of a request: an entry of the extension member `errors` (RFC 9457). */
export interface FieldError {
  path: string;
  message: string;
}

/** Maximum length of a caller-supplied name that an error message repeats without truncation. */
const MAX_SHOWN_NAME = 64;

/** Returns a caller-supplied name for an error message, truncated if it is long. */
export function shownName(name: string): string {
  return name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}…` : name;
}

/** Returns the error of a field that a request contains more than once. */
export function repeatedField(name: string): FieldError {
  return { path: shownName(name), message: "must be given only once" };
}

/** An error that is sent to the caller, over HTTP or MCP. */
export class Problem extends Error {
  override name = "Problem";
  readonly code: ProblemCode;
  /** One or two sentences for the caller: the cause, then what to do. The sentences reveal no internals. */
  readonly detail: string;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;
  /** URI of the problem's type, if a protocol defines one for it (RFC 9457, 3.1.1). */
  readonly type: string;
  /** A generated idempotency key for the caller's next attempt. The key is secret, so `message` and the log omit it. */
  readonly idempotencyKey: string | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    extra: {
      errors?: FieldError[];
      headers?: Record<string, string>;
      type?: string;
      idempotencyKey?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(`${code}: ${detail}`, { cause: extra.cause });
    this.code = code;
    this.detail = detail;
    this.errors = extra.errors;
    this.headers = extra.headers ?? {};
    this.type = extra.type ?? "about:blank";
    this.idempotencyKey = extra.idempotencyKey;
  }

  get status() {
    return PROBLEMS[this.code].status;
  }
}

/** Converts any thrown value to a Problem. An unexpected error becomes a generic Problem that reveals no internals. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof EngineError) return new Problem(error.code, error.message);
  if (error instanceof PaymentError) {
    const { code, message, retryAfterSeconds, idempotencyKey, cause } = error;
    const headers = retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
    return new Problem(code, message, { headers, idempotencyKey, cause });
  }
  return new Problem(
    "internal_error",
    "The service failed unexpectedly. Try again, with the same payment and Idempotency-Key if you sent them: the call is charged at most once. If it happens twice, quote `request_id`.",
    { cause: error },
  );
}

/**
 * Returns a problem as sent to the caller (RFC 9457, with the extension members `code`, `request_id`, `errors` and
 * `idempotency_key`).
 */
export function problemDetails({ type, code, detail, errors, idempotencyKey }: Problem, requestId: string) {
  const { status, title } = PROBLEMS[code];
  const withKey = idempotencyKey
    ? ` Send "Idempotency-Key: ${idempotencyKey}" with it. Without the key, you cannot get the result after the payment settles.`
    : "";
  return {
    ...{ type, title, status, code, detail: detail + withKey, request_id: requestId },
    ...(errors && { errors }),
    ...(idempotencyKey && { idempotency_key: idempotencyKey }),
  };
}

/**
 * Serializes a failure, so that the ledger can pass it to other calls that wait for the same work. Returns undefined
 * for a canceled call, because the waiting calls then continue without it.
 */
export function writeFailure(error: unknown): string | undefined {
  const { code, detail, errors, headers } = problemOf(error);
  if (code === "call_cancelled") return undefined;
  return JSON.stringify({ code, detail, errors, headers });
}

/** Parses the problem that {@link writeFailure} wrote. */
export function readFailure(text: string): Problem {
  const { code, detail, ...extra } = JSON.parse(text) as Pick<Problem, "code" | "detail" | "headers">;
  return new Problem(code, detail, extra);
}

/**
 * Throws if the caller has canceled the call.
 * @throws Problem call_cancelled if `signal` is aborted
 */
export function throwIfCanceled(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new Problem("call_cancelled", "The caller canceled the call. Nothing was charged. Call again.");
}

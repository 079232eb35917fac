import { EngineError, type EngineErrorCode } from "../engine/index.ts";
import { PaymentError, type PaymentErrorCode } from "../payments/wire/errors.ts";

/**
 * Every error of the service: the stable `code` that callers program against, its HTTP status and its title. The
 * `detail` is written where the error is detected and says what to do next.
 */
export const PROBLEMS = {
  invalid_request: { status: 400, title: "The request is not valid" },
  not_found: { status: 404, title: "There is nothing at this address" },
  method_not_allowed: { status: 405, title: "This address does not take that method" },
  body_timeout: { status: 408, title: "The request body came too slowly" },
  body_too_large: { status: 413, title: "The request body is too large" },
  too_many_requests: { status: 429, title: "Too many requests" },
  unsupported_media_type: { status: 415, title: "This content type or encoding is not supported" },

  source_not_allowed: { status: 422, title: "This address may not be fetched" },
  source_unreachable: { status: 502, title: "The address could not be fetched" },
  source_timeout: { status: 504, title: "The address answered too slowly" },
  source_too_large: { status: 413, title: "The file is too large" },

  too_busy: { status: 503, title: "Too much at once" },

  not_a_pdf: { status: 422, title: "The file is not a PDF" },
  damaged_pdf: { status: 422, title: "The PDF is damaged beyond repair" },
  too_many_pages: { status: 422, title: "The PDF has too many pages" },
  too_complex: { status: 422, title: "The PDF takes too much work" },
  password_required: { status: 422, title: "The PDF needs a password" },
  modification_not_permitted: { status: 422, title: "The PDF's owner does not permit changes" },
  unsupported_encryption: { status: 422, title: "The PDF's encryption is not supported" },
  xfa_not_supported: { status: 422, title: "The PDF is a dynamic XFA form" },

  unsupported_image: { status: 422, title: "The image format is not supported" },
  damaged_image: { status: 422, title: "The image is damaged" },
  image_too_large: { status: 413, title: "The image is too large" },
  unsupported_character: { status: 422, title: "The text has a character no font covers" },

  payment_already_used: { status: 409, title: "The payment has been used" },
  idempotency_key_reused: { status: 422, title: "The Idempotency-Key has been used for another request" },
  payment_in_progress: { status: 503, title: "The payment is being used right now" },
  settlement_pending: { status: 503, title: "The payment is still being settled" },
  facilitator_unavailable: { status: 503, title: "Payments cannot be processed right now" },
  not_selling: { status: 503, title: "This deployment sells nothing at the moment" },
  not_configured: { status: 503, title: "This deployment does not take payments yet" },

  sign_in_required: { status: 402, title: "Sign in with the key that pays" },
  sign_in_refused: { status: 403, title: "This sign-in is not valid" },

  upload_not_found: { status: 404, title: "There is no such upload" },
  upload_expired: { status: 410, title: "The upload has ended" },
  upload_used: { status: 409, title: "The upload has its file already" },
  upload_empty: { status: 409, title: "Nothing has been uploaded yet" },
  upload_length_wrong: { status: 400, title: "The body has not the length of the upload" },

  call_cancelled: { status: 503, title: "The call was cancelled" },

  file_not_found: { status: 404, title: "There is no such file" },
  invalid_token: { status: 403, title: "The token is wrong" },
  precondition_failed: { status: 412, title: "The file is not the one expected" },
  range_not_satisfiable: { status: 416, title: "The file has no such range" },
  link_expired: { status: 410, title: "The link has ended" },

  internal_error: { status: 500, title: "Something failed on our side" },
} as const satisfies Record<string, { status: number; title: string }> &
  Record<EngineErrorCode | PaymentErrorCode, unknown>;

/** A code of {@link PROBLEMS}. */
export type ProblemCode = keyof typeof PROBLEMS;

/** One wrong field of a request, as in the extension member `errors` of RFC 9457. */
export interface FieldError {
  path: string;
  message: string;
}

/** The longest name of a caller's own that is repeated whole. */
const MAX_TOLD_NAME = 64;

/** Returns a name that a caller has sent as answers repeat it: a long one by its beginning. */
export function toldName(name: string): string {
  return name.length > MAX_TOLD_NAME ? `${name.slice(0, MAX_TOLD_NAME)}…` : name;
}

/** An error for the caller to read. Thrown where it is detected; HTTP and MCP only render it. */
export class Problem extends Error {
  override name = "Problem";
  readonly code: ProblemCode;
  /** One or two sentences for the caller: what is wrong and what to do next. Contains nothing internal. */
  readonly detail: string;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;
  /** A key that this call has been given, to be sent with the next attempt. What is logged of a Problem lacks it. */
  readonly idempotencyKey: string | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    extra: {
      errors?: FieldError[];
      headers?: Record<string, string>;
      idempotencyKey?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(`${code}: ${detail}`, { cause: extra.cause });
    this.code = code;
    this.detail = detail;
    this.errors = extra.errors;
    this.headers = extra.headers ?? {};
    this.idempotencyKey = extra.idempotencyKey;
  }

  get status() {
    return PROBLEMS[this.code].status;
  }
}

/** Converts anything thrown to a Problem; internals stay hidden. */
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
    "Something failed on our side. Nothing was charged; try again, and quote `request_id` if it happens twice.",
    { cause: error },
  );
}

/**
 * Returns a problem as sent to the caller (RFC 9457, with the extension members `code`, `request_id`, `errors` and
 * `idempotency_key`).
 */
export function problemDetails({ code, detail, errors, idempotencyKey }: Problem, requestId: string) {
  const { status, title } = PROBLEMS[code];
  const withKey = idempotencyKey
    ? ` Send "Idempotency-Key: ${idempotencyKey}" with it: only then is the result yours once the payment has moved.`
    : "";
  return {
    ...{ type: "about:blank", title, status, code, detail: detail + withKey, request_id: requestId },
    ...(errors && { errors }),
    ...(idempotencyKey && { idempotency_key: idempotencyKey }),
  };
}

/**
 * Serializes a failure, so that the ledger can pass it to other calls waiting for the same work. Returns undefined for a
 * call that was cancelled: the others were not.
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
 * Stops work that the caller has cancelled.
 * @throws Problem call_cancelled if `signal` is aborted
 */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new Problem("call_cancelled", "The call was cancelled by its sender. Nothing was charged; call again.");
}

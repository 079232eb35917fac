import type { PaymentPayload } from "../../payments/wire/paymentPayload.ts";
import { Problem } from "../../shared/problems.ts";

/** The header, and in MCP the entry of a tool call's `_meta`, that a caller sends its idempotency key in. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";
export const IDEMPOTENCY_META = "x402/idempotency-key";

/** The longest key. */
export const MAX_KEY_CHARACTERS = 255;
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${MAX_KEY_CHARACTERS}}$`);
/** What a key must be: the end of a sentence. */
export const KEY_RULE = `must be 1 to ${MAX_KEY_CHARACTERS} printable ASCII characters`;

/** Returns whether a text can be a key. */
export function isIdempotencyKey(text: string): boolean {
  return KEY.test(text);
}

/**
 * Returns the key of a call: the one sent with it, or else the payment's `payment-identifier`.
 * @throws Problem invalid_request if what was sent is not printable ASCII of at most 255 characters
 */
export function idempotencyKeyOf(sent: unknown, { identifier }: PaymentPayload): string | null {
  if (sent === null || sent === undefined) return identifier;
  if (typeof sent === "string" && isIdempotencyKey(sent)) return sent;
  throw new Problem("invalid_request", `The ${IDEMPOTENCY_KEY} ${KEY_RULE}. A UUID is a good one.`, {
    errors: [{ path: IDEMPOTENCY_KEY, message: KEY_RULE }],
  });
}

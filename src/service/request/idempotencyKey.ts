import { isAssignedKey } from "../../payments/ledger/keyBinding.ts";
import type { PaymentPayload } from "../../payments/wire/paymentPayload.ts";
import { Problem } from "../../shared/problems.ts";

/** The HTTP header with a caller's idempotency key. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";
/** The entry of an MCP tool call's `_meta` with a caller's idempotency key. */
export const IDEMPOTENCY_META = "x402/idempotency-key";

/** Maximum length of an idempotency key. */
export const MAX_KEY_CHARACTERS = 255;
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${MAX_KEY_CHARACTERS}}$`);
/** The rule for idempotency keys, as the end of a sentence. */
export const KEY_RULE = `must be 1 to ${MAX_KEY_CHARACTERS} printable ASCII characters`;

/** Returns whether a text is a valid idempotency key. */
export function isIdempotencyKey(text: string): boolean {
  return KEY.test(text);
}

/**
 * Returns the idempotency key of a call: the key sent with it, or else the payment's `payment-identifier`.
 * @throws Problem invalid_request if the key is not 1 to 255 printable ASCII characters
 */
export function idempotencyKeyOf(sent: unknown, { identifier }: Pick<PaymentPayload, "identifier">): string | null {
  if (sent === null || sent === undefined) return identifier;
  if (typeof sent === "string" && isIdempotencyKey(sent)) return sent;
  throw new Problem("invalid_request", `The ${IDEMPOTENCY_KEY} ${KEY_RULE}. Send a UUID, for example.`, {
    errors: [{ path: IDEMPOTENCY_KEY, message: KEY_RULE }],
  });
}

/**
 * Returns whether the caller has chosen the key sent with a call. A key that the service has assigned is not chosen. A
 * `payment-identifier` is not chosen either, because clients of this x402 extension create a new one for each attempt
 * by default.
 */
export function isKeyChosen(sent: unknown): boolean {
  return typeof sent === "string" && !isAssignedKey(sent);
}

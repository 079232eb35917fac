import { isAssignedKey } from "../../payments/ledger/keyBinding.ts";
import { isIdempotencyKey, KEY_RULE } from "../../payments/wire/keyRule.ts";
import type { PaymentPayload } from "../../payments/wire/paymentPayload.ts";
import { Problem } from "../../shared/problems.ts";

/** The HTTP header with a caller's idempotency key. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";
/** The entry of an MCP tool call's `_meta` with a caller's idempotency key. */
export const IDEMPOTENCY_META = "x402/idempotency-key";

/**
 * Returns the idempotency key of a call: the key sent with it, or else the payment's `payment-identifier`.
 * @throws Problem invalid_request if the key is not 1 to 255 printable ASCII characters
 */
export function idempotencyKeyOf(sent: unknown, { identifier }: Pick<PaymentPayload, "identifier">): string | null {
  if (sent === null || sent === undefined) return identifier;
  if (isIdempotencyKey(sent)) return sent;
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

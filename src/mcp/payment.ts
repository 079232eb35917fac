import { IDEMPOTENCY_KEY, IDEMPOTENCY_META } from "../service/request/idempotencyKey.ts";

type Meta = Readonly<Record<string, unknown>> | undefined;

/**
 * Returns the payments that a call carries, in order of preference: that of its message (x402 v2, transport MCP,
 * "Payment Payload Transmission"), and those of the HTTP request around it.
 * @param meta the message's `_meta`
 */
export function paymentsIn(meta: Meta, { headers }: Request): (string | object)[] {
  const payment = meta?.["x402/payment"] ?? null;
  return [
    typeof payment === "string" || payment === null ? payment : (Object(payment) as object),
    headers.get("PAYMENT-SIGNATURE"),
    headers.get("X-PAYMENT"),
  ].filter((sent) => sent !== null);
}

/** Returns the idempotency key that a call carries, unchecked: its message's, or that of the HTTP request around it. */
export function sentKeyIn(meta: Meta, { headers }: Request): unknown {
  return meta?.[IDEMPOTENCY_META] ?? headers.get(IDEMPOTENCY_KEY);
}

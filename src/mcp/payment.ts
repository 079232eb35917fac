import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { IDEMPOTENCY_KEY, IDEMPOTENCY_META } from "../service/request/idempotencyKey.ts";

type Meta = Readonly<Record<string, unknown>> | undefined;

/**
 * Returns the payments of a call in order of preference. The payment in the message comes first (x402 v2, transport
 * MCP, "Payment Payload Transmission"). The payments in the HTTP headers follow.
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

/**
 * Returns the unvalidated idempotency key of a call. A key in the message takes precedence over a key in the HTTP
 * headers.
 */
export function sentKeyIn(meta: Meta, { headers }: Request): unknown {
  return meta?.[IDEMPOTENCY_META] ?? headers.get(IDEMPOTENCY_KEY);
}

/**
 * Name of the extension with which a client of protocol 2026-07-28 accepts the result type `payment_required` (x402,
 * transport MCP, "Extension Binding").
 */
export const PAYMENT_EXTENSION = "org.x402/payment";

/** Returns whether the client declares that it supports {@link PAYMENT_EXTENSION}. */
export function takesPaymentRequired(mcpReq: ServerContext["mcpReq"]): boolean {
  return capabilitiesOf(mcpReq)?.extensions?.[PAYMENT_EXTENSION] !== undefined;
}

/**
 * Returns whether the client declares that it can open pages for its user (MCP 2026-07-28, elicitation in URL mode).
 */
export function opensPages(mcpReq: ServerContext["mcpReq"]): boolean {
  return capabilitiesOf(mcpReq)?.elicitation?.url !== undefined;
}

/**
 * Returns the client capabilities that a message contains. Messages of protocol revisions before 2026-07-28 contain no
 * capabilities.
 */
function capabilitiesOf({ envelope }: ServerContext["mcpReq"]): ClientCapabilities | undefined {
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = (envelope ?? {}) as {
    [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  };
  return capabilities;
}

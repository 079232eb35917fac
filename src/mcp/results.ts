import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Sold } from "../payments/sale/gate.ts";
import {
  type PaymentRequired,
  paymentRequiredV1,
  paymentRequiredV2,
  type SignedOffers,
} from "../payments/wire/offer.ts";
import { result } from "../service/request/schemas.ts";
import { NOTICES } from "../service/sale/notices.ts";
import type { Delivery } from "../service/sale/products.ts";
import { type Problem, problemDetails } from "../shared/problems.ts";

/** Schema of the terms of a call that has not been paid. */
export const terms = z.object({
  x402Version: z.literal(2),
  error: z.string(),
  accepts: z.array(z.object({})).describe("The ways to pay: sign one of them (x402 version 2)."),
});

/**
 * Schema of `structuredContent`: the result, or the terms if the call has not been paid. It includes the terms because
 * clients validate errors against the schema too, and payers look for the terms there first.
 */
export const output = z.union([result, terms]);

/** Told where an earlier payment under the same key has paid. */
const LAPSES = "It was paid for before: the payment sent with this call was not settled, and lapses by itself.";

/**
 * Returns the tool result for a paid call, with its receipt (x402 v2, transport MCP, "Settlement Response Delivery").
 */
export function delivered({
  value: { result, notices, filename },
  receipt,
  isPaidEarlier,
}: Sold<Delivery>): CallToolResult {
  const { url, pages, bytes, expires_at } = result.output;
  return {
    content: [
      {
        type: "text",
        text: `Watermarked ${pages} ${pages === 1 ? "page" : "pages"} for ${result.cost}. Download the PDF until ${expires_at}: ${url}${notices.map((notice) => ` ${NOTICES[notice]}`).join("")}${isPaidEarlier ? ` ${LAPSES}` : ""}`,
      },
      { type: "resource_link", uri: url, name: filename, mimeType: "application/pdf", size: bytes },
    ],
    structuredContent: { ...result },
    _meta: { "x402/payment-response": receipt },
  };
}

/**
 * Returns the tool result for an unpaid call (x402 v2, transport MCP, "Payment Required Signaling"): a sentence for a
 * model, then the terms. These are where the official clients (`structuredContent`; only without it the first text) and
 * Cloudflare's (`_meta`) look for them; the last text has them in version 1.
 * @param signed the offers, signed
 */
export function paymentRequired(
  { offer, reason, refusal }: PaymentRequired,
  sentence: string,
  signed?: SignedOffers,
): CallToolResult {
  const unpaid = paymentRequiredV2(offer, reason, signed);
  return {
    isError: true,
    content: [
      { type: "text", text: sentence },
      { type: "text", text: JSON.stringify(unpaid) },
      { type: "text", text: JSON.stringify(paymentRequiredV1(offer, reason, signed)) },
    ],
    structuredContent: { ...unpaid },
    _meta: { "x402/error": unpaid, ...(refusal && { "x402/payment-response": refusal.receipt }) },
  };
}

/** Returns the tool result for a Problem, in the same words and shape that HTTP callers get. */
export function refused(problem: Problem, requestId: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text: JSON.stringify(problemDetails(problem, requestId)) }] };
}

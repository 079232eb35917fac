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
import { noticeText } from "../service/sale/notices.ts";
import type { Delivery } from "../service/sale/products.ts";
import { type Problem, problemDetails } from "../shared/problems.ts";

/** Schema of the terms of an unpaid call. */
export const terms = z.object({
  x402Version: z.literal(2),
  error: z.string(),
  accepts: z.array(z.object({})).describe("The ways to pay (x402 version 2). Sign one of them."),
});

/**
 * Schema of `structuredContent`: the result, or the terms of an unpaid call. The schema includes the terms because
 * clients validate errors against it too, and paying clients look for the terms in `structuredContent` first.
 */
export const output = z.union([result, terms]);

/** Sentence appended to the result if an earlier payment with the same key or content was charged. */
const PAID_EARLIER =
  "An earlier payment for this call was charged. The payment sent now was not settled and expires unused. To buy the result again, send a new idempotency key.";

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
        text: `Watermarked ${pages} ${pages === 1 ? "page" : "pages"} for ${result.cost}. Download the PDF until ${expires_at}: ${url}${notices.map((notice) => ` ${noticeText(notice)}`).join("")}${isPaidEarlier ? ` ${PAID_EARLIER}` : ""}`,
      },
      { type: "resource_link", uri: url, name: filename, mimeType: "application/pdf", size: bytes },
    ],
    structuredContent: { ...result },
    _meta: { "x402/payment-response": receipt },
  };
}

/**
 * Returns the tool result for an unpaid call (x402 v2, transport MCP, "Payment Required Signaling"): a sentence for the
 * model, then the terms. The official clients read the terms from `structuredContent`, or else from the first text.
 * Cloudflare's client reads the terms from `_meta`. The last text contains the terms of x402 version 1.
 * @param signed the signed offers
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

/** Returns the tool result for a Problem, with the same content as over HTTP. */
export function refused(problem: Problem, requestId: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text: JSON.stringify(problemDetails(problem, requestId)) }] };
}

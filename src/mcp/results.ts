import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Sold } from "../payments/sale/gate.ts";
import type { PaymentRequired, SignedOffers } from "../payments/wire/offer.ts";
import { briefPaymentRequired, paymentRequiredV1, paymentRequiredV2 } from "../payments/wire/renderings.ts";
import { noticeText, PAID_EARLIER } from "../service/sale/notices.ts";
import type { Delivery } from "../service/sale/products.ts";
import { type FieldError, type Problem, problemDetails } from "../shared/problems.ts";

/** Schema of the terms of an unpaid call. */
export const terms = z.object({
  x402Version: z.literal(2),
  error: z.string(),
  accepts: z.array(z.object({})).describe("The ways to pay (x402 version 2). Sign one of them."),
  problems: z
    .array(z.object({}))
    .optional()
    .describe("Wrong arguments: path and message. Correct them before you pay."),
});

/**
 * Returns the tool result for a paid call, with its receipt (x402 v2, transport MCP, "Settlement Response Delivery").
 */
export function delivered({
  value: { result, notices, filename },
  receipt,
  isPaidEarlier,
}: Sold<Delivery>): CallToolResult {
  const { url, pages, bytes, expires_at } = result.output;
  const listed = isPaidEarlier ? [...notices, PAID_EARLIER] : notices;
  return {
    content: [
      {
        type: "text",
        text: `Watermarked ${pages} ${pages === 1 ? "page" : "pages"} for ${result.cost}. Download the PDF until ${expires_at}: ${url}${listed.map((notice) => ` ${noticeText(notice)}`).join("")}`,
      },
      { type: "resource_link", uri: url, name: filename, mimeType: "application/pdf", size: bytes },
    ],
    structuredContent: { ...result },
    _meta: { "x402/payment-response": receipt },
  };
}

/**
 * Returns the tool result for an unpaid call (x402 v2, transport MCP, "Payment Required Signaling"). The first text is
 * the terms as JSON, because some hosts pass only `content` to the client. The second text is the sentence for the
 * model. The official clients read the terms from `structuredContent`, Cloudflare's from `_meta`.
 * @param problems errors in the call's arguments
 * @param signed the signed offers
 */
export function paymentRequired(
  { offer, reason, refusal }: PaymentRequired,
  sentence: string,
  problems: readonly FieldError[],
  signed?: SignedOffers,
): CallToolResult {
  const unpaid = paymentRequiredV2(offer, reason, signed);
  return {
    isError: true,
    content: [
      { type: "text", text: JSON.stringify(briefPaymentRequired(offer, reason)) },
      { type: "text", text: sentence },
    ],
    structuredContent: { ...unpaid, ...(problems.length > 0 && { problems }) },
    _meta: {
      "x402/error": unpaid,
      "x402/error-v1": paymentRequiredV1(offer, reason, signed),
      ...(refusal && { "x402/payment-response": refusal.receipt }),
    },
  };
}

/**
 * Returns the result for an unpaid call of a client that supports the extension {@link PAYMENT_EXTENSION} ("Extension
 * Binding"). This result is not a tool result. Its `isError` keeps the SDK from requiring structured content.
 * @param problems errors in the call's arguments
 * @param signed the signed offers
 */
export function paymentRequiredExtension(
  { offer, reason, refusal }: PaymentRequired,
  problems: readonly FieldError[],
  signed?: SignedOffers,
): CallToolResult {
  return {
    resultType: "payment_required",
    paymentRequired: { ...paymentRequiredV2(offer, reason, signed), ...(problems.length > 0 && { problems }) },
    isError: true,
    content: [],
    ...(refusal && { _meta: { "x402/payment-response": refusal.receipt } }),
  };
}

/** Returns the tool result for a Problem, with the same content as over HTTP. */
export function refused(problem: Problem, requestId: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text: JSON.stringify(problemDetails(problem, requestId)) }] };
}

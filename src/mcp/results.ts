import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Notice } from "../engine/index.ts";
import { type PaymentRequired, paymentRequiredV1, paymentRequiredV2, type Receipt } from "../payments/offer.ts";
import { type Problem, problemDetails } from "../problems.ts";
import type { Delivery } from "../service/products.ts";
import { result } from "../service/schemas.ts";

/**
 * What a tool answers in `structuredContent`: the result, or the terms where it has not been paid. The terms are in it because
 * clients hold errors to the schema too, while payers look for them there first.
 */
export const output = z.union([
  result,
  z.object({
    x402Version: z.literal(2),
    error: z.string(),
    accepts: z.array(z.object({})).describe("The ways to pay: sign one of them (x402 version 2)."),
  }),
]);

/** What notices say to a model. */
const NOTICES: Record<Notice, string> = {
  "signatures-invalidated": "The source was signed; its signatures are no longer valid.",
};

/** What was bought, with its receipt (x402 v2, transport MCP, "Settlement Response Delivery"). */
export function delivered({ result, notices }: Delivery, receipt: Receipt): CallToolResult {
  const { url, pages, bytes, expires_at } = result.output;
  return {
    content: [
      {
        type: "text",
        text: `Watermarked ${pages} ${pages === 1 ? "page" : "pages"} for ${result.cost}. Download the PDF until ${expires_at}: ${url}${notices.map((notice) => ` ${NOTICES[notice]}`).join("")}`,
      },
      { type: "resource_link", uri: url, name: "watermarked.pdf", mimeType: "application/pdf", size: bytes },
    ],
    structuredContent: { ...result },
    _meta: { "x402/payment-response": receipt },
  };
}

/**
 * The terms, where the official clients (`structuredContent`, else the first text) and Cloudflare's (`_meta`) look for them
 * (x402 v2, transport MCP, "Payment Required Signaling"); the second text has them in version 1.
 */
export function paymentRequired({ offer, reason, refusal }: PaymentRequired): CallToolResult {
  const terms = paymentRequiredV2(offer, reason);
  return {
    isError: true,
    content: [
      { type: "text", text: JSON.stringify(terms) },
      { type: "text", text: JSON.stringify(paymentRequiredV1(offer, reason)) },
    ],
    structuredContent: { ...terms },
    _meta: { "x402/error": terms, ...(refusal && { "x402/payment-response": refusal.receipt }) },
  };
}

/** A refusal, in the words and the shape that HTTP callers get. */
export function refused(problem: Problem, requestId: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text: JSON.stringify(problemDetails(problem, requestId)) }] };
}

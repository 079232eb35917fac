import { type PaymentRequired, paymentRequiredV2, type Receipt } from "../payments/offer.ts";

/** The header that gives a payer their receipt, as their version of x402 names it. */
export function receiptHeader(version: 1 | 2, receipt: Receipt): Record<string, string> {
  return { [version === 1 ? "X-PAYMENT-RESPONSE" : "PAYMENT-RESPONSE"]: encode(receipt) };
}

/** The headers of a 402: version 2's terms (version 1 has them in the body), and what became of a settlement. */
export function paymentRequiredHeaders({ offer, reason, refusal }: PaymentRequired): Record<string, string> {
  return {
    "PAYMENT-REQUIRED": encode(paymentRequiredV2(offer, reason)),
    ...(refusal && receiptHeader(refusal.version, refusal.receipt)),
  };
}

function encode(value: object): string {
  return new TextEncoder().encode(JSON.stringify(value)).toBase64();
}

import { type SignInTerms, signInExtension } from "../payments/sale/signIn.ts";
import type { PaymentRequired, Receipt, SignedOffers } from "../payments/wire/offer.ts";
import { paymentRequiredV2 } from "../payments/wire/renderings.ts";

/** Returns the header with the payment's receipt. The header name depends on the version of x402. */
export function receiptHeader(version: 1 | 2, receipt: Receipt): Record<string, string> {
  return { [version === 1 ? "X-PAYMENT-RESPONSE" : "PAYMENT-RESPONSE"]: encode(receipt) };
}

/**
 * Returns the headers of a 402: the terms of x402 version 2, and the receipt of a failed settlement, if any. The terms
 * of version 1 are in the body.
 * @param signed the signed offers
 */
export function paymentRequiredHeaders(
  { offer, reasonV2, refusal }: PaymentRequired,
  signed?: SignedOffers,
): Record<string, string> {
  return {
    "PAYMENT-REQUIRED": encode(paymentRequiredV2(offer, reasonV2, signed)),
    ...(refusal && receiptHeader(refusal.version, refusal.receipt)),
  };
}

/** Returns the header that requests a sign-in. It holds the terms of x402 version 2 without any offer. */
export function signInHeaders(terms: SignInTerms): Record<string, string> {
  const { origin, pathname } = terms.url;
  return {
    "PAYMENT-REQUIRED": encode({
      x402Version: 2,
      error: "SIGN-IN-WITH-X header is required",
      resource: { url: origin + pathname, description: "Your purchases", mimeType: "application/json" },
      accepts: [],
      extensions: signInExtension(terms),
    }),
  };
}

function encode(value: object): string {
  return new TextEncoder().encode(JSON.stringify(value)).toBase64();
}

import { type SignInTerms, signInExtension } from "../payments/sale/signIn.ts";
import { type PaymentRequired, paymentRequiredV2, type Receipt, type SignedOffers } from "../payments/wire/offer.ts";

/** Returns the header with the payer's receipt, named as in their version of x402. */
export function receiptHeader(version: 1 | 2, receipt: Receipt): Record<string, string> {
  return { [version === 1 ? "X-PAYMENT-RESPONSE" : "PAYMENT-RESPONSE"]: encode(receipt) };
}

/**
 * Returns the headers of a 402: the terms for version 2 (version 1 has them in the body), and the receipt of a refused
 * settlement, if any.
 * @param signed the offers, signed
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

/** Returns the header that says how to sign in: it is version 2's 402, with nothing to pay. */
export function signInHeaders(terms: SignInTerms): Record<string, string> {
  const { origin, pathname } = terms.url;
  return {
    "PAYMENT-REQUIRED": encode({
      x402Version: 2,
      error: "SIGN-IN-WITH-X header is required",
      resource: { url: origin + pathname, description: "What you have bought", mimeType: "application/json" },
      accepts: [],
      extensions: signInExtension(terms),
    }),
  };
}

function encode(value: object): string {
  return new TextEncoder().encode(JSON.stringify(value)).toBase64();
}

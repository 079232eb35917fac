import { type SignInTerms, signInExtension } from "../payments/sale/signIn.ts";
import type { PaymentRequired, Receipt, SignedOffers } from "../payments/wire/offer.ts";
import { MPP_METHOD, paymentRequiredV2 } from "../payments/wire/renderings.ts";

/**
 * Maximum total length of the two headers with payment terms, in characters. The first challenge is always sent, and
 * further challenges must fit within this length. Proxies often limit all headers of a response to 8 KB.
 */
const MAX_TERMS_LENGTH = 6500;

/** Returns the header with the payment's receipt. The header name depends on the version of x402. */
export function receiptHeader(version: 1 | 2, receipt: Receipt): Record<string, string> {
  return { [version === 1 ? "X-PAYMENT-RESPONSE" : "PAYMENT-RESPONSE"]: encode(receipt) };
}

/**
 * Returns the headers that contain the receipt of a payment over MPP (draft-evm-charge-01, "Receipt Generation").
 * @param challengeId id of the challenge that the payment answers
 * @param settledAt Unix milliseconds
 */
export function mppReceiptHeaders(challengeId: string, receipt: Receipt, settledAt: number): Record<string, string> {
  const { transaction, network } = receipt;
  const fields = {
    status: "success",
    method: MPP_METHOD,
    challengeId,
    reference: transaction,
    chainId: Number(network.replace(/^eip155:/, "")),
    timestamp: new Date(settledAt).toISOString(),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(fields));
  return {
    "Payment-Receipt": bytes.toBase64({ alphabet: "base64url", omitPadding: true }),
    "Cache-Control": "private, no-store", // draft-httpauth-payment-02, "Caching"
  };
}

/**
 * Returns the headers of a 402: the terms of x402 version 2, the challenges of MPP, and the receipt of a failed
 * settlement, if any. The terms of version 1 are in the body.
 * @param signed the signed offers
 * @param challenges the MPP challenges, in order of preference. The first challenge is always sent. Further challenges
 * are sent up to {@link MAX_TERMS_LENGTH}
 */
export function paymentRequiredHeaders(
  { offer, reasonV2, refusal }: PaymentRequired,
  signed?: SignedOffers,
  challenges: string[] = [],
): Record<string, string> {
  const terms = encode(paymentRequiredV2(offer, reasonV2, signed));
  let length = terms.length;
  const fitting = challenges.filter((challenge, at) => {
    length += challenge.length;
    return at === 0 || length <= MAX_TERMS_LENGTH;
  });
  return {
    "PAYMENT-REQUIRED": terms,
    ...(fitting.length > 0 && { "WWW-Authenticate": fitting.join(", ") }),
    ...(refusal && receiptHeader(refusal.version, refusal.receipt)),
  };
}

/** Returns the header that requests a sign-in. The header contains the terms of x402 version 2 without any offer. */
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

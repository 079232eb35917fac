/** The terms of an offer in every form in which clients and indexes read them. */

import { IDENTIFIER_EXTENSION } from "./identifier.ts";
import type { Offer, SignedOffers } from "./offer.ts";
import { dollarsOf, type Price } from "./price.ts";

/**
 * Returns the JSON of a 402 in x402 version 1 ("PaymentRequiredResponse"). Over HTTP it is the body.
 * @param signed the signed offers
 */
export function paymentRequiredV1(offer: Offer, error: string, signed?: SignedOffers) {
  return { x402Version: 1, error, accepts: offer.v1, ...(signed && { extensions: signed[1] }) } as const;
}

/** Returns the JSON of a 402 in x402 version 2 ("PaymentRequired"). Over HTTP it is the header `PAYMENT-REQUIRED`. */
export function paymentRequiredV2({ resource, v2 }: Offer, error: string, signed?: SignedOffers) {
  return {
    x402Version: 2,
    error,
    resource: {
      url: resource.url,
      description: resource.description,
      mimeType: "application/json",
      ...resource.service,
    },
    accepts: v2,
    extensions: { bazaar: resource.bazaar, ...IDENTIFIER_EXTENSION, ...signed?.[2] },
  } as const;
}

/**
 * Returns the terms in x402 version 2 without discovery data and signatures, for places where they must be short: the
 * text of an MCP result, which models read.
 */
export function briefPaymentRequired({ resource, v2 }: Offer, error: string) {
  const { url, description } = resource;
  return {
    x402Version: 2,
    error,
    resource: { url, description, mimeType: "application/json" },
    accepts: v2,
    extensions: IDENTIFIER_EXTENSION,
  } as const;
}

/**
 * Returns the terms as the `_meta` of an MCP tool. With `x402`, `@apify/mcpc` pays in its first request; Cloudflare's
 * `agents` publishes the other two entries. `x402` names the preferred way to pay in version 2, if there is one.
 */
export function toolPaymentMeta({ price, v2: [preferred] }: Offer) {
  return {
    ...(preferred && { x402: { paymentRequired: true, ...preferred } }),
    "agents-x402/paymentRequired": true,
    "agents-x402/priceUSD": Number(dollarsOf(price)),
  };
}

/** Returns the price as OpenAPI's `x-payment-info`, for discovery tools. */
export function paymentInfo(price: Price) {
  return { price: { mode: "fixed", currency: "USD", amount: dollarsOf(price) }, protocols: [{ x402: {} }] };
}

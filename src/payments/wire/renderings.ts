/** The terms of an offer in every form in which clients and indexes read them. */

import { getAddress } from "viem/utils";
import { IDENTIFIER_EXTENSION } from "./identifier.ts";
import { isSolana } from "./networks.ts";
import type { Offer, PaymentRequirementsV2, SignedOffers } from "./offer.ts";
import { dollarsOf, type Price } from "./price.ts";

/**
 * Returns the JSON of a 402 in x402 version 1 ("PaymentRequiredResponse"). Over HTTP, this JSON is the response body.
 * @param signed the signed offers
 */
export function paymentRequiredV1(offer: Offer, error: string, signed?: SignedOffers) {
  return { x402Version: 1, error, accepts: offer.v1, ...(signed && { extensions: signed[1] }) } as const;
}

/**
 * Returns the JSON of a 402 in x402 version 2 ("PaymentRequired"). Over HTTP, this JSON is the header
 * `PAYMENT-REQUIRED`.
 */
export function paymentRequiredV2({ resource, v2, channels }: Offer, error: string, signed?: SignedOffers) {
  return {
    x402Version: 2,
    error,
    resource: {
      url: resource.url,
      description: resource.description,
      mimeType: "application/json",
      ...resource.service,
    },
    accepts: [...v2, ...channels],
    extensions: { bazaar: resource.bazaar, ...IDENTIFIER_EXTENSION, ...signed?.[2] },
  } as const;
}

/**
 * Returns the terms in x402 version 2 without discovery data and signatures. These short terms are for the text of an
 * MCP result, which models read.
 */
export function briefPaymentRequired({ resource, v2, channels }: Offer, error: string) {
  const { url, description } = resource;
  return {
    x402Version: 2,
    error,
    resource: { url, description, mimeType: "application/json" },
    accepts: [...v2, ...channels],
    extensions: IDENTIFIER_EXTENSION,
  } as const;
}

/**
 * Returns the terms as the `_meta` of an MCP tool. The entry `x402` contains the preferred way to pay in version 2, if
 * there is one. It lets `@apify/mcpc` pay in its first request. Servers that use Cloudflare's `agents` publish the
 * other two entries.
 */
export function toolPaymentMeta({ price, v2: [preferred] }: Offer) {
  return {
    ...(preferred && { x402: { paymentRequired: true, ...preferred } }),
    "agents-x402/paymentRequired": true,
    "agents-x402/priceUSD": Number(dollarsOf(price)),
  };
}

/** The payment method and the intent of MPP challenges. */
export const MPP_METHOD = "evm";
export const MPP_INTENT = "charge";

/**
 * Maximum number of networks that are offered to MPP clients. The limit exists because each network lengthens a header.
 */
const MAX_CHARGES = 3;

/**
 * Returns the terms as `request` parameters of MPP challenges (draft-evm-charge-01, "Request Schema"), for the first
 * EVM networks of the offer. Each parameter comes with the x402 version 2 requirement that it represents.
 */
export function chargeRequests({ networks, v2 }: Offer): { request: string; requirement: PaymentRequirementsV2 }[] {
  const requests = v2.flatMap((requirement) => {
    const network = networks.find(({ caip2 }) => caip2 === requirement.network);
    if (!network || isSolana(network)) return [];
    const { amount, asset, payTo } = requirement;
    const { chainId, decimals } = network;
    // The members are in the order of RFC 8785, so that the JSON is canonical.
    const json = JSON.stringify({
      amount,
      currency: getAddress(asset),
      methodDetails: { chainId, credentialTypes: ["authorization"], decimals },
      recipient: getAddress(payTo),
    });
    const request = new TextEncoder().encode(json).toBase64({ alphabet: "base64url", omitPadding: true });
    return [{ request, requirement }];
  });
  return requests.slice(0, MAX_CHARGES);
}

/** Returns the x402 schemes of an offer, without duplicates. */
function schemesOf({ v2, channels }: Offer): string[] {
  return [...new Set([...v2, ...channels].map(({ scheme }) => scheme))];
}

/**
 * Returns the price as OpenAPI's `x-payment-info`, for discovery tools.
 * @param offer the terms; undefined if the deployment cannot sell
 * @param isMppTaken whether the deployment also accepts MPP payments (draft-payment-discovery-01, "Payment Offer
 * Object")
 */
export function paymentInfo(price: Price, offer: Offer | undefined, isMppTaken: boolean) {
  const offers = (offer && isMppTaken ? chargeRequests(offer) : []).map(({ requirement: { amount, asset } }) => ({
    intent: MPP_INTENT,
    method: MPP_METHOD,
    amount,
    currency: asset,
  }));
  return {
    price: { mode: "fixed", currency: "USD", amount: dollarsOf(price) },
    protocols: [
      { x402: offer && offer.channels.length > 0 ? { schemes: schemesOf(offer) } : {} },
      ...(offers.length > 0 ? [{ mpp: { method: MPP_METHOD, intent: MPP_INTENT, currency: "USD" } }] : []),
    ],
    ...(offers.length > 0 && { offers }),
  };
}

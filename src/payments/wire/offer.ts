import { PaymentError } from "./errors.ts";
import { IDENTIFIER_EXTENSION } from "./identifier.ts";
import { isSolana, type Network } from "./networks.ts";
import { atomicUnits, type Price } from "./price.ts";

/** What indexes show of the seller (x402 extension "bazaar", "Service Metadata on resource"). */
export interface ServiceMetadata {
  /** Printable ASCII, at most 32 characters. */
  serviceName: string;
  /** At most five, each as `serviceName`. */
  tags: readonly string[];
  iconUrl: string;
}

/** The resource for sale: the parts of an offer that differ between endpoints. */
export interface Resource {
  url: string;
  description: string;
  /** Input and output for discovery services, as x402 version 1 describes them (`outputSchema`). */
  outputSchema: Record<string, unknown>;
  /** The same for version 2 (`extensions.bazaar`). Clients send it back in a header, so it must be small. */
  bazaar?: Record<string, unknown>;
  service?: ServiceMetadata;
}

/** What signing needs to know besides: the token's EIP-712 domain, or who pays the fee on Solana. */
type Extra = { name: string; version: string } | { feePayer: string };

/** One way to pay (x402 v1, "PaymentRequirements"). */
export interface PaymentRequirementsV1 {
  scheme: "exact";
  network: string;
  maxAmountRequired: string;
  resource: string;
  description: string;
  mimeType: "application/json";
  outputSchema: Record<string, unknown>;
  payTo: string;
  maxTimeoutSeconds: number;
  asset: string;
  extra: Extra;
}

/** One way to pay (x402 v2, "PaymentRequirements"). */
export interface PaymentRequirementsV2 {
  scheme: "exact";
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Extra;
}

/** The terms of a sale. */
export interface Terms {
  price: Price;
  /** The address that receives payments on EVM chains. */
  payTo: string;
  /** The wallet that receives payments on Solana, which are offered only with it. */
  payToSolana?: string | undefined;
  networks: readonly Network[];
  /** How long the payer's authorization should be valid, in seconds. */
  maxTimeoutSeconds: number;
}

/** The extension "offer-receipt" of a 402, by version of x402. */
export type SignedOffers = Readonly<Record<1 | 2, Record<string, object>>>;

/** How one call of a resource can be paid: the same terms in both versions of x402, one entry for each network in it. */
export interface Offer {
  resource: Resource;
  networks: readonly Network[];
  maxTimeoutSeconds: number;
  v1: PaymentRequirementsV1[];
  v2: PaymentRequirementsV2[];
}

/**
 * Returns the ways to pay for a call of `resource` on these terms.
 * @throws PaymentError not_configured if there is none
 */
export function offerOf(resource: Resource, { price, payTo, payToSolana, networks, maxTimeoutSeconds }: Terms): Offer {
  const payable = (version: 1 | 2) =>
    networks.flatMap((network) => {
      if (!network.versions.includes(version)) return [];
      if (!isSolana(network)) return { ...network, payTo, extra: network.domain };
      const feePayer = network.feePayers[version][0];
      return payToSolana && feePayer ? { ...network, payTo: payToSolana, extra: { feePayer } } : [];
    });
  const [v1, v2] = [payable(1), payable(2)];
  if (v1.length + v2.length === 0)
    throw new PaymentError(
      "not_configured",
      "The operator has not connected this deployment to a facilitator that settles its payments. Nothing was charged.",
    );
  return {
    resource,
    networks,
    maxTimeoutSeconds,
    v1: v1.map(({ name, asset, decimals, payTo, extra }) => ({
      scheme: "exact",
      network: name,
      maxAmountRequired: atomicUnits(price, decimals),
      resource: resource.url,
      description: resource.description,
      mimeType: "application/json",
      outputSchema: resource.outputSchema,
      payTo,
      maxTimeoutSeconds,
      asset,
      extra,
    })),
    v2: v2.map(({ caip2, asset, decimals, payTo, extra }) => ({
      scheme: "exact",
      network: caip2,
      amount: atomicUnits(price, decimals),
      asset,
      payTo,
      maxTimeoutSeconds,
      extra,
    })),
  };
}

/**
 * Returns the JSON of a version 1 402 (x402 v1, "PaymentRequiredResponse"), sent over HTTP as the body.
 * @param signed the offers, signed
 */
export function paymentRequiredV1(offer: Offer, error: string, signed?: SignedOffers) {
  return { x402Version: 1, error, accepts: offer.v1, ...(signed && { extensions: signed[1] }) } as const;
}

/**
 * Returns the JSON of a version 2 402 (x402 v2, "PaymentRequired"), sent over HTTP in the header `PAYMENT-REQUIRED`.
 */
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
 * The outcome of a settlement as told to the payer: `X-PAYMENT-RESPONSE` in version 1, `PAYMENT-RESPONSE` in version 2.
 */
export interface Receipt {
  success: boolean;
  /** The x402 reason for a failed settlement. */
  errorReason?: string;
  /** Hash of the transaction; empty if there is none, or if it is not known: `extra` then says why. */
  transaction: string;
  extra?: { note: string };
  network: string;
  payer: string;
  extensions?: Record<string, object>;
}

/** A refusal answered with 402: nothing was charged, and `offer` tells how to pay. */
export class PaymentRequired extends Error {
  override name = "PaymentRequired";
  readonly offer: Offer;
  /** One sentence for the payer, preceded by the x402 error code if there is one. */
  readonly reason: string;
  /** The same where the terms are told in version 2, which has another header. */
  readonly reasonV2: string;
  /** The receipt of a refused settlement, and the x402 version of its payment. */
  readonly refusal: { version: 1 | 2; receipt: Receipt } | undefined;

  /** @param reason undefined if there is no payment */
  constructor(offer: Offer, reason?: string, refusal?: { version: 1 | 2; receipt: Receipt }) {
    super(reason ?? "X-PAYMENT header is required");
    this.offer = offer;
    this.reason = this.message;
    this.reasonV2 = reason ?? "PAYMENT-SIGNATURE header is required";
    this.refusal = refusal;
  }
}

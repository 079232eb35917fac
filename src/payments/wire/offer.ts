import {
  type ChannelRequirements,
  type ChannelStateExtra,
  type ChannelTerms,
  channelRequirementsOf,
} from "./channelOffer.ts";
import { PaymentError } from "./errors.ts";
import { isSolana, type Network } from "./networks.ts";
import { atomicUnits, type Price } from "./price.ts";

/** Information about the seller that indexes display (x402 extension "bazaar", "Service Metadata on resource"). */
export interface ServiceMetadata {
  /** Name of the service: printable ASCII, at most 32 characters. */
  serviceName: string;
  /** Tags of the service: at most five, each with the limits of `serviceName`. */
  tags: readonly string[];
  iconUrl: string;
}

/** The resource for sale: the part of an offer that describes the endpoint. */
export interface Resource {
  url: string;
  description: string;
  /**
   * Description of the endpoint's input and output for discovery services, in the format of x402 version 1
   * (`outputSchema`).
   */
  outputSchema: Record<string, unknown>;
  /**
   * Description of the endpoint's input and output in the format of x402 version 2 (`extensions.bazaar`). Clients
   * return the description in a header, so it must be small.
   */
  bazaar?: Record<string, unknown>;
  service?: ServiceMetadata;
}

/** Data that a payer needs for signing: the token's EIP-712 domain, or the account that pays the fee on Solana. */
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

/** The terms of a sale. All published forms of the terms are made from this object. */
export interface Terms {
  price: Price;
  /** The address that receives payments on EVM chains. */
  payTo: string;
  /** The wallet that receives payments on Solana. If it is not set, Solana is not offered. */
  payToSolana?: string | undefined;
  networks: readonly Network[];
  /** Requested validity period of the payer's authorization, in seconds. */
  maxTimeoutSeconds: number;
  /** The terms of payment channels. Undefined if the deployment offers no channels. */
  channels?: ChannelTerms | undefined;
}

/** The "offer-receipt" extension of a 402, by version of x402. */
export type SignedOffers = Readonly<Record<1 | 2, Record<string, object>>>;

/**
 * The ways to pay for one call of a resource. Both versions of x402 have the same terms, with one entry per network.
 */
export interface Offer {
  resource: Resource;
  price: Price;
  networks: readonly Network[];
  maxTimeoutSeconds: number;
  v1: PaymentRequirementsV1[];
  v2: PaymentRequirementsV2[];
  /**
   * The ways to pay through a payment channel. In x402 version 2 they come last, because some clients choose the first
   * entry.
   */
  channels: ChannelRequirements[];
}

/**
 * Returns the ways to pay for a call of `resource` on the given terms.
 * @throws PaymentError not_configured if no network can be offered
 */
export function offerOf(resource: Resource, terms: Terms): Offer {
  const { price, payTo, payToSolana, networks, maxTimeoutSeconds, channels } = terms;
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
      "This deployment has no payment facilitator that settles on its networks. Nothing was charged. Ask its operator to configure one.",
    );
  return {
    resource,
    price,
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
    channels: networks.flatMap((network) =>
      !channels || isSolana(network) || !channels.chains.includes(network.caip2)
        ? []
        : channelRequirementsOf(network, channels, terms),
    ),
  };
}

/**
 * The outcome of a settlement, as reported to the payer. Its header is `X-PAYMENT-RESPONSE` in x402 version 1 and
 * `PAYMENT-RESPONSE` in version 2.
 */
export interface Receipt {
  success: boolean;
  /** The x402 reason for a failed settlement. */
  errorReason?: string;
  /**
   * Hash of the transaction. Empty if no transaction exists or its hash is unknown. The field `extra` then gives the
   * cause.
   */
  transaction: string;
  /**
   * The amount that a payment channel has deposited or refunded. Empty if the payment was only a voucher. Missing in
   * the scheme "exact".
   */
  amount?: string;
  extra?: { note: string } | { chargedAmount?: string; channelState: ChannelStateExtra };
  network: string;
  payer: string;
  extensions?: Record<string, object>;
}

/** Returns the reason for the 402 of a call without a payment. */
export function missingHeader(name: "X-PAYMENT" | "PAYMENT-SIGNATURE", { resource }: Offer): string {
  return `${name} header is required: pay with an x402 client, see ${new URL("/llms.txt", resource.url)}`;
}

/** A refusal with 402. Nothing was charged, and `offer` contains the ways to pay. */
export class PaymentRequired extends Error {
  override name = "PaymentRequired";
  readonly offer: Offer;
  /** A reason for the payer in one sentence. The sentence begins with the x402 error code if one applies. */
  readonly reason: string;
  /**
   * The reason for clients of x402 version 2. It differs from `reason` only if `reason` names the payment header,
   * because version 2 uses another header.
   */
  readonly reasonV2: string;
  /**
   * The receipt of a refused settlement, and the x402 version of the payment; undefined if no settlement was refused.
   */
  readonly refusal: { version: 1 | 2; receipt: Receipt } | undefined;

  /** Facts about the unpaid request. They become additional members of the 402's body in x402 version 1. */
  readonly facts: Readonly<Record<string, unknown>>;

  /** Creates a refusal. @param reason why the payment was not accepted; undefined if the call has no payment */
  constructor(
    offer: Offer,
    reason?: string,
    refusal?: { version: 1 | 2; receipt: Receipt },
    facts: Readonly<Record<string, unknown>> = {},
  ) {
    super(reason ?? missingHeader("X-PAYMENT", offer));
    this.offer = offer;
    this.reason = this.message;
    this.reasonV2 = reason ?? missingHeader("PAYMENT-SIGNATURE", offer);
    this.refusal = refusal;
    this.facts = facts;
  }
}

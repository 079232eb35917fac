/**
 * The x402 extension "offer-receipt": offers and receipts that are signed with a key of the seller. Anyone can check
 * them without asking the seller. The payloads are equal in both versions of x402. A receipt has no field for the
 * delivered file. The service therefore adds a separate signature that names the delivered file and its source. The
 * clause numbers in this file refer to specs/extensions/extension-offer-and-receipt.md in x402-foundation/x402.
 */
import { privateKeyToAddress, sign, signTypedData } from "viem/accounts";
import { recoverPublicKey } from "viem/utils";
import type { Offer, SignedOffers } from "./offer.ts";
import {
  DELIVERY,
  type DeliveryPayload,
  deliveryTypes,
  domainOf,
  OFFER_RECEIPT,
  RECEIPT_TYPES,
  type ReceiptPayload,
  receiptMessage,
  type Signed,
} from "./receiptTypes.ts";

type Hex = `0x${string}`;

/** The terms of one way to pay, as a signed offer contains them ("offer-receipt", 4.2). Times are Unix seconds. */
interface OfferPayload {
  version: 1;
  resourceUrl: string;
  scheme: "exact";
  /** CAIP-2 id of the network, as in receipts. */
  network: string;
  asset: string;
  payTo: string;
  amount: string;
  validUntil: number;
}

/** 4.3 */
const OFFER_TYPES = {
  Offer: [
    { name: "version", type: "uint256" },
    { name: "resourceUrl", type: "string" },
    { name: "scheme", type: "string" },
    { name: "network", type: "string" },
    { name: "asset", type: "string" },
    { name: "payTo", type: "string" },
    { name: "amount", type: "string" },
    { name: "validUntil", type: "uint256" },
  ],
} as const;

/** Maximum number of ways to pay that are signed. The limit exists because the signed offers are sent in a header. */
const MAX_OFFERS = 3;

/**
 * One way to pay, and its index in the `accepts` list of each x402 version. The index is -1 if the list does not
 * contain the way to pay.
 */
interface OfferedTerms {
  terms: Omit<OfferPayload, "validUntil">;
  acceptIndex: Record<1 | 2, number>;
}

/** Returns the ways to pay that are signed, at most {@link MAX_OFFERS} of them, without their expiry. */
export function offeredTerms({ resource, networks, v1, v2 }: Offer): OfferedTerms[] {
  const ways = networks.flatMap(({ name, caip2 }) => {
    const acceptIndex = {
      1: v1.findIndex(({ network }) => network === name),
      2: v2.findIndex(({ network }) => network === caip2),
    };
    const [older, newer] = [v1[acceptIndex[1]], v2[acceptIndex[2]]];
    const way = newer ?? older;
    if (!way) return [];
    const { scheme, asset, payTo } = way;
    const amount = newer?.amount ?? older!.maxAmountRequired;
    const terms = { version: 1 as const, resourceUrl: resource.url, scheme, network: caip2, asset, payTo, amount };
    return [{ terms, acceptIndex }];
  });
  return ways.slice(0, MAX_OFFERS);
}

/**
 * Signs offers that are valid until `validUntil` (Unix seconds).
 * @returns the extension for the 402, by version of x402 ("offer-receipt", 4.1)
 */
export async function signOffers(offered: OfferedTerms[], validUntil: number, privateKey: Hex): Promise<SignedOffers> {
  const signed = await Promise.all(
    offered.map(async ({ terms, acceptIndex }) => {
      const payload: OfferPayload = { ...terms, validUntil };
      const signature = await signTypedData({
        privateKey,
        domain: domainOf("x402 offer"),
        types: OFFER_TYPES,
        primaryType: "Offer",
        message: { ...payload, version: BigInt(payload.version), validUntil: BigInt(validUntil) },
      });
      return { acceptIndex, offer: { format: "eip712", payload, signature } satisfies Signed<OfferPayload> };
    }),
  );
  const inVersion = (version: 1 | 2) => {
    const offers = signed
      .filter(({ acceptIndex }) => acceptIndex[version] >= 0)
      .map(({ acceptIndex, offer }) => ({ acceptIndex: acceptIndex[version], ...offer }));
    return {
      [OFFER_RECEIPT]: {
        info: { offers },
        schema: { required: ["offers"], properties: { offers: { type: "array" } } },
      },
    };
  };
  return { 1: inVersion(1), 2: inVersion(2) };
}

/**
 * Signs the receipt and the delivery of a payment. Signatures are deterministic (RFC 6979).
 * @returns the extensions for the answer to the settlement ("offer-receipt", 5.1)
 */
export async function signReceipt(receipt: ReceiptPayload, delivery: DeliveryPayload, privateKey: Hex) {
  const message = receiptMessage(receipt);
  const signature = await signTypedData({
    privateKey,
    domain: domainOf("x402 receipt"),
    types: RECEIPT_TYPES,
    primaryType: "Receipt",
    message,
  });
  const delivered = await signTypedData({
    privateKey,
    domain: domainOf("Overprint delivery"),
    types: deliveryTypes(delivery),
    primaryType: "Delivery",
    message: { receipt: message, ...delivery },
  });
  return {
    [OFFER_RECEIPT]: {
      info: { receipt: { format: "eip712", payload: receipt, signature } satisfies Signed<ReceiptPayload> },
      schema: { required: ["receipt"], properties: { receipt: { type: "object" } } },
    },
    [DELIVERY]: {
      info: { format: "eip712", payload: delivery, signature: delivered } satisfies Signed<DeliveryPayload>,
    },
  };
}

/**
 * Returns the address and the public key of a private key. The public key is the byte 04, then x and y with 32 bytes
 * each. It is recovered from a signature, because an account object of viem would add all code for signing transactions
 * to the bundle.
 */
export async function publicPartOf(privateKey: Hex): Promise<{ address: Hex; publicKey: Hex }> {
  const hash = `0x${"01".repeat(32)}` as const;
  const publicKey = await recoverPublicKey({ hash, signature: await sign({ hash, privateKey }) });
  return { address: privateKeyToAddress(privateKey), publicKey };
}

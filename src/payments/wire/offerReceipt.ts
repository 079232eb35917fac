/**
 * x402's extension "offer-receipt": offers, and receipts of what was sold, signed with a key of the seller's, so that
 * they can be checked without asking the seller. The payloads are the same in both versions of x402. A signature of our
 * own says which file was sold for which: a receipt has no place for that.
 *
 * The clauses are those of specs/extensions/extension-offer-and-receipt.md in x402-foundation/x402.
 */
import { privateKeyToAddress, sign, signTypedData } from "viem/accounts";
import { recoverPublicKey } from "viem/utils";
import type { Offer, SignedOffers } from "./offer.ts";

type Hex = `0x${string}`;

/** A signed artefact (3.1). */
interface Signed<Payload> {
  format: "eip712";
  payload: Payload;
  signature: Hex;
}

/** The terms of one way to pay (4.2). Points in time are Unix seconds. */
interface OfferPayload {
  version: 1;
  resourceUrl: string;
  scheme: "exact";
  /** CAIP-2, as in receipts. */
  network: string;
  asset: string;
  payTo: string;
  amount: string;
  validUntil: number;
}

/** A payment that was received (5.2). */
export interface ReceiptPayload {
  version: 1;
  network: string;
  resourceUrl: string;
  payer: string;
  issuedAt: number;
  transaction: string;
}

/** What was delivered for it: the SHA-256 of the source and of the result. */
export interface DeliveryPayload {
  inputSha256: Hex;
  outputSha256: Hex;
}

const NAME = "offer-receipt";

/** The domains of 3.2. The chain is 1 wherever the payment is made, on Solana too; 3.1.1 still speaks of EVM chains. */
const domainOf = (name: string) => ({ name, version: "1", chainId: 1 });

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

/** 5.3 */
const RECEIPT_TYPES = {
  Receipt: [
    { name: "version", type: "uint256" },
    { name: "network", type: "string" },
    { name: "resourceUrl", type: "string" },
    { name: "payer", type: "string" },
    { name: "issuedAt", type: "uint256" },
    { name: "transaction", type: "string" },
  ],
} as const;

/** Ours. It has the whole receipt in it, so that it goes with no other. */
const DELIVERY_TYPES = {
  ...RECEIPT_TYPES,
  Delivery: [
    { name: "receipt", type: "Receipt" },
    { name: "inputSha256", type: "bytes32" },
    { name: "outputSha256", type: "bytes32" },
  ],
} as const;

/** A header has little room: only the first few ways to pay are signed. */
const MAX_OFFERS = 3;

/** One way to pay, and where it is in the lists of both versions; -1 if it is not there. */
interface OfferedTerms {
  terms: Omit<OfferPayload, "validUntil">;
  acceptIndex: Record<1 | 2, number>;
}

/** Returns what is signed of an offer, but for its end. */
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
 * Signs offers until `validUntil`.
 * @returns the extension as it is placed in the 402 of each version (4.1)
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
      [NAME]: { info: { offers }, schema: { required: ["offers"], properties: { offers: { type: "array" } } } },
    };
  };
  return { 1: inVersion(1), 2: inVersion(2) };
}

/**
 * Signs that a payment was received, and what was delivered for it. The same facts have the same signatures (RFC 6979).
 * @returns the extensions of a settlement's answer (5.1)
 */
export async function signReceipt(receipt: ReceiptPayload, delivery: DeliveryPayload, privateKey: Hex) {
  const message = { ...receipt, version: BigInt(receipt.version), issuedAt: BigInt(receipt.issuedAt) };
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
    types: DELIVERY_TYPES,
    primaryType: "Delivery",
    message: { receipt: message, ...delivery },
  });
  return {
    [NAME]: {
      info: { receipt: { format: "eip712", payload: receipt, signature } satisfies Signed<ReceiptPayload> },
      schema: { required: ["receipt"], properties: { receipt: { type: "object" } } },
    },
    "overprint-delivery": {
      info: { format: "eip712", payload: delivery, signature: delivered } satisfies Signed<DeliveryPayload>,
    },
  };
}

/**
 * Returns the address of a key, and its public key: 04, and 32 bytes each of x and y. The latter is recovered from a
 * signature, as an account of viem's, which has it, would take all that signs transactions into the bundle.
 */
export async function publicPartOf(privateKey: Hex): Promise<{ address: Hex; publicKey: Hex }> {
  const hash = `0x${"01".repeat(32)}` as const;
  const publicKey = await recoverPublicKey({ hash, signature: await sign({ hash, privateKey }) });
  return { address: privateKeyToAddress(privateKey), publicKey };
}

/** Signs offers and receipts, in deployments with a RECEIPT_KEY. */

import { getAddress } from "viem/utils";
import type { Sold } from "../../payments/sale/gate.ts";
import { isSolana } from "../../payments/wire/networks.ts";
import type { Offer, Receipt, SignedOffers } from "../../payments/wire/offer.ts";
import type { DeliveryPayload } from "../../payments/wire/receiptTypes.ts";
import type { Config } from "../../settings/config.ts";
import { hashIn } from "../../shared/sha256.ts";
import { oncePerConfig } from "../request/oncePerConfig.ts";
import { signsProof } from "../request/ownHosts.ts";
import type { Delivery } from "./products.ts";

/**
 * Maximum age of a reused signed offer, in seconds. Offers are reused because a signature takes a millisecond and a 402
 * is free.
 */
const FRESH_SECONDS = 60;
/**
 * Maximum number of cached offers of a deployment. A limit is needed because callers choose the host if routes are
 * wildcards.
 */
const MAX_KEPT = 16;

/** Signed offers by their terms, and the time until which they are reused (Unix seconds). */
const keptOffers = oncePerConfig(() => new Map<string, { offers: SignedOffers; freshUntil: number }>());

/**
 * Loads the signing code on first use, because setting up the elliptic curve takes milliseconds of the start-up time.
 */
const signing = () => import("../../payments/wire/offerReceipt.ts");

/** Address and public key of a deployment's RECEIPT_KEY, once they are computed. */
const publicParts = oncePerConfig((): { known?: { address: string; publicKey: string } } => ({}));

/**
 * Returns the address and the public key (04, then x and y) of the RECEIPT_KEY. Returns undefined without a
 * RECEIPT_KEY.
 */
export async function receiptSigner(config: Config) {
  if (config.receiptKey === undefined) return undefined;
  const part = publicParts(config);
  part.known ??= await (await signing()).publicPartOf(config.receiptKey);
  return part.known;
}

/**
 * Returns the signed offers for the 402 of a request. Returns undefined if the deployment signs no offers. A signed
 * offer stays valid at least until a payment made from it expires.
 */
export async function signedOffers(offer: Offer, request: Request, config: Config): Promise<SignedOffers | undefined> {
  const { receiptKey } = config;
  if (receiptKey === undefined || !signsProof(request, config)) return undefined;
  const { offeredTerms, signOffers } = await signing();
  const offered = offeredTerms(offer);
  const kept = keptOffers(config);
  const name = JSON.stringify(offered);
  const now = Math.floor(Date.now() / 1000);
  const known = kept.get(name);
  if (known && now < known.freshUntil) return known.offers;

  const freshUntil = now + FRESH_SECONDS;
  const offers = await signOffers(offered, freshUntil + config.maxTimeoutSeconds, receiptKey);
  kept.delete(name);
  if (kept.size === MAX_KEPT) kept.delete(kept.keys().next().value!);
  kept.set(name, { offers, freshUntil });
  return offers;
}

/**
 * Returns the receipt of a purchase. It is signed if the deployment signs receipts and the settlement is known. The
 * same purchase always has the same receipt.
 */
export async function provedReceipt(
  { receipt, value, settledAt, paid }: Sold<Delivery>,
  config: Config,
): Promise<Receipt> {
  const { receiptKey } = config;
  const { proof } = value;
  if (receiptKey === undefined || !proof || !paid) return receipt;
  const { signReceipt } = await signing();
  const { chain, payer, reference = receipt.transaction } = paid;
  const extensions = await signReceipt(
    {
      version: 1,
      network: chain.caip2,
      resourceUrl: proof.resourceUrl,
      // normalizes the address, because callers may write it in any case
      payer: isSolana(chain) ? payer : getAddress(payer),
      issuedAt: Math.floor(settledAt / 1000),
      transaction: reference,
    },
    { ...inputOf(proof.inputSha256), outputSha256: `0x${proof.outputSha256}` },
    receiptKey,
  );
  return { ...receipt, extensions };
}

/**
 * Returns the field with the source's hash in the payload of a delivery.
 * @param identity the SHA-256 of the source, or the result of `identityOfParts`
 */
function inputOf(identity: string): Omit<DeliveryPayload, "outputSha256"> {
  const { hash, isOfParts } = hashIn(identity);
  return isOfParts ? { inputPartsSha256: `0x${hash}` } : { inputSha256: `0x${hash}` };
}

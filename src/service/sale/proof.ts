/** Signed proof of what was offered and bought, for deployments with a RECEIPT_KEY. */

import { getAddress } from "viem/utils";
import type { Sold } from "../../payments/sale/gate.ts";
import { isSolana } from "../../payments/wire/networks.ts";
import type { Offer, Receipt, SignedOffers } from "../../payments/wire/offer.ts";
import type { Config } from "../../settings/config.ts";
import { oncePerConfig } from "../request/oncePerConfig.ts";
import { signsProof } from "../request/ownHosts.ts";
import type { Delivery } from "./products.ts";

/** For so long a signed offer is given to others as well: a signature takes a millisecond, and a 402 is free. */
const FRESH_SECONDS = 60;
/** Of one deployment: where routes are wildcards, callers choose the hosts. */
const MAX_KEPT = 16;

/** Signed offers by their terms, and until when they are fresh (Unix seconds). */
const keptOffers = oncePerConfig(() => new Map<string, { offers: SignedOffers; freshUntil: number }>());

/** The curve takes milliseconds to set up, which start-up is spared. */
const signing = () => import("../../payments/wire/offerReceipt.ts");

/** Of a deployment's key, once it is known. */
const publicParts = oncePerConfig((): { known?: { address: string; publicKey: string } } => ({}));

/** Returns the address and the public key (04, then x and y) of the RECEIPT_KEY; undefined without one. */
export async function receiptSigner(config: Config) {
  if (config.receiptKey === undefined) return undefined;
  const part = publicParts(config);
  part.known ??= await (await signing()).publicPartOf(config.receiptKey);
  return part.known;
}

/**
 * Returns the signed offers for the 402 of a request; undefined where nothing is signed. An offer is good for as long, at
 * least, as a payment made from it.
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
 * Returns the receipt of a purchase, signed if the deployment does so and the money is known to have moved: the same
 * purchase has the same receipt, whoever asks for it where.
 */
export async function provedReceipt({ receipt, value, paid }: Sold<Delivery>, config: Config): Promise<Receipt> {
  const { receiptKey } = config;
  const { proof } = value;
  if (receiptKey === undefined || !proof || !paid) return receipt;
  const { signReceipt } = await signing();
  const { chain, payer, settledAt } = paid;
  const extensions = await signReceipt(
    {
      version: 1,
      network: chain.caip2,
      resourceUrl: proof.resourceUrl,
      payer: isSolana(chain) ? payer : getAddress(payer), // the same in whichever case it was sent
      issuedAt: Math.floor(settledAt / 1000),
      transaction: receipt.transaction,
    },
    { inputSha256: `0x${proof.inputSha256}`, outputSha256: `0x${proof.outputSha256}` },
    receiptKey,
  );
  return { ...receipt, extensions };
}

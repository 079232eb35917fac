import * as z from "zod";
import { CHANNEL_SCHEME } from "../wire/channelTypes.ts";
import { isSolana, type Network, type SolanaNetwork } from "../wire/networks.ts";
import { isSolanaAddress } from "../wire/solanaTransaction.ts";

const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;

const addresses = z.array(z.string());

/** The fields of a facilitator's answer to `GET /supported` that this file reads. */
const supportedAnswer = z.object({
  kinds: z.array(
    z.object({
      x402Version: z.number(),
      scheme: z.string(),
      network: z.string(),
      extra: z
        .object({ feePayer: z.string().refine(isSolanaAddress) })
        .nullish()
        .catch(undefined),
    }),
  ),
  /** The facilitator's accounts. Each key is a CAIP-2 network or `<namespace>:*`. */
  signers: z.record(z.string(), addresses).nullish().catch(undefined),
});

/** The kinds of payments that a facilitator settles, and its accounts. */
export interface Supported {
  /**
   * The payments with the scheme "exact" that the facilitator settles. A key is `<x402 version> <network>`. The value
   * lists the accounts that may pay the fee on Solana, the preferred account first.
   */
  kinds: ReadonlyMap<string, readonly string[]>;
  /** The CAIP-2 networks on which the facilitator supports payment channels. */
  channels: readonly string[];
  /** The facilitator's accounts, by CAIP-2 network or by `<namespace>:*`. */
  signers: Readonly<Record<string, readonly string[]>>;
}

/**
 * Parses a facilitator's answer to `GET /supported` (x402 v2).
 * @throws Error if the answer is malformed
 */
export function readSupported(answer: unknown): Supported {
  const { kinds, signers } = supportedAnswer.parse(answer);
  const others = Object.entries(signers ?? {}).flatMap(([network, listed]) =>
    network.startsWith("solana:") ? listed : [],
  );
  return {
    kinds: new Map(
      kinds
        .filter(({ scheme }) => scheme === "exact")
        .map(({ x402Version, network, extra }) => [
          `${x402Version} ${network}`,
          extra ? [...new Set([extra.feePayer, ...others])].filter(isSolanaAddress) : [],
        ]),
    ),
    channels: kinds
      .filter(({ x402Version, scheme }) => x402Version === 2 && scheme === CHANNEL_SCHEME)
      .map(({ network }) => network),
    signers: signers ?? {},
  };
}

/**
 * Returns whether a facilitator settles payments on a network in a version of x402. On Solana the facilitator must also
 * name an account that pays the fee.
 * @param supported the facilitator's answer. If `supported` is undefined, the facilitator counts as settling on every
 * EVM network
 */
export function settles(supported: Supported | undefined, network: Network, version: 1 | 2): boolean {
  if (isSolana(network)) return feePayersOn(supported, network, version).length > 0;
  if (!supported) return true;
  const { kinds } = supported;
  if (version === 1) return kinds.has(`1 ${network.name}`);
  return kinds.has(`2 ${network.caip2}`) || kinds.has("2 eip155:*");
}

/**
 * Returns the accounts from which the facilitator sends transactions on an EVM chain, in lower case. The list is empty
 * if the facilitator does not publish its accounts.
 */
export function signersOn(supported: Supported | undefined, { caip2 }: Network): readonly string[] {
  const { [caip2]: own = [], "eip155:*": all = [] } = supported?.signers ?? {};
  return [...own, ...all].filter((signer) => EVM_ADDRESS.test(signer)).map((signer) => signer.toLowerCase());
}

/** Returns whether a facilitator supports payment channels on a network. */
export function supportsChannels(supported: Supported | undefined, { caip2 }: Network): boolean {
  return [caip2, "eip155:*"].some((network) => supported?.channels.includes(network));
}

/** Returns the facilitator's accounts that may pay the fee of a transaction on Solana, the preferred account first. */
export function feePayersOn(
  supported: Supported | undefined,
  { name, caip2 }: SolanaNetwork,
  version: 1 | 2,
): readonly string[] {
  const kinds = supported?.kinds;
  if (version === 1) return kinds?.get(`1 ${name}`) ?? [];
  return kinds?.get(`2 ${caip2}`) ?? kinds?.get("2 solana:*") ?? [];
}

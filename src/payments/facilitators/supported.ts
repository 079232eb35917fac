import * as z from "zod";
import { isSolana, type Network, type SolanaNetwork } from "../wire/networks.ts";
import { isSolanaAddress } from "../wire/solanaTransaction.ts";

const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;

const addresses = z.array(z.string());

/** The answer of a facilitator to `GET /supported`; there is more in it. */
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
  /** By CAIP-2 network, or by `<namespace>:*`. */
  signers: z.record(z.string(), addresses).nullish().catch(undefined),
});

/** What a facilitator says of itself. */
export interface Supported {
  /**
   * What it settles, of the scheme "exact": by `<version of x402> <network>`, its accounts that may pay a fee on Solana,
   * the one it wants offered first.
   */
  kinds: ReadonlyMap<string, readonly string[]>;
  /** By CAIP-2 network, or by `<namespace>:*`, its accounts there. */
  signers: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads what a facilitator says that it settles (x402 v2, "GET /supported").
 * @throws Error if it cannot be read
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
    signers: signers ?? {},
  };
}

/**
 * Returns whether a facilitator settles payments on a network in a version of x402: on Solana only if it says who pays
 * the fee.
 * @param supported undefined if it has not said what it settles: then it is taken to settle everything that can be offered
 */
export function settles(supported: Supported | undefined, network: Network, version: 1 | 2): boolean {
  if (isSolana(network)) return feePayersOn(supported, network, version).length > 0;
  if (!supported) return true;
  const { kinds } = supported;
  if (version === 1) return kinds.has(`1 ${network.name}`);
  return kinds.has(`2 ${network.caip2}`) || kinds.has("2 eip155:*");
}

/**
 * Returns the accounts that a facilitator's transactions on an EVM chain come from, in lower case; none if it does not say.
 */
export function signersOn(supported: Supported | undefined, { caip2 }: Network): readonly string[] {
  const { [caip2]: own = [], "eip155:*": all = [] } = supported?.signers ?? {};
  return [...own, ...all].filter((signer) => EVM_ADDRESS.test(signer)).map((signer) => signer.toLowerCase());
}

/** Returns the accounts of a facilitator that may pay the fee of a transaction on Solana, the one to offer first. */
export function feePayersOn(
  supported: Supported | undefined,
  { name, caip2 }: SolanaNetwork,
  version: 1 | 2,
): readonly string[] {
  const kinds = supported?.kinds;
  if (version === 1) return kinds?.get(`1 ${name}`) ?? [];
  return kinds?.get(`2 ${caip2}`) ?? kinds?.get("2 solana:*") ?? [];
}

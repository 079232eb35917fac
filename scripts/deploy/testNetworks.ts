import { type Chain, extractChain } from "viem";
import * as chains from "viem/chains";
import { isSolana, type Network, TEST_NETWORKS } from "../../src/payments/wire/networks.ts";

/**
 * Returns viem's definition of an EVM network, which includes its explorer. Returns undefined for Solana and for chains
 * that viem does not know.
 */
export function chainOf(network: Network): Chain | undefined {
  if (isSolana(network)) return undefined;
  return extractChain({ chains: Object.values(chains) as Chain[], id: network.chainId });
}

/**
 * Returns whether the money of a network is worthless test money. The network can be built in or come from
 * EXTRA_NETWORKS. The money of an unknown network counts as real.
 */
export function isTestNetwork(network: Network): boolean {
  return TEST_NETWORKS.has(network.name) || chainOf(network)?.testnet === true;
}

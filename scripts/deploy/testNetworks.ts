import { type Chain, extractChain } from "viem";
import * as chains from "viem/chains";
import { isSolana, type Network, TEST_NETWORKS } from "../../src/payments/wire/networks.ts";

/** Returns the EVM chain of a network, with its explorer, as viem knows it; undefined on Solana, and if it is new to viem. */
export function chainOf(network: Network): Chain | undefined {
  if (isSolana(network)) return undefined;
  return extractChain({ chains: Object.values(chains) as Chain[], id: network.chainId });
}

/** Returns whether money on this network is worth nothing, also on one of EXTRA_NETWORKS. One that nobody knows is a real one. */
export function isTestNetwork(network: Network): boolean {
  return TEST_NETWORKS.has(network.name) || chainOf(network)?.testnet === true;
}

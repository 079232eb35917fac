import { type Chain, extractChain } from "viem";
import * as chains from "viem/chains";
import { isSolana, type Network } from "../../src/payments/networks.ts";

/** Returns the EVM chain of a network, with its explorer, as viem knows it; undefined on Solana, and if it is new to viem. */
export function chainOf(network: Network): Chain | undefined {
  if (isSolana(network)) return undefined;
  return extractChain({ chains: Object.values(chains) as Chain[], id: network.chainId });
}

/** Returns whether money on this network is worth nothing. One that nobody knows is taken for a real one. */
export function isTestNetwork(network: Network): boolean {
  return isSolana(network) ? network.name === "solana-devnet" : chainOf(network)?.testnet === true;
}

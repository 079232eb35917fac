/**
 * A token on a chain, in which payments are made. The value is plain JSON data, because it is stored with each payment.
 */
export type Network = EvmNetwork | SolanaNetwork;

interface NamedNetwork {
  /** Name of the network in settings, logs and x402 version 1. */
  name: string;
  /** CAIP-2 id of the network, used in x402 version 2. */
  caip2: string;
  /** Address of the USDC token: its contract on an EVM chain, or its mint on Solana. */
  asset: string;
  decimals: number;
  /**
   * The versions of x402 in which the token is offered. Clients of version 1 know a fixed list of names, and reject a
   * whole offer that contains any other name.
   */
  versions: readonly (1 | 2)[];
}

/** A token on an EVM chain. */
export interface EvmNetwork extends NamedNetwork {
  chainId: number;
  caip2: `eip155:${number}`;
  asset: `0x${string}`;
  /** The token's EIP-712 domain. */
  domain: { name: string; version: string };
}

/** A token on Solana. Addresses are base58 of 32 bytes. */
export interface SolanaNetwork extends NamedNetwork {
  /** CAIP-2 id of the network. Its reference part is the first 32 characters of the genesis hash. */
  caip2: `solana:${string}`;
  /**
   * The facilitators' accounts that may pay a transaction's fee, by version of x402, the preferred account first. Empty
   * until the facilitators have been asked.
   */
  feePayers: Readonly<Record<1 | 2, readonly string[]>>;
}

/** Returns whether a network is on Solana rather than on an EVM chain. */
export function isSolana(network: Network): network is SolanaNetwork {
  return network.caip2.startsWith("solana:");
}

const BOTH = [1, 2] as const;
const V2_ONLY = [2] as const;

/** The built-in networks, by name. Each network's token is USDC with six decimals. Operators may add more networks. */
export const NETWORKS = {
  ...usdc("base", 8453, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin", BOTH),
  ...usdc("base-sepolia", 84532, "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC", BOTH),
  ...usdc("polygon", 137, "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USD Coin", BOTH),
  ...usdc("polygon-amoy", 80002, "0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582", "USDC", BOTH),
  ...usdc("arbitrum", 42161, "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USD Coin", V2_ONLY),
  ...usdc("arbitrum-sepolia", 421614, "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d", "USD Coin", V2_ONLY),
  ...usdc("avalanche", 43114, "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "USD Coin", BOTH),
  ...usdc("avalanche-fuji", 43113, "0x5425890298aed601595a70AB815c96711a31Bc65", "USD Coin", BOTH),
  ...usdc("world", 480, "0x79A02482A880bCE3F13e09Da970dC34db4CD24d1", "USDC", V2_ONLY),
  ...usdc("monad", 143, "0x754704Bc059F8C67012fEd69BC8A327a5aafb603", "USDC", V2_ONLY),
  ...solana("solana", "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),
  ...solana("solana-devnet", "EtWTRABZaYq6iMfeYKouRu166VU2xqa1", "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"),
};

export type NetworkName = keyof typeof NETWORKS;

/** The names of the EVM networks. */
export type EvmNetworkName = {
  [Name in NetworkName]: (typeof NETWORKS)[Name] extends EvmNetwork ? Name : never;
}[NetworkName];

export const NETWORK_NAMES = Object.keys(NETWORKS) as [NetworkName, ...NetworkName[]];

/** Whether the tokens of each network have real value. */
const IS_REAL: Record<NetworkName, boolean> = {
  base: true,
  "base-sepolia": false,
  polygon: true,
  "polygon-amoy": false,
  arbitrum: true,
  "arbitrum-sepolia": false,
  avalanche: true,
  "avalanche-fuji": false,
  world: true,
  monad: true,
  solana: true,
  "solana-devnet": false,
};

/** The {@link NETWORKS} whose tokens are worthless. */
export const TEST_NETWORKS: ReadonlySet<string> = new Set(NETWORK_NAMES.filter((name) => !IS_REAL[name]));

function usdc<Name extends string>(
  name: Name,
  chainId: number,
  asset: EvmNetwork["asset"],
  domainName: string,
  versions: EvmNetwork["versions"],
): Record<Name, EvmNetwork> {
  const domain = { name: domainName, version: "2" };
  const network: EvmNetwork = { name, chainId, caip2: `eip155:${chainId}`, asset, decimals: 6, domain, versions };
  return { [name]: network } as Record<Name, EvmNetwork>;
}

function solana<Name extends string>(name: Name, genesis: string, asset: string): Record<Name, SolanaNetwork> {
  const network: SolanaNetwork = {
    name,
    caip2: `solana:${genesis}`,
    asset,
    decimals: 6,
    versions: BOTH,
    feePayers: { 1: [], 2: [] },
  };
  return { [name]: network } as Record<Name, SolanaNetwork>;
}

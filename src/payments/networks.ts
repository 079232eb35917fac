/** A token on an EVM chain, as payments are made in it. Plain JSON data: it is kept with each payment. */
export interface Network {
  /** In settings, logs and x402 version 1. */
  name: string;
  chainId: number;
  /** CAIP-2 id, used by x402 version 2. */
  caip2: `eip155:${number}`;
  /** The contract of the token, a dollar each (USDC), its decimals and its EIP-712 domain. */
  asset: `0x${string}`;
  decimals: number;
  domain: { name: string; version: string };
  /**
   * The versions of x402 that it is offered in. Clients of version 1 know a fixed list of names, and pay nothing at all
   * where an offer has another.
   */
  versions: readonly (1 | 2)[];
}

const [BOTH, NEWER] = [[1, 2], [2]] as const;

/** The chains that payments can be made on, by name. All have USDC of six decimals; operators may add more. */
export const NETWORKS = {
  ...usdc("base", 8453, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin", BOTH),
  ...usdc("base-sepolia", 84532, "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC", BOTH),
  ...usdc("polygon", 137, "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USD Coin", BOTH),
  ...usdc("polygon-amoy", 80002, "0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582", "USDC", BOTH),
  ...usdc("arbitrum", 42161, "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USD Coin", NEWER),
  ...usdc("arbitrum-sepolia", 421614, "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d", "USD Coin", NEWER),
  ...usdc("avalanche", 43114, "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "USD Coin", BOTH),
  ...usdc("avalanche-fuji", 43113, "0x5425890298aed601595a70AB815c96711a31Bc65", "USD Coin", BOTH),
  ...usdc("monad", 143, "0x754704Bc059F8C67012fEd69BC8A327a5aafb603", "USDC", NEWER),
};

export type NetworkName = keyof typeof NETWORKS;

export const NETWORK_NAMES = Object.keys(NETWORKS) as [NetworkName, ...NetworkName[]];

function usdc<Name extends string>(
  name: Name,
  chainId: number,
  asset: Network["asset"],
  domainName: string,
  versions: Network["versions"],
): Record<Name, Network> {
  const domain = { name: domainName, version: "2" };
  const network: Network = { name, chainId, caip2: `eip155:${chainId}`, asset, decimals: 6, domain, versions };
  return { [name]: network } as Record<Name, Network>;
}

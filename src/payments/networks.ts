interface Network {
  chainId: number;
  /** CAIP-2 id, used by x402 version 2. The key in `NETWORKS` is the name in version 1. */
  caip2: `eip155:${number}`;
  /** The USDC contract and its EIP-712 domain. */
  asset: `0x${string}`;
  domain: { name: string; version: string };
}

/** The chains that payments can be made on, by x402 version 1 name. All are EVM chains with USDC of six decimals. */
export const NETWORKS = {
  base: evm(8453, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", { name: "USD Coin", version: "2" }),
  "base-sepolia": evm(84532, "0x036CbD53842c5426634e7929541eC2318f3dCF7e", { name: "USDC", version: "2" }),
  polygon: evm(137, "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", { name: "USD Coin", version: "2" }),
  avalanche: evm(43114, "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", { name: "USD Coin", version: "2" }),
  "avalanche-fuji": evm(43113, "0x5425890298aed601595a70AB815c96711a31Bc65", { name: "USD Coin", version: "2" }),
};

export type NetworkName = keyof typeof NETWORKS;

export const NETWORK_NAMES = Object.keys(NETWORKS) as [NetworkName, ...NetworkName[]];

function evm(chainId: number, asset: Network["asset"], domain: Network["domain"]): Network {
  return { chainId, caip2: `eip155:${chainId}`, asset, domain };
}

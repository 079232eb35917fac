/** The chains a payment can be made on, by their x402 v1 name, with the USDC contract and its EIP-712 domain there. */
export const NETWORKS = {
  base: {
    chainId: 8453,
    asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    domain: { name: "USD Coin", version: "2" },
  },
  "base-sepolia": {
    chainId: 84532,
    asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    domain: { name: "USDC", version: "2" },
  },
} as const;

export type NetworkName = keyof typeof NETWORKS;

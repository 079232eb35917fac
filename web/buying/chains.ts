import type { Chain } from "viem";
import {
  arbitrum,
  arbitrumSepolia,
  avalanche,
  avalancheFuji,
  base,
  baseSepolia,
  monad,
  polygon,
  polygonAmoy,
  worldchain,
} from "viem/chains";
import type { EvmNetworkName } from "../../src/payments/wire/networks.ts";

/**
 * viem's definitions of the service's EVM networks. The page sends a definition to a wallet that must add the chain.
 */
export const CHAINS: Record<EvmNetworkName, Chain> = {
  base,
  "base-sepolia": baseSepolia,
  polygon,
  "polygon-amoy": polygonAmoy,
  arbitrum,
  "arbitrum-sepolia": arbitrumSepolia,
  avalanche,
  "avalanche-fuji": avalancheFuji,
  world: worldchain,
  monad,
};

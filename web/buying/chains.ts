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
} from "viem/chains";
import type { EvmNetworkName } from "../../src/payments/wire/networks.ts";

/** The EVM networks of the service as viem has them: a wallet may need their data to add a chain. */
export const CHAINS: Record<EvmNetworkName, Chain> = {
  base,
  "base-sepolia": baseSepolia,
  polygon,
  "polygon-amoy": polygonAmoy,
  arbitrum,
  "arbitrum-sepolia": arbitrumSepolia,
  avalanche,
  "avalanche-fuji": avalancheFuji,
  monad,
};

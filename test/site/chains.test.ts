import { expect, test } from "vitest";
import { type EvmNetwork, NETWORKS } from "../../src/payments/wire/networks.ts";
import { CHAINS } from "../../web/buying/chains.ts";

test.each(Object.entries(CHAINS))(
  "the wallet code of the page uses the service's chain id for the network %s",
  (name, { id }) => {
    expect(id).toBe((NETWORKS[name as keyof typeof NETWORKS] as EvmNetwork).chainId);
  },
);

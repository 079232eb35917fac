import { expect, test } from "vitest";
import { type EvmNetwork, NETWORKS } from "../../src/payments/wire/networks.ts";
import { CHAINS } from "../../web/buying/chains.ts";

test.each(Object.entries(CHAINS))("the page's chain for the network %s has the network's chain id", (name, { id }) => {
  expect(id).toBe((NETWORKS[name as keyof typeof NETWORKS] as EvmNetwork).chainId);
});

import { NETWORKS, type Network } from "../payments/wire/networks.ts";
import { atomicUnits } from "../payments/wire/price.ts";
import type { Settings } from "./schema.ts";
import { SettingsError } from "./settingsError.ts";

/**
 * Returns the networks in NETWORKS.
 * @throws SettingsError if a network is unknown or duplicated, if its token has too few decimals for the price, or if
 * EXTRA_NETWORKS redefines a built-in network
 */
export function networksOf({ NETWORKS: chosen, EXTRA_NETWORKS: extra, PRICE }: Settings): Network[] {
  const known = new Map<string, Network>(Object.entries(NETWORKS));
  for (const [name, { chainId, asset, decimals, ...domain }] of Object.entries(extra)) {
    if (known.has(name)) throw wrong(`EXTRA_NETWORKS: ${name} is a built-in network. Choose another name`);
    const token = { asset, decimals, domain };
    known.set(name, { name, chainId, caip2: `eip155:${chainId}`, ...token, versions: [2] });
  }
  const networks = chosen.map((name, at) => {
    const network = known.get(name);
    if (!network) throw wrong(`NETWORKS: entry ${at + 1} is unknown. Choose from ${[...known.keys()].join(", ")}`);
    return network;
  });
  if (new Set(networks.map(({ caip2 }) => caip2)).size < networks.length)
    throw wrong("NETWORKS: two entries are the same chain. Remove one");
  for (const { name, decimals } of networks)
    try {
      atomicUnits(PRICE, decimals);
    } catch {
      throw wrong(`PRICE: has more decimals than the token on ${name}. Use fewer decimals`);
    }
  return networks;
}

function wrong(problem: string): SettingsError {
  return new SettingsError([problem]);
}

import { type EvmNetwork, isSolana, NETWORKS } from "./networks.ts";

/** A way to pay in the terms of a 402, in either version of x402. */
export interface OfferedWay {
  scheme: string;
  network: string;
  asset: string;
  maxTimeoutSeconds?: number;
  extra?: { assetTransferMethod?: unknown };
}

/**
 * Maximum accepted lifetime of a payment in seconds. During this time, the payee can cash a signed payment even if the
 * call fails.
 */
const LONGEST_SECONDS = 3600;

/** Returns the networks on which the project's own clients can pay. */
export function payableNetworks(): EvmNetwork[] {
  return Object.values(NETWORKS).filter((network) => !isSolana(network)) as EvmNetwork[];
}

/**
 * Returns the network of a way to pay, if the project's own clients can pay this way: with USDC, authorized by a
 * signature (EIP-3009). Other tokens are refused, because the meaning of their amounts is unknown.
 * @param amount the amount to pay in atomic units, as the terms state it
 */
export function payableNetwork(way: OfferedWay, amount: string, scheme: string): EvmNetwork | undefined {
  const network = payableNetworks().find(({ name, caip2 }) => way.network === name || way.network === caip2);
  const isKnown = network !== undefined && String(way.asset).toLowerCase() === network.asset.toLowerCase();
  const isSigned = way.scheme === scheme && (way.extra?.assetTransferMethod ?? "eip3009") === "eip3009";
  const isBrief = Number(way.maxTimeoutSeconds) <= LONGEST_SECONDS;
  return isKnown && isSigned && isBrief && /^\d{1,30}$/.test(amount) ? network : undefined;
}

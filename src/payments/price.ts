/** All tokens are USDC, with six decimals. */
const DECIMALS = 6;

/** The price of one call. */
export interface Price {
  /** In atomic units (millionths of a USDC), as EIP-3009 and x402 count. */
  readonly atomicUnits: string;
  /** For people to read: `0.05 USDC`. */
  readonly label: string;
}

/**
 * Parses an amount of USDC such as `0.05`. Returns undefined if it is not a number, is zero, or has more than nine
 * digits before the point or six after it.
 */
export function parsePrice(amount: string): Price | undefined {
  const [, whole, decimals = ""] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(amount) ?? [];
  if (whole === undefined) return undefined;
  const atomicUnits = BigInt(whole + decimals.padEnd(DECIMALS, "0"));
  return atomicUnits === 0n ? undefined : { atomicUnits: String(atomicUnits), label: `${amount} USDC` };
}

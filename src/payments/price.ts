/** The tokens are all USDC, of six decimals. */
const DECIMALS = 6;

/** What one call costs. */
export interface Price {
  /** In millionths of a USDC, as EIP-3009 and x402 count. */
  readonly atomicUnits: string;
  /** As people read it: `0.05 USDC`. */
  readonly label: string;
}

/** Reads an amount of USDC such as `0.05`; undefined where it is none, is zero, or has more than six decimals. */
export function parsePrice(amount: string): Price | undefined {
  const [, whole, decimals = ""] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(amount) ?? [];
  if (whole === undefined) return undefined;
  const atomicUnits = BigInt(whole + decimals.padEnd(DECIMALS, "0"));
  return atomicUnits === 0n ? undefined : { atomicUnits: String(atomicUnits), label: `${amount} USDC` };
}

/** Number of decimals of USDC and of a price. */
const DECIMALS = 6;

/** The price of one call. */
export interface Price {
  /** Price in millionths of a USDC. */
  readonly millionths: string;
  /** Human-readable price, such as `0.05 USDC`. */
  readonly label: string;
}

/**
 * Parses an amount of USDC such as `0.05`. Returns undefined if the amount is not a number, is zero, or has more than
 * nine digits before the point or six after it.
 */
export function parsePrice(amount: string): Price | undefined {
  const [, whole, decimals = ""] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(amount) ?? [];
  if (whole === undefined) return undefined;
  const millionths = BigInt(whole + decimals.padEnd(DECIMALS, "0"));
  return millionths === 0n ? undefined : { millionths: String(millionths), label: `${amount} USDC` };
}

/**
 * Returns a price in atomic units of a token with `decimals` decimals, as used in EIP-3009 and x402.
 * @throws RangeError if the price is not a whole number of units
 */
export function atomicUnits({ millionths, label }: Price, decimals: number): string {
  if (decimals >= DECIMALS) return millionths + "0".repeat(decimals - DECIMALS);
  const divisor = 10n ** BigInt(DECIMALS - decimals);
  if (BigInt(millionths) % divisor !== 0n) throw new RangeError(`${label} cannot be paid with ${decimals} decimals`);
  return String(BigInt(millionths) / divisor);
}

/** Returns a price in dollars as a decimal, such as `0.05`. One USDC is one dollar. */
export function dollarsOf({ label }: Price): string {
  return label.split(" ")[0]!;
}

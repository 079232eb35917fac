/** Formats a size with at most three significant digits: `1.5 MB`. */
export function sizeInWords(bytes: number): string {
  const [unit, size] = bytes < 1e6 ? (["kilobyte", bytes / 1e3] as const) : (["megabyte", bytes / 1e6] as const);
  return new Intl.NumberFormat("en", { style: "unit", unit, maximumSignificantDigits: 3 }).format(Math.max(1, size));
}

/** What one call costs. USDC has six decimals. */
export const PRICE = { atomicUnits: "50000", label: "0.05 USDC" } as const;

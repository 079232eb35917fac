/** What is far away at the edge, and how far: milliseconds until it answers. */
export const DELAYS = { ledger: 10, budget: 10, R2: 30, source: 50, verify: 200, settle: 1500 };

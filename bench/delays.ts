/** Simulated latencies of services at the edge: the milliseconds until each service answers. */
export const DELAYS = { ledger: 10, budget: 10, R2: 30, source: 50, verify: 200, settle: 1500 };

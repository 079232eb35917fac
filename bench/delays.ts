/** Simulated latencies at the edge, in milliseconds until the answer. */
export const DELAYS = { ledger: 10, budget: 10, R2: 30, source: 50, verify: 200, settle: 1500 };

/** Maximum difference in seconds between the clocks of two machines. Another machine may ask later than the first one. */
const MACHINE_SKEW = 4;

/**
 * Returns when the first settlement attempt began at the earliest, in Unix seconds. If the Worker's clock is ahead of the
 * chain's, the time is converted to the chain's clock. Otherwise the Worker would take its own transfer for an older one.
 * @param firstAsked start of the attempt by the Worker's clock, Unix milliseconds
 * @param chainNow current time of the chain, Unix seconds
 */
export function askedByChain(firstAsked: number, chainNow: number): number {
  const elapsed = Math.max(0, Date.now() - firstAsked) / 1000;
  return Math.min(firstAsked / 1000, chainNow - elapsed - MACHINE_SKEW);
}

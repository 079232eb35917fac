/**
 * Maximum difference in seconds between the clocks of two machines. A later attempt may run on another machine than the
 * first attempt.
 */
const MACHINE_SKEW = 4;

/**
 * Returns the earliest time at which the first settlement attempt can have begun, in Unix seconds. If the Worker's
 * clock is ahead of the chain's clock, converts the time to the chain's clock. Without this conversion, the Worker
 * would mistake its own transfer for an older one.
 * @param firstAsked start of the attempt by the Worker's clock, Unix milliseconds
 * @param chainNow current time of the chain, Unix seconds
 */
export function askedByChain(firstAsked: number, chainNow: number): number {
  const elapsed = Math.max(0, Date.now() - firstAsked) / 1000;
  return Math.min(firstAsked / 1000, chainNow - elapsed - MACHINE_SKEW);
}

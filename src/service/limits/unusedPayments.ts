/**
 * Throttles payers whose verified payments repeatedly end in failed calls, for a few seconds at a time. A facilitator
 * may charge the service for each verification, and a failed call earns nothing. Other callers behind the payer's
 * address are not throttled. Each isolate counts separately.
 */

import { PaymentRequired } from "../../payments/wire/offer.ts";
import { UNUSED_PAYMENTS } from "../../settings/limits.ts";
import { Problem, problemOf } from "../../shared/problems.ts";
import { LeakyBucket } from "./leakyBucket.ts";
import { clientIn } from "./rateLimits.ts";

/** Counts the unused verified payments of each payer. */
const UNUSED = new LeakyBucket(UNUSED_PAYMENTS);

/**
 * Verifies a payment, unless its payer is throttled.
 * @param payer the name of the payer's account
 * @throws Problem too_many_requests
 */
export async function unlessThrottled<T>(payer: string, request: Request, verify: () => Promise<T>): Promise<T> {
  if (clientIn(request) === undefined) return verify();
  const seconds = UNUSED.waitSeconds(payer);
  if (seconds === 0) return UNUSED.during(payer, verify, () => false);
  throw new Problem(
    "too_many_requests",
    `Too many calls of this payer failed after their payments were verified. Nothing was charged. Wait ${seconds} s.`,
    { headers: { "Retry-After": String(seconds) } },
  );
}

/**
 * Counts the verified payment of a failed call as unused. Does not count it if the service itself failed or the payment
 * was refused.
 */
export function countUnusedAfterFailure(error: unknown, payer: string, request: Request): void {
  if (error instanceof PaymentRequired) return;
  const { status, code } = problemOf(error);
  if (code === "call_cancelled" || (status !== 500 && status !== 503)) countUnused(payer, request);
}

/** Counts a payment that was verified for an MCP message without a paid call. */
export function countUnused(payer: string, request: Request): void {
  if (clientIn(request) !== undefined) UNUSED.add(payer);
}

/** Resets the count of a payer after a paid call. */
export function forgiveUnused(payer: string): void {
  UNUSED.forget(payer);
}

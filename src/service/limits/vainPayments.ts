/**
 * Keeps payers away, for some seconds at a time, whose payments are good and never used: each is verified, which facilitators
 * may charge for, and its call fails before it is charged. Only its payer is kept away, and nobody else behind the address;
 * each isolate counts for itself.
 */

import { PaymentRequired } from "../../payments/wire/offer.ts";
import { VAIN_PAYMENTS } from "../../settings/config.ts";
import { Problem, problemOf } from "../../shared/problems.ts";
import { clientIn } from "./rateLimits.ts";
import { Tally } from "./tally.ts";

/** How many payments of each payer's account were verified in vain. */
const VAIN = new Tally(VAIN_PAYMENTS);

/**
 * Has a payment verified, unless too many of its payer's were in vain.
 * @param payer the name of its account
 * @throws Problem too_many_requests
 */
export async function unlessInVain<T>(payer: string, request: Request, verify: () => Promise<T>): Promise<T> {
  if (clientIn(request) === undefined) return verify();
  const seconds = VAIN.waitSeconds(payer);
  if (seconds === 0) return VAIN.during(payer, verify, () => false);
  throw new Problem(
    "too_many_requests",
    `Too many calls of this payer failed after their payments were verified. Nothing was charged; wait ${seconds} s.`,
    { headers: { "Retry-After": String(seconds) } },
  );
}

/** Counts a payment that was verified for a call that has failed, unless that is our fault, or the payment was refused. */
export function countVain(error: unknown, payer: string, request: Request): void {
  if (error instanceof PaymentRequired) return;
  const { status, code } = problemOf(error);
  if (code === "call_cancelled" || (status !== 500 && status !== 503)) countUnused(payer, request);
}

/** Counts a payment that was verified for what was no call in the end. */
export function countUnused(payer: string, request: Request): void {
  if (clientIn(request) !== undefined) VAIN.add(payer);
}

/** Forgets the vain payments of a payer who has paid. */
export function forgiveVain(payer: string): void {
  VAIN.forget(payer);
}

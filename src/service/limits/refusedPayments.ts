/**
 * Throttles addresses whose payments are refused, for a few seconds at a time. Between these periods, other callers
 * behind the same address can pay. Each isolate counts separately, because a forged payment costs only the time of the
 * isolate that checks it.
 */

import { PaymentError } from "../../payments/wire/errors.ts";
import { PaymentRequired } from "../../payments/wire/offer.ts";
import { REFUSED_PAYMENTS } from "../../settings/limits.ts";
import { Problem } from "../../shared/problems.ts";
import { LeakyBucket } from "./leakyBucket.ts";
import { clientIn } from "./rateLimits.ts";

/** Counts the refused payments of each address. */
const REFUSED = new LeakyBucket(REFUSED_PAYMENTS);
/**
 * Error codes for attempts with another payer's payment or a guessed key. Each of these errors reveals something about
 * the guess.
 */
const GUESSED = new Set(["payment_already_used", "idempotency_key_reused", "sign_in_refused"]);

function isRefusal(error: unknown): boolean {
  return error instanceof PaymentRequired || (error instanceof PaymentError && GUESSED.has(error.code));
}

/**
 * Rejects every payment and sign-in from a throttled address, before the ledger or a facilitator is asked.
 * @throws Problem too_many_requests
 */
export function rejectThrottled(request: Request): void {
  const client = clientIn(request);
  const seconds = client === undefined ? 0 : REFUSED.waitSeconds(client);
  if (seconds === 0) return;
  throw new Problem(
    "too_many_requests",
    `Too many payments or sign-ins from your address were refused. Wait ${seconds} s.`,
    {
      headers: { "Retry-After": String(seconds) },
    },
  );
}

/** Runs `ask`, which checks a payment or sign-in. Counts a refusal against the request's address. */
export async function countingRefusals<T>(request: Request, ask: () => Promise<T>): Promise<T> {
  const client = clientIn(request);
  return client === undefined ? ask() : REFUSED.during(client, ask, isRefusal);
}

/** Counts a payment that was refused after admission, for example at settlement, against the request's address. */
export function countRefusal(error: unknown, request: Request): void {
  const client = clientIn(request);
  if (client !== undefined && isRefusal(error)) REFUSED.add(client);
}

/** Resets the count of an address after a paid call. */
export function forgiveRefusals(request: Request): void {
  const client = clientIn(request);
  if (client !== undefined) REFUSED.forget(client);
}

/**
 * Throttles addresses whose payments are refused, for a few seconds at a time. Other callers behind the same address
 * get through in between. Each isolate counts separately, because forged payments cost its own time.
 */

import { PaymentError } from "../../payments/wire/errors.ts";
import { PaymentRequired } from "../../payments/wire/offer.ts";
import { REFUSED_PAYMENTS } from "../../settings/config.ts";
import { Problem } from "../../shared/problems.ts";
import { LeakyBucket } from "./leakyBucket.ts";
import { clientIn } from "./rateLimits.ts";

/** Number of refused payments of each address. */
const REFUSED = new LeakyBucket(REFUSED_PAYMENTS);
/**
 * Error codes that answer attempts with other payers' payments or guessed keys. Each answer reveals something about the
 * guess.
 */
const GUESSED = new Set(["payment_already_used", "idempotency_key_reused", "sign_in_refused"]);

function isRefusal(error: unknown): boolean {
  return error instanceof PaymentRequired || (error instanceof PaymentError && GUESSED.has(error.code));
}

/**
 * Rejects every payment from a throttled address, before the ledger or a facilitator is asked.
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

/** Runs a check of a payment or sign-in, and counts a refusal against its address. */
export async function countingRefusals<T>(request: Request, ask: () => Promise<T>): Promise<T> {
  const client = clientIn(request);
  return client === undefined ? ask() : REFUSED.during(client, ask, isRefusal);
}

/** Counts a payment that was refused later, at settlement, against its address. */
export function countRefusal(error: unknown, request: Request): void {
  const client = clientIn(request);
  if (client !== undefined && isRefusal(error)) REFUSED.add(client);
}

/** Resets the count of an address after a paid call. */
export function forgiveRefusals(request: Request): void {
  const client = clientIn(request);
  if (client !== undefined) REFUSED.forget(client);
}

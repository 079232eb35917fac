/**
 * Keeps addresses away whose payments are refused, for some seconds at a time: callers behind the same address as a
 * forger come through in between. Each isolate counts for itself, since it is its own time that forged payments take.
 */

import { PaymentError } from "../../payments/wire/errors.ts";
import { PaymentRequired } from "../../payments/wire/offer.ts";
import { REFUSED_PAYMENTS } from "../../settings/config.ts";
import { Problem } from "../../shared/problems.ts";
import { clientIn } from "./rateLimits.ts";
import { Tally } from "./tally.ts";

/** How many refused payments each address has had. */
const REFUSED = new Tally(REFUSED_PAYMENTS);
/** What is told to who sends the payments of others, or guesses keys; each tells something about a guess. */
const GUESSED = new Set(["payment_already_used", "idempotency_key_reused", "sign_in_refused"]);

function isRefusal(error: unknown): boolean {
  return error instanceof PaymentRequired || (error instanceof PaymentError && GUESSED.has(error.code));
}

/**
 * Refuses whatever payment comes from an address that has sent too many refused ones, before anybody is asked about it.
 * @throws Problem too_many_requests
 */
export function refusePenalised(request: Request): void {
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

/** Asks whether a payment or sign-in is good, and counts it against its address if it is refused. */
export async function countingRefusals<T>(request: Request, ask: () => Promise<T>): Promise<T> {
  const client = clientIn(request);
  return client === undefined ? ask() : REFUSED.during(client, ask, isRefusal);
}

/** Counts a payment against its address that was refused later, when it was to be settled. */
export function countRefusal(error: unknown, request: Request): void {
  const client = clientIn(request);
  if (client !== undefined && isRefusal(error)) REFUSED.add(client);
}

/** Forgets the refused payments of an address from which one has been paid. */
export function forgiveRefusals(request: Request): void {
  const client = clientIn(request);
  if (client !== undefined) REFUSED.forget(client);
}

/**
 * Keeps addresses away whose payments are refused, for some seconds at a time: callers behind the same address as a
 * forger come through in between. Each isolate counts for itself, since it is its own time that forged payments take.
 */
import { REFUSED_PAYMENTS } from "../config.ts";
import { PaymentError } from "../payments/errors.ts";
import { PaymentRequired } from "../payments/offer.ts";
import { Problem } from "../problems.ts";
import { clientIn } from "./rateLimits.ts";

const { most, forgottenMs } = REFUSED_PAYMENTS;
/** How many refused payments each address has had, and when that was counted (Unix milliseconds), oldest first. */
const addresses = new Map<string, { refused: number; at: number }>();
/** As many are remembered, however many there are. */
const MAX_ADDRESSES = 10_000;
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
  const tooMany = client === undefined ? 0 : refusedOf(client) - most + 1;
  if (tooMany <= 0) return;
  const seconds = Math.ceil((tooMany * forgottenMs) / 1000);
  throw new Problem(
    "too_many_requests",
    `Too many payments or sign-ins from your address were refused. Wait ${seconds} s.`,
    {
      headers: { "Retry-After": String(seconds) },
    },
  );
}

/**
 * Asks whether a payment or sign-in is good, and counts it against its address if it is refused. Where some were refused already,
 * one that is being asked about counts like them, so that many at once are not let through.
 */
export async function countingRefusals<T>(request: Request, ask: () => Promise<T>): Promise<T> {
  const client = clientIn(request);
  if (client === undefined) return ask();
  const ahead = refusedOf(client) > 0 ? 1 : 0;
  count(client, ahead);
  try {
    const answer = await ask();
    count(client, -ahead);
    return answer;
  } catch (error) {
    count(client, (isRefusal(error) ? 1 : 0) - ahead);
    throw error;
  }
}

/** Counts a payment against its address that was refused later, when it was to be settled. */
export function countRefusal(error: unknown, request: Request): void {
  const client = clientIn(request);
  if (client !== undefined && isRefusal(error)) count(client, 1);
}

/** Forgets the refused payments of an address from which one has been paid. */
export function forgiveRefusals(request: Request): void {
  const client = clientIn(request);
  if (client !== undefined) addresses.delete(client);
}

function refusedOf(client: string): number {
  const { refused, at } = addresses.get(client) ?? { refused: 0, at: 0 };
  return Math.max(0, refused - (Date.now() - at) / forgottenMs);
}

function count(client: string, more: number): void {
  if (more === 0) return;
  const refused = Math.min(most, refusedOf(client) + more); // many at once keep nobody away for longer
  addresses.delete(client);
  if (refused > 0) addresses.set(client, { refused, at: Date.now() });
  const [oldest] = addresses.keys();
  if (addresses.size > MAX_ADDRESSES && oldest !== undefined) addresses.delete(oldest);
}

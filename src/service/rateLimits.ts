import ipaddr from "ipaddr.js";
import { RATE_LIMITS } from "../config.ts";
import { isLoopback } from "../loopback.ts";
import { PaymentError } from "../payments/errors.ts";
import { PaymentRequired } from "../payments/offer.ts";
import { Problem } from "../problems.ts";
import type { Exchange } from "./callContext.ts";

/**
 * Applies the rate limits per address: returns `too_many_requests` in place of a refusal if its address has had too
 * many, and any other error unchanged. Only refusals count, never paid calls or links with the right token, so clients
 * that share an address with someone guessing tokens keep their links. There is no limit without the rate-limit
 * bindings, while they fail, or for a client on this machine.
 */
export async function limitRefusals(error: Error, request: Request, env: Env): Promise<Error> {
  const counted = countOf(error, env);
  const client = clientIn(request);
  if (!counted?.by || client === undefined) return error;

  const { success } = await counted.by.limit({ key: client }).catch(() => ({ success: true }));
  if (success) return error;
  return new Problem(
    "too_many_requests",
    `More than ${counted.limit} ${counted.what} in a minute came from your address. Wait a minute.`,
    { headers: { "Retry-After": "60" } },
  );
}

interface Count {
  what: string;
  limit: number;
  /** The rate-limit binding; undefined if the deployment has none. */
  by: RateLimit | undefined;
}

function countOf(error: Error, { UNPAID_CALLS, WRONG_TOKENS }: Partial<Env>): Count | undefined {
  if (error instanceof PaymentRequired)
    return { what: "calls without a valid payment", limit: RATE_LIMITS.unpaidCalls, by: UNPAID_CALLS };
  if (error instanceof Problem && error.code === "invalid_token")
    return { what: "links with a wrong token", limit: RATE_LIMITS.wrongTokens, by: WRONG_TOKENS };
  if (error instanceof PaymentError && error.code === "sign_in_refused")
    return { what: "sign-ins that are not valid", limit: RATE_LIMITS.wrongTokens, by: WRONG_TOKENS };
  return undefined;
}

/** How long an address over its limit of refused payments is kept away. */
const PENALTY_MS = 60_000;
/** The addresses kept away by this isolate, oldest first, and until when (Unix milliseconds). */
const penalties = new Map<string, number>();
/** As many are remembered, however many there are. */
const MAX_PENALTIES = 10_000;

/** What is told to who sends the payments of others, or guesses keys; each tells something about a guess. */
const GUESSED = new Set(["payment_already_used", "idempotency_key_reused", "sign_in_refused"]);

function isRefusal(error: unknown): boolean {
  return error instanceof PaymentRequired || (error instanceof PaymentError && GUESSED.has(error.code));
}

/**
 * Awaits an answer to a payment or sign-in. One that is refused counts against its address, apart from calls without
 * either, and too many keep the address's payments away for a minute: see {@link refusePenalised}.
 */
export async function countingRefusals<T>({ request, env }: Pick<Exchange, "request" | "env">, answer: Promise<T>) {
  try {
    return await answer;
  } catch (error) {
    const client = clientIn(request);
    if (!isRefusal(error) || client === undefined) throw error;
    const { UNPAID_CALLS }: Partial<Env> = env;
    const { success = true } = (await UNPAID_CALLS?.limit({ key: `payments ${client}` }).catch(() => undefined)) ?? {};
    if (success) throw error;
    penalties.delete(client);
    penalties.set(client, Date.now() + PENALTY_MS);
    const [oldest] = penalties.keys();
    if (penalties.size > MAX_PENALTIES && oldest !== undefined) penalties.delete(oldest);
    throw keptAway();
  }
}

/**
 * Refuses whatever payment comes from an address that has sent too many refused ones, before anybody is asked about it.
 * It is kept away by each isolate that has seen it over its limit, since a rate-limit binding cannot be looked at
 * without being counted.
 * @throws Problem too_many_requests
 */
export function refusePenalised(request: Request): void {
  const client = clientIn(request);
  if (client !== undefined && Date.now() < (penalties.get(client) ?? 0)) throw keptAway();
}

function keptAway(): Problem {
  return new Problem(
    "too_many_requests",
    `More than ${RATE_LIMITS.unpaidCalls} payments or sign-ins from your address were refused in a minute. Wait a minute.`,
    { headers: { "Retry-After": String(PENALTY_MS / 1000) } },
  );
}

/** Returns the client that a request is counted under; undefined if its address is not known, or this machine's. */
export function clientIn(request: Request): string | undefined {
  const address = request.headers.get("CF-Connecting-IP");
  return address === null || isLoopback(request) ? undefined : clientOf(address);
}

/**
 * Returns the key that an address is counted under: the address itself, or its /64 for IPv6, since one customer has a
 * whole /64.
 */
export function clientOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`)}/64` : parsed.toString();
}

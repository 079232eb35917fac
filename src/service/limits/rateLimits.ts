import ipaddr from "ipaddr.js";
import { PaymentError } from "../../payments/wire/errors.ts";
import { PaymentRequired } from "../../payments/wire/offer.ts";
import { RATE_LIMITS } from "../../settings/limits.ts";
import { isLoopback } from "../../shared/net/loopback.ts";
import { Problem } from "../../shared/problems.ts";

/**
 * Applies the rate limits per address to the error of a request. If the error is a refusal and the client's address has
 * had too many refusals, returns `too_many_requests` instead. Otherwise returns the error unchanged. Paid calls and
 * links with the right token never count, so clients that share an address with a token guesser can still open their
 * links. Without the rate-limit bindings, or while they fail, there is no limit. Clients on this machine are not
 * limited.
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
  /** The rate-limit binding. Undefined if the deployment has no such binding. */
  by: RateLimit | undefined;
}

/** Codes of the errors that a wrong guess of a secret causes. */
const GUESSES = new Set(["invalid_token", "upload_not_found", "quote_not_found"]);

function countOf(error: Error, { UNPAID_CALLS, WRONG_TOKENS }: Partial<Env>): Count | undefined {
  if (error instanceof PaymentRequired)
    return { what: "calls without a valid payment", limit: RATE_LIMITS.unpaidCalls, by: UNPAID_CALLS };
  if (error instanceof Problem && GUESSES.has(error.code))
    return {
      what: "requests with a wrong token or for unknown uploads or payment links",
      limit: RATE_LIMITS.wrongTokens,
      by: WRONG_TOKENS,
    };
  if (error instanceof PaymentError && error.code === "sign_in_refused")
    return { what: "invalid sign-ins", limit: RATE_LIMITS.wrongTokens, by: WRONG_TOKENS };
  return undefined;
}

/**
 * Returns the key under which a request's client is counted. Returns undefined if the client's address is unknown or
 * local.
 */
export function clientIn(request: Request): string | undefined {
  const address = request.headers.get("CF-Connecting-IP");
  return address === null || isLoopback(request) ? undefined : clientOf(address);
}

/**
 * Returns the key under which an address is counted: the address itself, or its /64 for IPv6, because one customer
 * usually has a whole /64.
 */
export function clientOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`)}/64` : parsed.toString();
}

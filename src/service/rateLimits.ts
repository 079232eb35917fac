import ipaddr from "ipaddr.js";
import { RATE_LIMITS } from "../config.ts";
import { isLoopback } from "../loopback.ts";
import { PaymentRequired } from "../payments/offer.ts";
import { Problem } from "../problems.ts";

/**
 * Rate limits per address: turns a refusal into `too_many_requests` where its address has had too many. Only refusals
 * count, never what is paid for or opens with the right token: whoever shares an address with a guesser keeps their links.
 * A deployment without the rate-limit bindings, or a client on this very machine, has no limit.
 */
export async function limitRefusals(error: Error, request: Request, env: Env): Promise<Error> {
  const counted = countOf(error, env);
  const address = request.headers.get("CF-Connecting-IP");
  if (!counted?.by || address === null || isLoopback(request)) return error;

  const { success } = await counted.by.limit({ key: clientOf(address) }).catch(() => ({ success: true }));
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
  /** The binding: none where the deployment has none. */
  by: RateLimit | undefined;
}

function countOf(error: Error, { UNPAID_CALLS, WRONG_TOKENS }: Partial<Env>): Count | undefined {
  if (error instanceof PaymentRequired)
    return { what: "calls without a valid payment", limit: RATE_LIMITS.unpaidCalls, by: UNPAID_CALLS };
  if (error instanceof Problem && error.code === "invalid_token")
    return { what: "links with a wrong token", limit: RATE_LIMITS.wrongTokens, by: WRONG_TOKENS };
  return undefined;
}

/** Who an address stands for: itself, or its /64 in IPv6, of which one customer has all. */
export function clientOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`)}/64` : parsed.toString();
}

import type { Config } from "../../settings/config.ts";
import { isLoopback } from "../../shared/net/loopback.ts";

/**
 * Returns whether a request was sent to a host of this deployment. Requests from this machine always count as sent to
 * such a host. Without ALLOWED_HOSTS, all requests do.
 */
export function isOwnHost(request: Request, { allowedHosts }: Config): boolean {
  return allowedHosts.length === 0 || allowedHosts.includes(new URL(request.url).hostname) || isLoopback(request);
}

/** Returns whether offers and receipts are signed for a request. Nothing is signed in the name of a foreign host. */
export function signsProof(request: Request, config: Config): boolean {
  return config.receiptKey !== undefined && isOwnHost(request, config);
}

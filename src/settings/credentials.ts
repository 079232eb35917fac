import type { RemoteFacilitator } from "../payments/facilitators/facilitatorHttp.ts";
import type { Settings } from "./schema.ts";

/**
 * Returns the credentials for the facilitator with this index. A facilitator never receives the secrets of another
 * facilitator.
 */
export function authFor(
  url: string,
  at: number,
  { FACILITATOR_AUTHORIZATION, CDP_API_KEY_ID, CDP_API_KEY_SECRET }: Settings,
): Pick<RemoteFacilitator, "auth"> {
  const header = FACILITATOR_AUTHORIZATION?.[at];
  if (header) return { auth: { header } };
  if (isCdp(url) && CDP_API_KEY_ID && CDP_API_KEY_SECRET)
    return { auth: { cdp: { id: CDP_API_KEY_ID, secret: CDP_API_KEY_SECRET } } };
  return {};
}

/** Returns whether a facilitator belongs to Coinbase's developer platform (CDP). */
export function isCdp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" && hostname.endsWith(".cdp.coinbase.com");
}

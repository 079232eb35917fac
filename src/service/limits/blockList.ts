/** Refuses the callers and payers of the setting BLOCKED. */
import type { Config } from "../../settings/config.ts";
import { isBlockedAddress, isBlockedPayer } from "../../shared/net/blockList.ts";
import { Problem } from "../../shared/problems.ts";

/**
 * Refuses a request from a blocked address.
 * @throws Problem blocked
 */
export function refuseBlockedAddress(request: Request, config: Config): void {
  const address = request.headers.get("CF-Connecting-IP");
  if (address !== null && isBlockedAddress(config.blocked, address)) throw blocked("your address", config);
}

/**
 * Refuses a payer whose wallet is blocked.
 * @throws Problem blocked
 */
export function refuseBlockedPayer(wallet: string, config: Config): void {
  if (isBlockedPayer(config.blocked, wallet)) throw blocked("this wallet", config);
}

function blocked(what: string, { contactEmail }: Config): Problem {
  const next = contactEmail === undefined ? "Contact the operator" : `Write to ${contactEmail}`;
  return new Problem(
    "blocked",
    `The operator of this deployment has blocked ${what}. Nothing was charged. ${next} if this is a mistake.`,
  );
}

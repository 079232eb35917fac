import type { Config } from "../config.ts";
import { isLoopback } from "../loopback.ts";
import { Problem } from "../problems.ts";
import { localFacilitator } from "./localFacilitator.ts";
import type { Payment } from "./payment.ts";
import { remoteFacilitator } from "./remoteFacilitator.ts";

/** Whether a payment is good. `unknown`: no verdict could be had. */
export type Verdict = { outcome: "valid" } | { outcome: "invalid"; reason: string } | { outcome: "unknown" };

/**
 * What became of a settlement.
 * - `settled`: the money has moved, in `transaction`
 * - `used`: the authorization has been consumed before; it pays nobody but us
 * - `refused`: it has not moved, and why
 * - `reverted`: the chain would not take it: for want of something, or because it has been consumed before
 * - `unknown`: it may have moved or not; `transaction` is what it may have moved in
 */
export type Settlement =
  | { outcome: "settled"; transaction: string }
  | { outcome: "used" | "refused" | "reverted"; reason: string }
  | { outcome: "unknown"; transaction?: string };

/** Whoever checks that a payment is good and makes it happen. Never throws: what can't be told is `unknown`. */
export interface Facilitator {
  /** How the ledger finds it again: {@link facilitatorNamed}. */
  name: string;
  verify(payment: Payment): Promise<Verdict>;
  settle(payment: Payment): Promise<Settlement>;
}

/**
 * The facilitators this deployment uses for a request, in order of preference. The local one moves no money, so it serves
 * loopback hosts only. Made anew each time: workerd allows no fetch from global scope.
 * @throws Problem not_configured
 */
export function facilitatorsFor(config: Config, request: Request): Facilitator[] {
  if (config.facilitators.length > 0) return config.facilitators.map(({ url }) => facilitatorNamed(url, config));
  if (isLoopback(request)) return [localFacilitator];
  throw new Problem(
    "not_configured",
    "The operator has not connected this deployment to a payment facilitator. Nothing was charged.",
  );
}

/** The facilitator of this name, even where the settings no longer list it: what it verified it has to settle. */
export function facilitatorNamed(name: string, config: Config): Facilitator {
  if (name === localFacilitator.name) return localFacilitator;
  const listed = config.facilitators.find(({ url }) => url === name);
  return remoteFacilitator({ url: name, timeoutMs: config.facilitatorTimeoutMs, ...listed });
}

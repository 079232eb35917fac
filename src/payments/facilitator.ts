import type { Config } from "../config.ts";
import { isLoopback } from "../loopback.ts";
import { Problem } from "../problems.ts";
import { localFacilitator } from "./localFacilitator.ts";
import { remoteFacilitator } from "./remoteFacilitator.ts";
import type { Payment, PaymentRequirement, Receipt } from "./x402.ts";

/** Whoever checks that a payment is good and makes it happen. */
export interface Facilitator {
  /** @throws Problem facilitator_unavailable where no verdict can be had */
  verify(
    payment: Payment,
    requirement: PaymentRequirement,
  ): Promise<{ valid: true } | { valid: false; reason: string }>;
  /** @throws Problem facilitator_unavailable where no verdict can be had */
  settle(
    payment: Payment,
    requirement: PaymentRequirement,
  ): Promise<{ settled: true; receipt: Receipt } | { settled: false; reason: string }>;
}

/**
 * The facilitator this deployment uses for a request. The local one moves no money, so it serves loopback hosts only.
 * @throws Problem not_configured
 */
export function facilitatorFor(config: Config, request: Request): Facilitator {
  if (config.facilitator.kind === "remote") return remoteFacilitator(config.facilitator);
  if (isLoopback(request)) return localFacilitator;
  throw new Problem(
    "not_configured",
    "The operator has not connected this deployment to a payment facilitator. Nothing was charged.",
  );
}

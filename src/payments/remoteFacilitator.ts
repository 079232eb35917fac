import { HTTPFacilitatorClient } from "@x402/core/http";
import { type PaymentPayload, type PaymentRequirements, SettleError, VerifyError } from "@x402/core/types";
import { Problem } from "../problems.ts";
import type { Facilitator } from "./facilitator.ts";
import type { Payment, PaymentRequirement } from "./x402.ts";

/**
 * A facilitator reached over HTTP (x402 v1, `POST /verify` and `POST /settle`).
 * Made anew for each request: workerd allows no fetch from global scope.
 */
export function remoteFacilitator({ url, timeoutMs }: { url: string; timeoutMs: number }): Facilitator {
  const client = new HTTPFacilitatorClient({ url, timeoutMs });

  return {
    async verify(payment, requirement) {
      try {
        const answer = await client.verify(...wire(payment, requirement));
        return answer.isValid ? { valid: true } : { valid: false, reason: answer.invalidReason ?? NO_REASON };
      } catch (error) {
        if (error instanceof VerifyError && error.statusCode < 500)
          return { valid: false, reason: error.invalidReason ?? NO_REASON };
        throw unavailable(error);
      }
    },

    async settle(payment, requirement) {
      try {
        const answer = await client.settle(...wire(payment, requirement));
        if (!answer.success) return { settled: false, reason: answer.errorReason ?? NO_REASON };
        const payer = answer.payer ?? payment.payload.authorization.from;
        return {
          settled: true,
          receipt: { success: true, transaction: answer.transaction, network: answer.network, payer },
        };
      } catch (error) {
        if (error instanceof SettleError && error.statusCode < 500)
          return { settled: false, reason: error.errorReason ?? NO_REASON };
        throw unavailable(error);
      }
    },
  };
}

const NO_REASON = "the facilitator gave no reason";

/** The client's types know version 2 only; it sends on what it is given, and `x402Version` tells the facilitator. */
function wire(payment: Payment, requirement: PaymentRequirement) {
  return [payment, requirement] as unknown as [PaymentPayload, PaymentRequirements];
}

function unavailable(cause: unknown): Problem {
  return new Problem(
    "facilitator_unavailable",
    "The payment facilitator cannot be reached. No link was given; try again in a while with the same payment.",
    { headers: { "Retry-After": "30" }, cause },
  );
}

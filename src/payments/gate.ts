import { Problem } from "../problems.ts";
import type { Facilitator } from "./facilitator.ts";
import type { Ledger } from "./ledger.ts";
import { type Payment, PaymentRequired, type PaymentRequirement, type Receipt } from "./x402.ts";

/** What the work made: it is given out once the payment is settled, and discarded where it can't be. */
export interface Goods<T> {
  value: T;
  discard(): Promise<void>;
}

interface Sale<T> {
  payment: Payment;
  requirement: PaymentRequirement;
  facilitator: Facilitator;
  ledger: DurableObjectNamespace<Ledger>;
  /** Runs at most once for a payment at a time, and only for one that verified. */
  work(): Promise<Goods<T>>;
}

/**
 * Sells one piece of work for one payment: verify, claim, work, settle, give.
 * Work that throws is not charged, and its payment stays usable.
 * @throws PaymentRequired where the facilitator refuses the payment
 * @throws Problem payment_already_used, payment_in_progress, facilitator_unavailable, and whatever the work throws
 */
export async function sell<T>({
  payment,
  requirement,
  facilitator,
  ledger,
  work,
}: Sale<T>): Promise<{ value: T; receipt: Receipt }> {
  const verdict = await facilitator.verify(payment, requirement);
  if (!verdict.valid) throw new PaymentRequired(requirement, verdict.reason);

  const entry = ledger.getByName(paymentKey(payment, requirement));
  const claim = await entry.claim(Math.floor(Date.now() / 1000), Number(payment.payload.authorization.validBefore));
  if (!claim.claimed) throw unusable(claim.state);

  let goods: Goods<T> | undefined;
  let receipt: Receipt;
  try {
    goods = await work();
    const settlement = await facilitator.settle(payment, requirement);
    if (!settlement.settled) throw new PaymentRequired(requirement, settlement.reason);
    receipt = settlement.receipt;
  } catch (error) {
    await goods?.discard();
    await entry.release(claim.claim);
    throw error;
  }

  await entry.spend();
  return { value: goods.value, receipt };
}

/** The identity of a payment: an EIP-3009 nonce is unique for its payer and token, whatever its signature's encoding. */
function paymentKey(payment: Payment, requirement: PaymentRequirement): string {
  const { from, nonce } = payment.payload.authorization;
  return [requirement.network, requirement.asset, from, nonce].join(":").toLowerCase();
}

function unusable(state: "claimed" | "spent"): Problem {
  if (state === "spent")
    return new Problem(
      "payment_already_used",
      "This payment has bought a result. Sign a new payment for another call.",
    );
  return new Problem(
    "payment_in_progress",
    "Another call is using this payment. Wait for its answer, or sign a new payment.",
    {
      headers: { "Retry-After": "5" },
    },
  );
}

import type { Config } from "../config.ts";
import type { Delivery, Surroundings } from "../operation.ts";
import { type Facilitator, facilitatorsFor } from "../payments/facilitator.ts";
import { fingerprintOf } from "../payments/fingerprint.ts";
import { sell } from "../payments/gate.ts";
import { type Offer, offerOf, type Receipt, type Resource } from "../payments/offer.ts";
import type { Payment } from "../payments/payment.ts";
import type { ImageRequest, TextRequest } from "../schemas.ts";
import type { Product } from "./catalog.ts";

/** What a caller is asked for, and who verifies and settles it. */
export interface Terms {
  offer: Offer;
  facilitators: Facilitator[];
}

/**
 * The terms on which a resource is sold to the sender of an HTTP request.
 * @throws Problem not_configured: a deployment that can't take payments must not ask for one
 */
export function termsFor(resource: Resource, config: Config, request: Request): Terms {
  return { facilitators: facilitatorsFor(config, request), offer: offerOf(resource, config) };
}

/**
 * One product for one payment, whichever way both came: the same request with the same payment gets the same result.
 * @throws as `sell` and the operation
 */
export async function purchase(
  { operation, run }: Product,
  request: TextRequest | ImageRequest,
  payment: Payment,
  terms: Terms,
  surroundings: Surroundings,
): Promise<{ value: Delivery; receipt: Receipt }> {
  const { env, config, progress } = surroundings;
  return sell({
    payment,
    ...terms,
    ledger: env.LEDGER,
    fingerprint: await fingerprintOf(operation, request, payment.signature),
    operation,
    workMs: config.workSeconds * 1000,
    linkTtlMs: config.linkTtlSeconds * 1000,
    now: () => Date.now(),
    work: async () => {
      const goods = await run(request, surroundings);
      progress?.("settling");
      return goods;
    },
  });
}

import { log } from "../log.ts";
import { isLoopback } from "../loopback.ts";
import { facilitatorClients, requireFacilitator } from "../payments/facilitators.ts";
import { Sale } from "../payments/gate.ts";
import { type Offer, offerOf, type Receipt, type Resource } from "../payments/offer.ts";
import type { PaymentPayload } from "../payments/paymentPayload.ts";
import { readFailure, writeFailure } from "../problems.ts";
import { CallContext, type Exchange } from "./callContext.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { AcceptedRequest, Delivery, Product } from "./products.ts";

/**
 * Returns what the sender of an HTTP request is asked to pay for a product.
 * @param resource the product as it is offered at the endpoint
 * @throws PaymentError not_configured if the deployment cannot take payments, and so must not ask for one
 */
export function offerFor(product: Product, resource: Resource, { request, config }: Exchange): Offer {
  requireFacilitator(config, isLoopback(request));
  return offerOf(resource, { ...config, price: product.price(config) });
}

/**
 * Sells one product for one payment, over HTTP or MCP: the same request with the same payment gets the same result.
 * @param accept reads and checks the request, within the call's limits
 * @throws PaymentRequired if the payment is refused
 * @throws PaymentError not_configured, or as {@link Sale}
 * @throws Problem from `accept` and the product
 * @throws EngineError from the product
 */
export async function purchase(
  product: Product,
  payment: PaymentPayload,
  offer: Offer,
  exchange: Exchange,
  accept: (call: CallContext) => Promise<AcceptedRequest>,
): Promise<{ value: Delivery; receipt: Receipt }> {
  const sale = await fulfil(product, payment, offer, exchange, accept);
  exchange.progress?.("settling");
  return sale.settle();
}

/** Does everything that needs the call's files. They are released before the payment is settled. */
async function fulfil(
  { operation }: Product,
  payment: PaymentPayload,
  offer: Offer,
  { request, requestId, env, config, ...exchange }: Exchange,
  accept: (call: CallContext) => Promise<AcceptedRequest>,
): Promise<Sale<Delivery>> {
  await using call = new CallContext({ request, requestId, env, config, ...exchange });
  const accepted = await accept(call);
  const sale = new Sale({
    payment,
    offer,
    facilitators: facilitatorClients(config, isLoopback(request), { requestId, log }),
    ledger: env.LEDGER,
    fingerprint: await fingerprintOf(accepted.canonical, payment.signature),
    operation,
    workMs: config.workSeconds * 1000,
    linkTtlMs: config.linkTtlSeconds * 1000,
    now: () => Date.now(),
    work: () => accepted.run(call),
    errors: { write: writeFailure, read: readFailure },
    requestId,
    log,
  });
  await sale.fulfil();
  return sale;
}

import type { Context, Handler } from "hono";
import type { Sold } from "../payments/sale/gate.ts";
import { readChannelPayment } from "../payments/wire/channelPayload.ts";
import { PaymentError } from "../payments/wire/errors.ts";
import { otherBody } from "../payments/wire/mppProblem.ts";
import { type Offer, PaymentRequired } from "../payments/wire/offer.ts";
import { httpResource } from "../service/about/discovery.ts";
import { rejectThrottled } from "../service/limits/refusedPayments.ts";
import { announcedBytesOf } from "../service/request/bodySize.ts";
import { IDEMPOTENCY_KEY } from "../service/request/idempotencyKey.ts";
import type { CallContext, Exchange } from "../service/sale/callContext.ts";
import { purchaseOnChannel } from "../service/sale/channelPurchase.ts";
import { PAID_EARLIER } from "../service/sale/notices.ts";
import type { Delivery, Product } from "../service/sale/products.ts";
import { signedOffers } from "../service/sale/proof.ts";
import { admitPayer, offerFor, purchase } from "../service/sale/purchase.ts";
import { paymentsOf } from "../service/sale/sentPayments.ts";
import { serverTiming } from "../service/sale/steps.ts";
import { UNPAID_MESSAGE_BYTES } from "../settings/limits.ts";
import { RunningSha256 } from "../shared/sha256.ts";
import { readRequest } from "./body.ts";
import type { ApiEnv } from "./environment.ts";
import { methodNotAllowed } from "./errors.ts";
import { mppReceiptHeaders, paymentRequiredHeaders, receiptHeader } from "./paymentHeaders.ts";
import { unpaidFacts } from "./unpaidProblems.ts";

/**
 * Returns a handler that sells a product. In three cases, the handler sends the 402 without reading a long body: the
 * payment is missing, a new payment does not match the offer, or the facilitator rejects the payment.
 */
export function sell(product: Product): Handler<ApiEnv> {
  return async (c) => {
    const exchange = exchangeOf(c);
    const offer = endpointOffer(product, exchange);
    const sent = await paymentsOf(exchange.request, exchange.config);
    if (!sent.isSent) throw new PaymentRequired(offer, undefined, undefined, await unpaidFacts(c, product, exchange));
    rejectThrottled(exchange.request);
    const onChannel = readChannelPayment([c.req.header("PAYMENT-SIGNATURE"), c.req.header("X-PAYMENT")], offer);
    if (onChannel) {
      const caller = { product, payment: onChannel, offer, sentKey: c.req.header(IDEMPOTENCY_KEY) };
      const bought = purchaseOnChannel(caller, exchange, (call) => readRequest(c, product, call));
      return deliver(c, bought, exchange, ({ receipt }) => receiptHeader(2, receipt));
    }

    const { payment, challengeId, bodySha256 } = sent.read(offer);
    const accept = async (call: CallContext) => {
      if (bodySha256 === undefined) return readRequest(c, product, call);
      const hash = new RunningSha256();
      const accepted = await readRequest(c, product, call, hash);
      if ((await hash.end()) !== bodySha256) throw otherBody(offer);
      return accepted;
    };
    const isSmall = (announcedBytesOf(exchange.request) ?? Number.POSITIVE_INFINITY) <= UNPAID_MESSAGE_BYTES;
    const key = c.req.header(IDEMPOTENCY_KEY);
    const admitted = await admitPayer(product, payment, offer, exchange, key, isSmall ? accept : undefined);
    return deliver(c, purchase(admitted, exchange, accept), exchange, ({ receipt, settledAt }) => ({
      ...receiptHeader(payment.version, receipt),
      ...(challengeId !== undefined && mppReceiptHeaders(challengeId, receipt, settledAt)),
    }));
  };
}

/** Answers with the result of a sale. `headers` returns the headers that contain the receipt. */
export async function deliver(
  c: Context<ApiEnv>,
  bought: Promise<Sold<Delivery>>,
  exchange: Exchange,
  headers: (sold: Sold<Delivery>) => Record<string, string>,
): Promise<Response> {
  // The sale continues after a disconnect, and the caller gets the result by calling again.
  exchange.waitUntil(bought.catch(() => undefined));
  const sold = await bought;
  const { value, isPaidEarlier } = sold;
  const notices = [...value.notices, ...(isPaidEarlier ? [PAID_EARLIER] : [])];
  return c.json(value.result, 200, {
    "Server-Timing": serverTiming(exchange.facts),
    "Timing-Allow-Origin": "*",
    "Cache-Control": "no-store",
    ...headers(sold),
    ...(notices.length > 0 && { "Overprint-Notice": notices.join(", ") }),
  });
}

/**
 * Returns a handler that rejects GET and HEAD of a product's endpoint with 405. The response contains the terms of a
 * POST, because some clients send a GET to find out whether an address sells something.
 * @throws Problem method_not_allowed, from the handler
 */
export function refuseReading(product: Product): Handler<ApiEnv> {
  return async (c) => {
    const exchange = exchangeOf(c);
    const { request, config } = exchange;
    let headers = {};
    try {
      if (config.selling) {
        const unpaid = new PaymentRequired(endpointOffer(product, exchange));
        headers = paymentRequiredHeaders(unpaid, await signedOffers(unpaid.offer, request, config));
      }
    } catch (error) {
      if (!(error instanceof PaymentError)) throw error; // a deployment that cannot sell has no terms
    }
    return methodNotAllowed("POST", headers)();
  };
}

function endpointOffer(product: Product, exchange: Exchange): Offer {
  const { origin } = new URL(exchange.request.url);
  return offerFor(product, httpResource(product, origin, exchange.config), exchange);
}

/** Returns the context of a request for the modules in `src/service`. */
export function exchangeOf(c: Context<ApiEnv>): Exchange {
  return {
    request: c.req.raw,
    requestId: c.var.requestId,
    env: c.env,
    config: c.var.config,
    facts: c.var.facts,
    waitUntil: (task) => c.executionCtx.waitUntil(task),
  };
}

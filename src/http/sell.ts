import type { Context, Handler } from "hono";
import { readFirstPayment } from "../payments/wire/paymentPayload.ts";
import { httpDiscovery } from "../service/about/discovery.ts";
import { rejectThrottled } from "../service/limits/refusedPayments.ts";
import { IDEMPOTENCY_KEY } from "../service/request/idempotencyKey.ts";
import { oncePerConfig } from "../service/request/oncePerConfig.ts";
import type { Exchange } from "../service/sale/callContext.ts";
import type { Product } from "../service/sale/products.ts";
import { admitPayer, offerFor, purchase } from "../service/sale/purchase.ts";
import { serviceMetadata } from "../service/sale/serviceMetadata.ts";
import { serverTiming } from "../service/sale/steps.ts";
import { readRequest } from "./body.ts";
import type { ApiEnv } from "./environment.ts";
import { receiptHeader } from "./paymentHeaders.ts";

/**
 * Returns a handler that sells a product. If the payment is missing, does not match the offer or is rejected by the
 * facilitator, the handler sends the 402 before it reads the body.
 */
export function sell(product: Product): Handler<ApiEnv> {
  const { path, summary: description } = product;
  const discovery = oncePerConfig((config) => httpDiscovery(product, product.price(config)));
  return async (c) => {
    const exchange = exchangeOf(c);
    const { origin } = new URL(c.req.url);
    const resource = {
      url: origin + path,
      description,
      ...discovery(exchange.config),
      service: serviceMetadata(origin),
    };
    const offer = offerFor(product, resource, exchange);
    const paymentHeaders = [c.req.header("PAYMENT-SIGNATURE"), c.req.header("X-PAYMENT")];
    if (paymentHeaders.some((payment) => payment !== undefined)) rejectThrottled(exchange.request);
    const payment = readFirstPayment(paymentHeaders, offer);
    const admitted = await admitPayer(product, payment, offer, exchange, c.req.header(IDEMPOTENCY_KEY));

    const bought = purchase(admitted, exchange, (call) => readRequest(c, product, call));
    // The sale continues after a disconnect, and the caller gets the result by calling again.
    exchange.waitUntil(bought.catch(() => undefined));
    const { value, receipt, isPaidEarlier } = await bought;
    const notices = [...value.notices, ...(isPaidEarlier ? ["payment-not-settled"] : [])];
    return c.json(value.result, 200, {
      ...receiptHeader(payment.version, receipt),
      "Server-Timing": serverTiming(exchange.facts),
      "Timing-Allow-Origin": "*",
      "Cache-Control": "no-store",
      ...(notices.length > 0 && { "Overprint-Notice": notices.join(", ") }),
    });
  };
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

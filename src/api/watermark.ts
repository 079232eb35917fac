import type { Handler, MiddlewareHandler } from "hono";
import { configOf } from "../config.ts";
import { readPayment } from "../payments/payment.ts";
import type { Product } from "../sale/catalog.ts";
import { httpDiscovery } from "../sale/discovery.ts";
import { purchase, termsFor } from "../sale/purchase.ts";
import { surroundingsOf } from "../surroundings.ts";
import { requestBody } from "./body.ts";
import type { ApiEnv } from "./environment.ts";
import { receiptHeader } from "./paymentHeaders.ts";

/** The handlers that sell a product: a call without a good-looking payment gets its 402 before its body is read. */
export function watermark(product: Product): Handler<ApiEnv>[] {
  return [requirePayment(product), ...requestBody(product.schema), sold(product)];
}

function requirePayment(product: Product): MiddlewareHandler<ApiEnv> {
  const described = httpDiscovery(product);
  return async (c, next) => {
    const url = new URL(product.path, c.req.url).href;
    const terms = termsFor({ url, description: product.summary, ...described }, configOf(c.env), c.req.raw);
    c.set("terms", terms);
    c.set("surroundings", surroundingsOf(c.req.raw, c.env, configOf(c.env)));
    c.set("payment", readPayment(c.req.header("PAYMENT-SIGNATURE") ?? c.req.header("X-PAYMENT"), terms.offer));
    await next();
  };
}

function sold(product: Product): Handler<ApiEnv> {
  return async (c) => {
    const payment = c.get("payment");
    const sale = purchase(product, c.get("request"), payment, c.get("terms"), c.get("surroundings"));
    c.executionCtx.waitUntil(sale.catch(() => undefined)); // a caller who hangs up finds the result when calling again
    const { value, receipt } = await sale;
    return c.json(value.result, 200, {
      ...receiptHeader(payment.version, receipt),
      "Cache-Control": "no-store",
      ...(value.notices.length > 0 && { "Overprint-Notice": value.notices.join(", ") }),
    });
  };
}

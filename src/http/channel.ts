import type { Handler } from "hono";
import { readChannelPayment } from "../payments/wire/channelPayload.ts";
import { type Offer, PaymentRequired } from "../payments/wire/offer.ts";
import { rejectThrottled } from "../service/limits/refusedPayments.ts";
import { refundOnChannel } from "../service/sale/channelRefund.ts";
import { PRODUCTS } from "../service/sale/products.ts";
import { offerFor } from "../service/sale/purchase.ts";
import { Problem } from "../shared/problems.ts";
import type { ApiEnv } from "./environment.ts";
import { receiptHeader } from "./paymentHeaders.ts";
import { exchangeOf } from "./sell.ts";

/** Path of the endpoint that refunds the balance of a payment channel. */
export const CHANNEL = "/v1/channel";

/**
 * Refunds a channel. Without a payment, answers 402 with the terms of payment channels. The official x402 client
 * creates the refund payload from these terms.
 * @throws PaymentRequired if the payment is missing, and the errors of {@link refundOnChannel}
 * @throws Problem not_found if the deployment offers no channels
 */
export const refundChannel: Handler<ApiEnv> = async (c) => {
  const exchange = exchangeOf(c);
  const [product] = PRODUCTS; // any product will do, because only its price is used, and a refund has no price
  const resource = {
    url: new URL(exchange.request.url).origin + CHANNEL,
    description: "The refund of a payment channel for watermarks",
    outputSchema: {},
  };
  const all = offerFor(product!, resource, exchange);
  const offer: Offer = { ...all, v1: [], v2: [] };
  if (offer.channels.length === 0)
    throw new Problem(
      "not_found",
      "This deployment offers no payment channels. Pay each call with the scheme `exact`.",
    );
  const sent = c.req.header("PAYMENT-SIGNATURE");
  if (sent !== undefined) rejectThrottled(exchange.request);
  const payment = readChannelPayment([sent], offer);
  if (!payment)
    throw new PaymentRequired(
      offer,
      "the header PAYMENT-SIGNATURE is required: send a payload of the type `refund`, see openapi.json",
    );
  const refunding = refundOnChannel(payment, offer, exchange);
  exchange.waitUntil(refunding.catch(() => undefined)); // the refund continues even if the caller disconnects
  const receipt = await refunding;
  return c.json(receipt, 200, { ...receiptHeader(2, receipt), "Cache-Control": "no-store" });
};

import type { Handler } from "hono";
import { readBody } from "../inputs/body.ts";
import { ReceivedJson } from "../inputs/json.ts";
import { developmentKey } from "../payments/facilitators/facilitators.ts";
import { PaymentRequired } from "../payments/wire/offer.ts";
import { httpResource } from "../service/about/discovery.ts";
import { rejectThrottled } from "../service/limits/refusedPayments.ts";
import { priceLabel } from "../service/sale/products.ts";
import { admitPayer, offerFor, purchase } from "../service/sale/purchase.ts";
import { previewOf, readPreviewFile } from "../service/sale/quotePreview.ts";
import { type FileField, PAY_PATH, QUOTE_EXAMPLE, QUOTES_PATH } from "../service/sale/quoteSchemas.ts";
import {
  acceptQuote,
  claimQuote,
  expectOpen,
  isSold,
  openQuote,
  openQuoteAt,
  quoteKey,
  sellQuote,
  withdrawQuote,
} from "../service/sale/quotes.ts";
import { paymentsOf } from "../service/sale/sentPayments.ts";
import { PAYMENT_LINKS } from "../settings/limits.ts";
import { isLoopback } from "../shared/net/loopback.ts";
import { Problem } from "../shared/problems.ts";
import { PayPage } from "../site/payPage.tsx";
import { pagePolicy, SANDBOX_POLICY } from "../site/policies.ts";
import { parseJson } from "./body.ts";
import type { ApiEnv } from "./environment.ts";
import { sendPage } from "./page.ts";
import { receiptHeader } from "./paymentHeaders.ts";
import { deliver, exchangeOf } from "./sell.ts";

/** Headers of responses that contain secrets or are only for the holder of a payment link. */
const PRIVATE = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer" };

function tooLarge(maxBytes: number): Problem {
  return new Problem(
    "body_too_large",
    `The request for a payment link is larger than ${maxBytes} bytes. Send an object such as ${JSON.stringify(QUOTE_EXAMPLE)}, with files as URLs or upload handles.`,
  );
}

/** Creates a payment link for a request. */
export const createPaymentLink: Handler<ApiEnv> = async (c) => {
  const { body } = c.req.raw;
  const chunks: Uint8Array[] = [];
  const limits = { pace: c.var.config.bodyPace, maxBytes: PAYMENT_LINKS.requestBytes };
  if (body) for await (const chunk of readBody(body, limits, { tooLarge })) chunks.push(Buffer.from(chunk));
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  const fields = text === "" ? {} : parseJson(new ReceivedJson(text), QUOTE_EXAMPLE, "");
  return c.json(await openQuote(fields, exchangeOf(c)), 201, PRIVATE);
};

/** Sends the state and the result of a payment link to a caller that knows the link's secret claim. */
export const readClaim: Handler<ApiEnv, "/v1/quotes/:claim"> = async (c) =>
  c.json(await claimQuote(c.req.param("claim"), exchangeOf(c)), 200, PRIVATE);

/** Withdraws a payment link for a caller that knows the link's secret claim. */
export const withdrawClaim: Handler<ApiEnv, "/v1/quotes/:claim"> = async (c) => {
  await withdrawQuote(c.req.param("claim"), exchangeOf(c));
  return c.body(null, 204, PRIVATE);
};

/** Shows the page of a payment link, on which a person pays. */
export const showPayPage: Handler<ApiEnv, "/pay/:id"> = async (c) => {
  const { config } = c.var;
  const exchange = exchangeOf(c);
  const quote = await openQuoteAt(c.req.param("id"), exchange);
  const isPaid = await isSold(quote, exchange);
  const preview = isPaid ? undefined : await previewOf(quote, exchange);
  const page = PayPage({
    isPaid,
    preview: preview && { ...preview, maxPages: config.maxPages, maxPixels: config.maxImagePixels },
    previewPath: `${QUOTES_PATH}/${quote.id}/preview`,
    path: `${QUOTES_PATH}/${quote.id}${PAY_PATH}`,
    summary: quote.product.summary,
    fields: quote.fields,
    price: priceLabel(config),
    expires: quote.expires,
    developmentKey: developmentKey(config, isLoopback(c.req.raw)),
  });
  return sendPage(c, page, pagePolicy(config.fileHost), 200, PRIVATE);
};

/**
 * Sends an uploaded file to the page of a payment link, which draws the preview from it. Only this page can read the
 * answer, because the request must come from the service's own origin.
 * @throws Problem not_found, too_many_requests, quote_not_found, quote_expired, quote_sold
 */
export const sendPreviewFile: Handler<ApiEnv, "/v1/quotes/:id/preview/:field"> = async (c) => {
  if (c.req.header("Origin") !== new URL(c.req.url).origin)
    throw new Problem("not_found", "Only the page of a payment link can read a file for its preview.");
  const exchange = exchangeOf(c);
  const quote = await openQuoteAt(c.req.param("id"), exchange);
  const bytes = await readPreviewFile(quote, c.req.param("field") as FileField, exchange);
  c.header("Access-Control-Allow-Origin", undefined);
  return c.body(bytes, 200, {
    ...PRIVATE,
    "Content-Type": "application/octet-stream",
    "Content-Disposition": "attachment",
    "Content-Security-Policy": SANDBOX_POLICY,
  });
};

/**
 * Sells the call of a payment link. Without a payment, answers 402 with the terms.
 * @throws PaymentRequired, and the errors of a paid call
 * @throws Problem quote_not_found, quote_expired, quote_sold
 */
export const payQuote: Handler<ApiEnv, "/v1/quotes/:id/pay"> = async (c) => {
  const exchange = exchangeOf(c);
  const quote = await openQuoteAt(c.req.param("id"), exchange);
  const { product } = quote;
  const resource = httpResource(product, new URL(c.req.url).origin, exchange.config);
  const offer = offerFor(product, resource, exchange);
  const sent = await paymentsOf(exchange.request, exchange.config);
  if (!sent.isSent) {
    await expectOpen(quote, exchange);
    throw new PaymentRequired(offer);
  }
  rejectThrottled(exchange.request);
  const { payment } = sent.read(offer);
  const accept = acceptQuote(quote);
  const admitted = await admitPayer(product, payment, offer, exchange, await quoteKey(quote.id), accept);
  const bought = sellQuote(quote, admitted, exchange, () => purchase(admitted, exchange, accept));
  return deliver(c, bought, exchange, ({ receipt }) => receiptHeader(payment.version, receipt));
};

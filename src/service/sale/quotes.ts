/**
 * Quotes: stored requests that somebody else pays for, through a payment page. The payment is an ordinary sale of the
 * stored request.
 */
import type * as z from "zod";
import { PaymentRequired } from "../../payments/wire/offer.ts";
import { paymentKey } from "../../payments/wire/paymentPayload.ts";
import { PAYMENT_LINKS } from "../../settings/limits.ts";
import { Problem, problemOf } from "../../shared/problems.ts";
import { sha256 } from "../../shared/sha256.ts";
import { bucketOf } from "../../storage/bucket.ts";
import { createQuote, type Quote, quoteAt, quoteExpired, quoteIdOf, withdrawStored } from "../../storage/quotes.ts";
import { addressAccount, registerUpload } from "../limits/quota.ts";
import { fieldMessage } from "../request/fieldMessages.ts";
import { invalidRequest } from "../request/invalidRequest.ts";
import type { CallContext, Exchange } from "./callContext.ts";
import { type Delivery, PRODUCTS, type Product, priceLabel } from "./products.ts";
import type { Admitted } from "./purchase.ts";
import { FILE_FIELDS, PAY_PATH, type quoteOffer, quoteRequest, type quoteResult } from "./quoteSchemas.ts";

/** Limits of the quotes of one address: their maximum number at a time, and their total size in bytes. */
const LIMITS = { ...PAYMENT_LINKS.free, ms: PAYMENT_LINKS.seconds * 1000 };

/** Error codes after which the payment may still be settled. */
const UNCERTAIN = new Set(["settlement_pending", "payment_in_progress", "call_cancelled", "internal_error"]);

/** A quote, with the product that its request buys. */
export interface OpenQuote extends Quote {
  id: string;
  product: Product;
}

/**
 * Creates a quote for a request. Rejects errors of the request that can be detected without reading its files.
 * @throws Problem invalid_request if the request is invalid or contains a file, too_many_requests
 */
export async function openQuote(fields: unknown, exchange: Exchange): Promise<z.output<ReturnType<typeof quoteOffer>>> {
  const { request, env } = exchange;
  const checked = quoteRequest().safeParse(fields, { error: fieldMessage });
  if (!checked.success)
    throw invalidRequest(checked.error.issues, {
      here: Object.keys(quoteRequest().shape),
      elsewhere: () => undefined,
    });
  const { tool, arguments: sent } = checked.data;
  const product = PRODUCTS.find((one) => one.tool === tool)!;
  expectNoFile(sent);
  const errors = await product.accept(sent, "json").precheck(exchange);
  if (errors.length > 0) {
    const said = errors.map(({ path, message }) => `\`${path}\`: ${message}`);
    throw new Problem("invalid_request", said.join(" "), { errors });
  }
  const account = addressAccount(request);
  const quote = { operation: product.operation, fields: sent, expires: Date.now() + LIMITS.ms };
  if (account !== undefined)
    await registerUpload(env.BUDGETS, `quotes:${account}`, JSON.stringify(sent).length, LIMITS);
  const { id, claim } = await createQuote(bucketOf(env), quote);
  return offered(id, claim, quote, exchange);
}

/**
 * Returns the URL, claim, price and expiry of an existing quote, as in the answer that created it.
 * @throws Problem quote_not_found, quote_expired
 */
export async function quoteOf(claim: string, exchange: Exchange): Promise<z.output<ReturnType<typeof quoteOffer>>> {
  const id = await quoteIdOf(claim);
  return offered(id, claim, await openQuoteAt(id, exchange), exchange);
}

function offered(id: string, claim: string, { expires }: Quote, { request, config }: Exchange) {
  return {
    url: `${new URL(request.url).origin}${PAY_PATH}/${id}`,
    claim,
    cost: priceLabel(config),
    expires_at: new Date(expires).toISOString(),
  };
}

/** Rejects a request that contains a file, because quotes must be small. */
function expectNoFile(fields: Record<string, unknown>): void {
  for (const path of FILE_FIELDS) {
    const value = fields[path];
    if (value === undefined || (typeof value === "string" && /^(https?:\/\/|upload:)/i.test(value))) continue;
    const message = "must be a URL or the handle of an upload (tool request_upload, or POST /v1/uploads)";
    throw new Problem("invalid_request", `\`${path}\` ${message}. A payment link contains no file.`, {
      errors: [{ path, message }],
    });
  }
}

/**
 * Returns the quote whose payment page has the given id.
 * @throws Problem quote_not_found, quote_expired
 */
export async function openQuoteAt(id: string, { env }: Exchange): Promise<OpenQuote> {
  const quote = await quoteAt(bucketOf(env), id, Date.now());
  return { ...quote, id, product: PRODUCTS.find(({ operation }) => operation === quote.operation)! };
}

/** Returns the idempotency key of a quote's sale. */
export async function quoteKey(id: string): Promise<string> {
  return `quote-${(await sha256(`sale of ${id}`)).slice(0, 32)}`;
}

async function saleOf(id: string, { env }: Exchange) {
  return env.LEDGER.getByName(`quote:${(await sha256(`sale of ${id}`)).slice(0, 32)}`);
}

/** Returns whether the quote was already paid. */
export async function isSold({ id }: OpenQuote, exchange: Exchange): Promise<boolean> {
  return (await (await saleOf(id, exchange)).quoteState()).status === "sold";
}

/**
 * Checks that the quote is not sold, withdrawn or being paid.
 * @throws Problem quote_sold, quote_expired, payment_in_progress
 */
export async function expectOpen({ id }: OpenQuote, exchange: Exchange): Promise<void> {
  const { status } = await (await saleOf(id, exchange)).quoteState();
  if (status !== "open") throw closed(status);
}

/**
 * Sells a quote once. Reserves the quote for the payment, runs the sale, and stores its result for the holder of the
 * claim. Failed work leaves the quote open.
 * @param sell runs the ordinary sale with this payment
 * @throws Problem quote_sold, quote_expired, payment_in_progress, and the errors of `sell`
 */
export async function sellQuote<T extends { value: Delivery }>(
  quote: OpenQuote,
  { payment }: Admitted,
  exchange: Exchange,
  sell: () => Promise<T>,
): Promise<T> {
  const sale = await saleOf(quote.id, exchange);
  const name = paymentKey(payment);
  const reserve = (unused?: string) => sale.reserveQuote(name, exchange.config.callMs, quote.expires, unused);
  let reserved = await reserve();
  if (reserved.status === "doubtful") {
    await settleDoubt(quote, reserved.payment, exchange);
    reserved = await reserve(reserved.payment);
  }
  if (reserved.status !== "reserved") throw closed(reserved.status === "doubtful" ? "paying" : reserved.status);
  try {
    const sold = await sell();
    await finish(sale, name, sold.value);
    return sold;
  } catch (error) {
    // A payment that may still be settled keeps its reservation. After the reservation expires, the ledger's record of
    // the payment decides.
    const mayStillSettle = !(error instanceof PaymentRequired) && UNCERTAIN.has(problemOf(error).code);
    // a failed release is harmless, because the reservation expires
    if (!mayStillSettle) await sale.releaseQuote(name).catch(() => undefined);
    throw error;
  }
}

/**
 * Asks the ledger for the status of a payment whose reservation of the quote expired before its outcome was known. If
 * the payment was sold, stores the sold result in the quote.
 * @throws Problem payment_in_progress if the payment may still be settled
 */
async function settleDoubt({ id, product, fields }: OpenQuote, payment: string, exchange: Exchange): Promise<void> {
  const fingerprint = await product.accept(fields, "json").fingerprint();
  const found = await exchange.env.LEDGER.getByName(payment).waitForStatus(fingerprint, 0, true);
  if (found.status === "in_progress" || found.status === "pending") throw closed("paying");
  if (found.status === "sold") await finish(await saleOf(id, exchange), payment, JSON.parse(found.value) as Delivery);
}

async function finish(sale: Awaited<ReturnType<typeof saleOf>>, payment: string, { result }: Delivery): Promise<void> {
  await sale.finishQuote(payment, JSON.stringify(result), Date.parse(result.output.expires_at));
}

function closed(status: "paying" | "sold" | "withdrawn"): Problem {
  switch (status) {
    case "paying":
      return new Problem(
        "payment_in_progress",
        "Somebody is paying through this link right now. Nothing was charged. Try again in 30 seconds.",
        { headers: { "Retry-After": "30" } },
      );
    case "sold":
      return new Problem(
        "quote_sold",
        "This link was already paid. Do not pay again. Nothing was charged for this call.",
      );
    case "withdrawn":
      return quoteExpired();
  }
}

/**
 * Returns the state of a quote to the caller that holds the quote's claim, with the result once the quote is sold.
 * @throws Problem quote_not_found, quote_expired
 */
export async function claimQuote(claim: string, exchange: Exchange): Promise<z.output<ReturnType<typeof quoteResult>>> {
  const id = await quoteIdOf(claim);
  const sale = await saleOf(id, exchange);
  let state = await sale.quoteState();
  if (state.status === "paying" && state.until <= Date.now()) {
    const quote = await openQuoteAt(id, exchange);
    // if the look-up fails, the outcome stays unknown
    await settleDoubt(quote, state.payment, exchange).catch(() => undefined);
    state = await sale.quoteState();
  }
  if (state.status === "sold") return { status: "sold", result: JSON.parse(state.value) };
  // throws if the quote does not exist or has expired
  if (state.status !== "withdrawn") await openQuoteAt(id, exchange);
  return { status: state.status };
}

/**
 * Withdraws a quote. The quote's page then accepts no payment.
 * @throws Problem quote_not_found, quote_expired, quote_sold, payment_in_progress
 */
export async function withdrawQuote(claim: string, exchange: Exchange): Promise<void> {
  const quote = await openQuoteAt(await quoteIdOf(claim), exchange);
  const sale = await saleOf(quote.id, exchange);
  if (!(await sale.withdrawQuote(quote.expires))) await expectOpen(quote, exchange);
  await withdrawStored(bucketOf(exchange.env), quote.id);
}

/** Returns a function that reads the stored request of a quote for its sale. */
export const acceptQuote =
  ({ product, fields }: OpenQuote) =>
  async (_call: CallContext) =>
    product.accept(fields, "json");

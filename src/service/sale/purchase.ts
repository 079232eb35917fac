import { facilitatorClients, requireFacilitator } from "../../payments/facilitators/facilitators.ts";
import { type Admission, admit } from "../../payments/sale/admission.ts";
import { notSelling } from "../../payments/sale/answers.ts";
import { Sale, type Sold } from "../../payments/sale/gate.ts";
import type { PaymentEvent, SaleEvent } from "../../payments/wire/events.ts";
import { type Offer, offerOf, PaymentRequired, type Resource } from "../../payments/wire/offer.ts";
import { type PaymentPayload, paymentKey } from "../../payments/wire/paymentPayload.ts";
import type { Config } from "../../settings/config.ts";
import { log, type RequestFacts } from "../../shared/log.ts";
import { isLoopback } from "../../shared/net/loopback.ts";
import { readFailure, writeFailure } from "../../shared/problems.ts";
import { linkOf } from "../../storage/link.ts";
import { addressAccount, payerAccount, type Spent, withinBudget } from "../limits/budget.ts";
import { countingRefusals, countRefusal, forgiveRefusals } from "../limits/refusedPayments.ts";
import { countVain, forgiveVain, unlessInVain } from "../limits/vainPayments.ts";
import { announcedBytesOf, maxBytesOf } from "../request/bodySize.ts";
import { idempotencyKeyOf } from "../request/idempotencyKey.ts";
import { CallContext, type Exchange } from "./callContext.ts";
import type { AcceptedRequest, Delivery, Product } from "./products.ts";
import { provedReceipt } from "./proof.ts";
import { isSignedIn } from "./signIn.ts";
import { type Step, step } from "./steps.ts";

/**
 * Returns what the sender of an HTTP request is asked to pay for a product.
 * @param resource the product as it is offered at the endpoint
 * @throws PaymentError not_configured if the deployment cannot take payments, and so must not ask for one
 */
export function offerFor(product: Product, resource: Resource, { request, config }: Exchange): Offer {
  requireFacilitator(config, isLoopback(request));
  return offerOf(resource, { ...config, price: product.price(config) });
}

/** Returns what is told in place of the terms of a sale while nothing is sold; other errors as they are. */
export function whileClosed(error: Error, { selling }: Config): Error {
  return error instanceof PaymentRequired && !selling ? notSelling() : error;
}

/** A payer whose request may be read. */
export interface Admitted extends Admission {
  product: Product;
  payment: PaymentPayload;
  /** See {@link idempotencyKeyOf}. */
  key: string | null;
  offer: Offer;
  /** Bytes of the request that were read, and counted, before its sale; none if undefined. */
  readBytes?: number | undefined;
}

/**
 * Admits a payer: what comes before the request is read, so that it is read for nobody else.
 * @param sentKey the idempotency key as the caller has sent it; null or undefined if not apart from the payment
 * @throws PaymentRequired if the payment is refused
 * @throws PaymentError not_configured, or as {@link admit}
 * @throws Problem invalid_request if the key is not one, too_many_requests
 */
export async function admitPayer(
  product: Product,
  payment: PaymentPayload,
  offer: Offer,
  exchange: Exchange,
  sentKey?: unknown,
): Promise<Admitted> {
  const asked = { product, payment, key: idempotencyKeyOf(sentKey, payment), offer };
  const { request } = exchange;
  const ask = () => unlessInVain(payerAccount(payment), request, () => admit(termsOf(asked, exchange)));
  return { ...asked, ...(await countingRefusals(request, ask)) };
}

/**
 * Sells one product for one payment, over HTTP or MCP: the same request with the same payment gets the same result.
 * @param accept reads and checks the request, within the call's limits
 * @throws PaymentRequired if the payment is refused
 * @throws PaymentError as {@link Sale}
 * @throws Problem from `accept` and the product
 * @throws EngineError from the product
 */
export async function purchase(
  admitted: Admitted,
  exchange: Exchange,
  accept: (call: CallContext) => Promise<AcceptedRequest>,
): Promise<Sold<Delivery>> {
  const { request } = exchange;
  const charged: Spent = { ms: 0, bytes: -(admitted.readBytes ?? 0) };
  return withBudget(admitted, exchange, async (spend, allowed) => {
    const sale = await fulfil(admitted, exchange, accept, { spend, allowed });
    exchange.progress?.("settling");
    const bought = await sale.settle();
    const { url, pages, bytes } = bought.value.result.output;
    Object.assign(exchange.facts, { file: linkOf(url).id, pages, bytes_out: bytes });
    if (sale.isSold) {
      spend(charged);
      forgiveRefusals(request);
      forgiveVain(payerAccount(admitted.payment));
    }
    return { ...bought, receipt: await provedReceipt(bought, exchange.config) };
  });
}

/**
 * Does everything that needs the call's files. Nobody waits for them to be deleted, and the budget is asked while the
 * request is read and its payment claimed.
 */
async function fulfil(
  admitted: Admitted,
  exchange: Exchange,
  accept: (call: CallContext) => Promise<AcceptedRequest>,
  { spend, allowed }: { spend: (spent: Spent) => void; allowed: Promise<void> },
): Promise<Sale<Delivery>> {
  const { config } = exchange;
  const call = new CallContext(exchange, admitted.offer.resource.url, accountOf(admitted, exchange));
  allowed.catch((error: unknown) => {
    call.refusal = error as Error;
  });
  try {
    const accepted = await call.step("receive", () => accept(call));
    if (!admitted.verified) await allowed;
    const sale = new Sale({
      ...termsOf(admitted, exchange),
      admitted,
      fingerprint: await accepted.fingerprint(),
      workMs: config.workSeconds * 1000,
      linkTtlMs: config.linkTtlSeconds * 1000,
      work: async () => {
        await allowed;
        return accepted.run(call);
      },
      errors: { write: writeFailure, read: readFailure },
    });
    await sale.fulfill();
    await allowed;
    return sale;
  } finally {
    if (call.bytesReceived > 0) exchange.facts.bytes_in = call.bytesReceived;
    spend({ ms: Date.now() - (call.workBegan ?? Date.now()), bytes: call.bytesReceived });
    exchange.waitUntil(call[Symbol.asyncDispose]().catch(() => undefined)); // what stays, the sweep takes
  }
}

/**
 * Returns the account that a call goes on: its payer's. A payment that the ledger knows has not been verified for this
 * call, so that anyone may have sent it: it goes on the account of its address, if it has one.
 */
export function accountOf({ payment, verified }: Admitted, { request }: Exchange): string | undefined {
  return verified ? payerAccount(payment) : addressAccount(request);
}

/**
 * Does a call within the budget of its account, and counts its payment if it fails.
 * @throws Problem too_many_requests
 */
export async function withBudget<T>(
  admitted: Admitted,
  exchange: Exchange,
  act: (spend: (spent: Spent) => void, allowed: Promise<void>) => Promise<T>,
): Promise<T> {
  const { request, env, config, waitUntil } = exchange;
  const { payment, verified } = admitted;
  const name = accountOf(admitted, exchange);
  if (name === undefined) return act(() => {}, Promise.resolve());
  const limits = {
    payments: config.maxCallsPerPayer,
    calls: config.maxRequestsPerPayer,
    unchargedMs: config.unchargedMsPerHour,
    unchargedBytes: config.unchargedBytesPerHour,
    leaseMs: config.callMs,
  };
  const counted = {
    name,
    payment: paymentKey(payment),
    bytes: announcedBytesOf(request) ?? maxBytesOf(request, config),
    refusal: (isUnderWay: boolean) =>
      isUnderWay
        ? `This payer has as much under way as it may: ${limits.payments} payments, ${limits.calls} calls, or ${limits.unchargedBytes} bytes. Wait until a call ends; nothing was charged.`
        : "This payer has had too much work done that was not charged in the end. Nothing was charged; wait.",
  };
  try {
    return await withinBudget(env.BUDGETS, counted, limits, waitUntil, act);
  } catch (error) {
    countRefusal(error, request);
    if (verified) countVain(error, name, request);
    throw error;
  }
}

function termsOf({ product, payment, key, offer }: Omit<Admitted, keyof Admission>, exchange: Exchange) {
  const { request, requestId, env, config, facts } = exchange;
  return {
    payment,
    key,
    offer,
    facilitators: config.selling ? facilitatorClients(config, isLoopback(request), { requestId, log }) : [],
    ledger: env.LEDGER,
    isSignedIn: () => isSignedIn(payment, exchange),
    operation: product.operation,
    timed: <T>(name: Step, act: () => Promise<T>) => step(name, facts, act),
    now: () => Date.now(),
    requestId,
    log: (event: PaymentEvent) => {
      if (event.event !== "sale") return log(event);
      Object.assign(facts, factsOf(event));
      const { verify_ms, settle_ms } = facts;
      log({ ...event, verify_ms, settle_ms });
    },
  };
}

/** Returns what of a sale is said of its request, too. */
function factsOf({ outcome, network, transaction }: SaleEvent): RequestFacts {
  return {
    outcome: outcome === "sold" || outcome === "replayed" ? outcome : "refused",
    network,
    ...(transaction && { transaction }),
  };
}

import { facilitatorClients, requireFacilitator } from "../../payments/facilitators/facilitators.ts";
import { type Admission, admit } from "../../payments/sale/admission.ts";
import { notSelling } from "../../payments/sale/answers.ts";
import { Sale, type Sold } from "../../payments/sale/gate.ts";
import type { PaymentEvent, SaleEvent } from "../../payments/wire/events.ts";
import { type Offer, offerOf, PaymentRequired, type Resource } from "../../payments/wire/offer.ts";
import { type PaymentPayload, paymentKey } from "../../payments/wire/paymentPayload.ts";
import type { Config } from "../../settings/config.ts";
import { log } from "../../shared/log.ts";
import type { RequestFacts } from "../../shared/logLines.ts";
import { isLoopback } from "../../shared/net/loopback.ts";
import { problemOf, readFailure, writeFailure } from "../../shared/problems.ts";
import { linkOf } from "../../storage/link.ts";
import { refuseBlockedPayer } from "../limits/blockList.ts";
import { addressAccount, payerAccount, type Spent, withinQuota } from "../limits/quota.ts";
import { countingRefusals, countRefusal, forgiveRefusals } from "../limits/refusedPayments.ts";
import { countUnusedAfterFailure, forgiveUnused, unlessThrottled } from "../limits/unusedPayments.ts";
import { announcedBytesOf, maxBytesOf } from "../request/bodySize.ts";
import { idempotencyKeyOf, isKeyChosen } from "../request/idempotencyKey.ts";
import { CallContext, type Exchange } from "./callContext.ts";
import type { AcceptedRequest, Delivery, Product } from "./products.ts";
import { provedReceipt } from "./proof.ts";
import { isSignedIn } from "./signIn.ts";
import { type Step, step } from "./steps.ts";

/**
 * Returns the terms of a product for an HTTP request.
 * @param resource the product as the endpoint offers it
 * @throws PaymentError not_configured if the deployment cannot accept payments
 */
export function offerFor(product: Product, resource: Resource, { request, config }: Exchange): Offer {
  requireFacilitator(config, isLoopback(request));
  return offerOf(resource, { ...config, price: product.price(config) });
}

/**
 * While SELLING is false, replaces an error that contains the terms of a sale by the error `not_selling`. Other errors
 * stay unchanged.
 */
export function whileClosed(error: Error, { selling }: Config): Error {
  return error instanceof PaymentRequired && !selling ? notSelling() : error;
}

/** An admitted payer, whose request may now be read. */
export interface Admitted extends Admission {
  product: Product;
  payment: PaymentPayload;
  /** The call's idempotency key, see {@link idempotencyKeyOf}. */
  key: string | null;
  /** Whether the caller has chosen the key, so that the default key does not apply. See {@link isKeyChosen}. */
  isKeyChosen: boolean;
  offer: Offer;
  /** Number of request bytes that were already read, and counted against the payer's quota, before the sale began. */
  readBytes?: number | undefined;
}

/**
 * Admits a payer before the request body is read. Long bodies of payers who are not admitted are never read.
 * @param sentKey the idempotency key sent with the call; null or undefined without a key
 * @param acceptSmall reads and validates the request; undefined if the request is too long to read without proof that
 * the caller is the payer
 * @throws PaymentRequired if the payment is refused
 * @throws PaymentError not_configured, or an error of {@link admit}
 * @throws Problem blocked, invalid_request if the key is malformed, too_many_requests if the payer is throttled
 */
export async function admitPayer(
  product: Product,
  payment: PaymentPayload,
  offer: Offer,
  exchange: Exchange,
  sentKey?: unknown,
  acceptSmall?: Accept,
): Promise<Admitted> {
  refuseBlockedPayer(payment.authorization.from, exchange.config);
  const asked = { product, payment, key: idempotencyKeyOf(sentKey, payment), isKeyChosen: isKeyChosen(sentKey), offer };
  const { request } = exchange;
  const smallFingerprint = async () => acceptSmall && fingerprintFor(acceptSmall, exchange);
  const terms = { ...termsOf(asked, exchange), smallFingerprint };
  const ask = () => unlessThrottled(payerAccount(payment), request, () => admit(terms));
  return { ...asked, ...(await countingRefusals(request, ask)) };
}

/** Reads and validates a request within the limits of its call. */
export type Accept = (call: CallContext) => Promise<AcceptedRequest>;

/**
 * Returns the fingerprint of a request. Returns undefined if the request cannot be read. The fingerprint of an invalid
 * request matches no sale.
 */
async function fingerprintFor(accept: Accept, exchange: Exchange): Promise<string | undefined> {
  const call = new CallContext(exchange, undefined, addressAccount(exchange.request));
  try {
    return await (await accept(call)).fingerprint();
  } catch (error) {
    return problemOf(error).code === "invalid_request" ? "" : undefined;
  } finally {
    // if deleting fails, the sweep deletes the remaining files
    exchange.waitUntil(call[Symbol.asyncDispose]().catch(() => undefined));
  }
}

/**
 * Sells one product for one payment, over HTTP or MCP. The same request with the same payment returns the same result.
 * @param accept reads and validates the request within the call's limits
 * @throws PaymentRequired if the payment is refused
 * @throws PaymentError any error of {@link Sale}
 * @throws Problem any problem of `accept` or the product
 * @throws EngineError any error of the product
 */
export async function purchase(admitted: Admitted, exchange: Exchange, accept: Accept): Promise<Sold<Delivery>> {
  const { request } = exchange;
  // cancels the bytes that `readMessage` has counted before this call, because a charged call uses no quota
  const charged: Spent = { ms: 0, bytes: -(admitted.readBytes ?? 0) };
  return withinPayerQuota(quotaUser(admitted, exchange), exchange, async (setCost, allowed) => {
    const sale = await fulfil(admitted, exchange, accept, { setCost, allowed });
    exchange.progress?.("settling");
    const bought = await sale.settle();
    const { url, pages, bytes } = bought.value.result.output;
    Object.assign(exchange.facts, { file: linkOf(url).id, pages, bytes_out: bytes });
    if (sale.isSold) {
      setCost(charged);
      forgiveRefusals(request);
      forgiveUnused(payerAccount(admitted.payment));
    } else if (bought.isPaidEarlier) setCost({ isReplay: true });
    return { ...bought, receipt: await provedReceipt(bought, exchange.config) };
  });
}

/**
 * Does all work that needs the call's files, and then deletes the files in the background. The quota is checked while
 * the request is read and its payment is claimed.
 */
async function fulfil(
  admitted: Admitted,
  exchange: Exchange,
  accept: Accept,
  { setCost, allowed }: { setCost: (spent: Partial<Spent>) => void; allowed: Promise<void> },
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
      hasDefaultKey: config.defaultKey && !admitted.isKeyChosen,
      knownDigest: await accepted.digest(call.date),
      workMs: config.workSeconds * 1000,
      linkTtlMs: config.linkTtlSeconds * 1000,
      work: async (defaultKey) => {
        await allowed;
        call.defaultKey = defaultKey;
        return accepted.run(call);
      },
      errors: { write: writeFailure, read: readFailure },
    });
    await sale.fulfill();
    await allowed;
    return sale;
  } finally {
    if (call.bytesReceived > 0) exchange.facts.bytes_in = call.bytesReceived;
    setCost({ ms: Date.now() - (call.workBegan ?? Date.now()), bytes: call.bytesReceived });
    // if deleting fails, the sweep deletes the remaining files
    exchange.waitUntil(call[Symbol.asyncDispose]().catch(() => undefined));
  }
}

/**
 * Returns the account that a call counts against. A call with a verified payment counts against the payer. A payment
 * that the ledger already knows is not verified again. Anyone may have sent such a payment, so the call counts against
 * the address.
 */
export function accountOf({ payment, verified }: Admitted, { request }: Exchange): string | undefined {
  return verified ? payerAccount(payment) : addressAccount(request);
}

/** The facts about a call that the quota needs. */
export interface QuotaUser {
  /** The account that the call counts against, see {@link accountOf}. Undefined if the call is not counted. */
  name: string | undefined;
  /** Identifies the payment of the call. Several calls with one payment count as one. */
  payment: string;
  /** Whether the payment was verified for this call. */
  isVerified(): boolean;
}

/** Returns the facts about a call that the quota needs. */
export function quotaUser(admitted: Admitted, exchange: Exchange): QuotaUser {
  const { payment, verified } = admitted;
  return {
    name: accountOf(admitted, exchange),
    payment: paymentKey(payment),
    isVerified: () => verified !== undefined,
  };
}

/**
 * Runs a call within the quota of its account. If the call fails, counts its verified payment as unused.
 * @throws Problem too_many_requests
 */
export async function withinPayerQuota<T>(
  { name, payment, isVerified }: QuotaUser,
  exchange: Exchange,
  act: (setCost: (spent: Partial<Spent>) => void, allowed: Promise<void>) => Promise<T>,
): Promise<T> {
  const { request, env, config, waitUntil } = exchange;
  if (name === undefined) return act(() => {}, Promise.resolve());
  const limits = {
    payments: config.maxCallsPerPayer,
    calls: config.maxRequestsPerPayer,
    unchargedMs: config.unchargedMsPerHour,
    unchargedBytes: config.unchargedBytesPerHour,
    leaseMs: config.callMs,
  };
  const counted = {
    ...{ name, payment },
    bytes: announcedBytesOf(request) ?? maxBytesOf(request, config),
    refusal: (isUnderWay: boolean) =>
      isUnderWay
        ? `This payer has reached a limit of concurrent use: ${limits.payments} payments, ${limits.calls} calls, or ${limits.unchargedBytes} bytes. Wait until a call ends. Nothing was charged.`
        : "This payer has exceeded the hourly allowance for failed (uncharged) calls. Wait before you call again. Nothing was charged.",
  };
  try {
    return await withinQuota(env.BUDGETS, counted, limits, waitUntil, act);
  } catch (error) {
    countRefusal(error, request);
    if (isVerified()) countUnusedAfterFailure(error, name, request);
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

/** Returns the facts of a sale that also belong in the request's log line. */
export function factsOf({ outcome, network, transaction }: SaleEvent): RequestFacts {
  return {
    outcome: outcome === "sold" || outcome === "replayed" ? outcome : "refused",
    network,
    ...(transaction && { transaction }),
  };
}

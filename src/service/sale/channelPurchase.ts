import { supportsChannels } from "../../payments/facilitators/supported.ts";
import { ChannelSale } from "../../payments/sale/channelSale.ts";
import type { Sold } from "../../payments/sale/gate.ts";
import { type ChannelPayment, checkVoucher } from "../../payments/wire/channelPayload.ts";
import { ZERO_ADDRESS } from "../../payments/wire/channelTypes.ts";
import type { PaymentEvent } from "../../payments/wire/events.ts";
import type { EvmNetwork } from "../../payments/wire/networks.ts";
import { type Offer, PaymentRequired } from "../../payments/wire/offer.ts";
import type { Config } from "../../settings/config.ts";
import { log } from "../../shared/log.ts";
import { linkOf } from "../../storage/link.ts";
import { refuseBlockedPayer } from "../limits/blockList.ts";
import { addressAccount, type Spent } from "../limits/quota.ts";
import { countingRefusals, forgiveRefusals } from "../limits/refusedPayments.ts";
import { forgiveUnused, unlessThrottled } from "../limits/unusedPayments.ts";
import { idempotencyKeyOf, isKeyChosen } from "../request/idempotencyKey.ts";
import { CallContext, type Exchange } from "./callContext.ts";
import type { Delivery, Product } from "./products.ts";
import { provedReceipt } from "./proof.ts";
import { type Accept, factsOf, withinPayerQuota } from "./purchase.ts";
import { signedIn } from "./signIn.ts";
import { type Step, step } from "./steps.ts";

/** A call that pays through a channel. */
export interface ChannelCaller {
  product: Product;
  payment: ChannelPayment;
  offer: Offer;
  /** The idempotency key sent with the call. Null or undefined if the call has no key. */
  sentKey: unknown;
}

/**
 * Sells one product through a payment channel, over HTTP or MCP. The channel is reserved before the request is read.
 * @param accept reads and validates the request within the call's limits
 * @throws PaymentRequired if the voucher is refused
 * @throws PaymentError any error of {@link ChannelSale}
 * @throws Problem blocked, invalid_request if the key is malformed, too_many_requests, and any problem of `accept` or
 * the product
 * @throws EngineError any error of the product
 */
export async function purchaseOnChannel(
  caller: ChannelCaller,
  exchange: Exchange,
  accept: Accept,
): Promise<Sold<Delivery>> {
  const { payment, offer } = caller;
  const { request, config } = exchange;
  if (payment.type === "refund")
    throw new PaymentRequired(
      offer,
      "invalid_batch_settlement_evm_payload_type: a refund pays for no call; send it to GET /v1/channel",
    );
  refuseBlockedPayer(payment.config.payer, config);
  const account = `payer:${payment.config.payer.toLowerCase()}`;
  const sale = new ChannelSale<Delivery>(termsOf(caller, exchange));
  await countingRefusals(request, () => checkVoucher(payment, offer));
  // Checks the channel and the quota at the same time. Only a facilitator can verify the voucher of a contract, so a
  // call with such a voucher counts against the caller's address.
  const admission = countingRefusals(request, () => unlessThrottled(account, request, () => sale.admit()));
  admission.catch(() => undefined); // prevents an unhandled rejection; the error is thrown below
  const isContract = payment.config.payerAuthorizer === ZERO_ADDRESS;
  const user = {
    name: isContract ? addressAccount(request) : account,
    payment: sale.paymentName,
    isVerified: () => sale.isReserved,
  };
  const charged: Spent = { ms: 0, bytes: 0 };
  const selling = withinPayerQuota(user, exchange, async (setCost, allowed) => {
    const isAdmitted = await admission.catch(() => undefined);
    if (isAdmitted === undefined) return undefined;
    const bought = await fulfil(sale, caller, exchange, accept, { name: user.name, setCost, allowed });
    const { url, pages, bytes } = bought.value.result.output;
    Object.assign(exchange.facts, { file: linkOf(url).id, pages, bytes_out: bytes });
    if (sale.isSold) {
      setCost(charged);
      forgiveRefusals(request);
      forgiveUnused(account);
    } else setCost({ isReplay: true });
    return { ...bought, receipt: await provedReceipt(bought, config) };
  });
  try {
    await admission;
    return (await selling)!;
  } catch (error) {
    selling.catch(() => undefined); // prevents an unhandled rejection; the sale has ended or will end without charging
    await sale.release(); // has no effect on a committed call
    throw error;
  }
}

/** Reads the request, does the work, and commits. Afterwards deletes the call's files in the background. */
async function fulfil(
  sale: ChannelSale<Delivery>,
  { offer, sentKey }: ChannelCaller,
  exchange: Exchange,
  accept: Accept,
  quota: { name: string | undefined; setCost: (spent: Partial<Spent>) => void; allowed: Promise<void> },
): Promise<Sold<Delivery>> {
  const { config } = exchange;
  const { name, setCost, allowed } = quota;
  const call = new CallContext(exchange, offer.resource.url, name);
  allowed.catch((error: unknown) => {
    call.refusal = error as Error;
  });
  try {
    const accepted = await call.step("receive", () => accept(call));
    return await sale.fulfill({
      fingerprint: await accepted.fingerprint(),
      hasDefaultKey: config.defaultKey && !isKeyChosen(sentKey),
      work: async (defaultKey) => {
        await allowed;
        call.defaultKey = defaultKey;
        const digest = await accepted.digest(call.date);
        if (digest !== undefined) defaultKey?.bind(digest);
        const done = await accepted.run(call);
        exchange.progress?.("settling");
        return done;
      },
    });
  } finally {
    if (call.bytesReceived > 0) exchange.facts.bytes_in = call.bytesReceived;
    setCost({ ms: Date.now() - (call.workBegan ?? Date.now()), bytes: call.bytesReceived });
    // if deleting fails, the sweep deletes the remaining files
    exchange.waitUntil(call[Symbol.asyncDispose]().catch(() => undefined));
  }
}

/** Returns the names of the facilitators that support channels on a network. */
export function channelFacilitators({ facilitators }: Config, network: EvmNetwork): string[] {
  return facilitators.filter(({ supported }) => supportsChannels(supported, network)).map(({ url }) => url);
}

function termsOf({ product, payment, offer, sentKey }: ChannelCaller, exchange: Exchange) {
  const { requestId, env, config, facts } = exchange;
  return {
    ...{ payment, offer, requestId },
    key: idempotencyKeyOf(sentKey, payment),
    facilitators: channelFacilitators(config, payment.chain),
    selling: config.selling,
    ledger: env.LEDGER,
    isSignedIn: async () => {
      const who = await signedIn(exchange);
      return who?.address.toLowerCase() === payment.config.payer.toLowerCase();
    },
    operation: product.operation,
    leaseMs: config.callMs,
    timed: <T>(name: Step, act: () => Promise<T>) => step(name, facts, act),
    now: () => Date.now(),
    log: (event: PaymentEvent) => {
      if (event.event === "sale") Object.assign(facts, factsOf(event));
      log(event);
    },
  };
}

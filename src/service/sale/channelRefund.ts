import { channelNameOf } from "../../payments/channels/channelRecord.ts";
import type { RefundOutcome } from "../../payments/channels/channelRefunds.ts";
import type { ChannelCall } from "../../payments/channels/channelWorld.ts";
import { orInProgress } from "../../payments/sale/answers.ts";
import { channelReceiptFor, stoppedBy } from "../../payments/sale/channelAnswers.ts";
import { type ChannelPayment, checkVoucher } from "../../payments/wire/channelPayload.ts";
import { type Offer, PaymentRequired, type Receipt } from "../../payments/wire/offer.ts";
import { countingRefusals } from "../limits/refusedPayments.ts";
import { unlessThrottled } from "../limits/unusedPayments.ts";
import type { Exchange } from "./callContext.ts";
import { channelFacilitators } from "./channelPurchase.ts";

/** Maximum time for which a refund waits for a call in the same channel, in milliseconds. */
const WAIT_MS = 25_000;

/**
 * Claims all charged amounts of a channel, and then refunds its balance, or the requested part of it, to the payer.
 * @throws PaymentRequired if the payment is not a refund, or the refund is refused
 * @throws PaymentError payment_in_progress, settlement_pending, facilitator_unavailable
 */
export async function refundOnChannel(payment: ChannelPayment, offer: Offer, exchange: Exchange): Promise<Receipt> {
  const { request, requestId, env, config } = exchange;
  if (payment.type !== "refund")
    throw new PaymentRequired(offer, "invalid_batch_settlement_evm_payload_type: send a payload of the type refund");
  const { chain, channelId, config: channel } = payment;
  const object: { refundChannel(call: ChannelCall, until: number): Promise<RefundOutcome> } = env.LEDGER.getByName(
    channelNameOf(chain.caip2, channelId),
  );
  const call = { payment, requestId, facilitators: channelFacilitators(config, chain) };
  const refund = async (): Promise<Receipt> => {
    await checkVoucher(payment, offer);
    const outcome = await orInProgress(object.refundChannel(call, Date.now() + WAIT_MS));
    if (outcome.status !== "refunded") throw stoppedBy(outcome, payment, offer);
    return channelReceiptFor(payment, outcome.receipt);
  };
  return countingRefusals(request, () => unlessThrottled(`payer:${channel.payer.toLowerCase()}`, request, refund));
}

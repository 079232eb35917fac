/** Answers to a call that pays through a channel: the receipt, or an error that says what to do next. */

import type { Commit, Reservation } from "../channels/channel.ts";
import type { Correction } from "../channels/channelChecks.ts";
import type { ChannelReceipt } from "../channels/channelRecord.ts";
import type { RefundOutcome } from "../channels/channelRefunds.ts";
import type { ChannelPayment } from "../wire/channelPayload.ts";
import { PaymentError } from "../wire/errors.ts";
import { type Offer, PaymentRequired, type Receipt } from "../wire/offer.ts";
import { keyReused } from "./answers.ts";

/** The reason that makes a client adopt the channel's state from a 402. Clients compare this text exactly. */
const MISMATCH = "invalid_batch_settlement_evm_cumulative_amount_mismatch";

type Stopped = Exclude<Reservation | RefundOutcome | Commit, { status: "reserved" | "known" | "sold" | "refunded" }>;

/** Creates the answer to a call that the channel does not sell. {@link Reservation} and {@link Commit} explain each status. */
export function stoppedBy(stopped: Stopped, payment: ChannelPayment, offer: Offer): PaymentRequired | PaymentError {
  switch (stopped.status) {
    case "mismatch":
      return corrected(stopped.correction, payment, offer);
    case "refused":
      return new PaymentRequired(offer, stopped.reason, {
        version: 2,
        receipt: {
          success: false,
          errorReason: stopped.reason,
          transaction: "",
          network: payment.chain.caip2,
          payer: payment.config.payer,
        },
      });
    case "unavailable":
      return new PaymentError(
        "facilitator_unavailable",
        "The payment facilitator cannot be reached. Nothing was charged. Repeat the same request later.",
        { retryAfterSeconds: 30 },
      );
    case "settling":
      return new PaymentError(
        "settlement_pending",
        "The facilitator has not confirmed the channel's last transaction yet. Repeat the same request in a moment. You are not charged twice.",
        { retryAfterSeconds: 10 },
      );
    case "reused":
      return keyReused();
    case "busy":
    case "lost":
      return new PaymentError(
        "payment_in_progress",
        "Another call uses this channel right now. Repeat the same request in a moment, or open a channel with another salt for parallel calls.",
        { retryAfterSeconds: 5 },
      );
  }
}

/**
 * Creates the answer to a voucher whose amount does not follow from the last voucher. The answer is the offer with the
 * channel's state. Clients read only the first entry of each scheme. The offer therefore lists only this channel under
 * the scheme "batch-settlement".
 */
export function corrected(
  { channelState, voucherState }: Correction,
  payment: ChannelPayment,
  offer: Offer,
): PaymentRequired {
  const { requirements } = payment;
  const extra = { ...requirements.extra, channelState, voucherState };
  return new PaymentRequired({ ...offer, channels: [{ ...requirements, extra }] }, MISMATCH);
}

/** Creates the receipt of a call or a refund (x402 v2, "batch-settlement", "Payment Response Contract"). */
export function channelReceiptFor(
  { chain, config }: ChannelPayment,
  { transaction, amount, extra }: ChannelReceipt,
): Receipt {
  return { success: true, transaction, amount, network: chain.caip2, payer: config.payer, extra };
}

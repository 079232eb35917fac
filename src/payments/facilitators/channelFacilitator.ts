/**
 * The client of a facilitator for payment channels. A facilitator reads a channel on the chain, and sends the channel's
 * transactions.
 */
import * as z from "zod";
import type { ChannelSnapshot } from "../wire/channelTypes.ts";
import type { EventContext } from "../wire/events.ts";
import { askingFacilitator, reasonOf } from "./askFacilitator.ts";
import type { RemoteFacilitator } from "./facilitatorHttp.ts";

/**
 * The verdict on a voucher or a deposit, with the channel's state before the voucher or deposit. The outcome is
 * `unknown` if the facilitator gave no verdict.
 */
export type ChannelVerdict =
  | { outcome: "valid"; snapshot: ChannelSnapshot }
  | { outcome: "invalid"; reason: string }
  | { outcome: "unknown" };

/**
 * The outcome of one attempt to send a transaction. After `failed`, only the channel's state on the chain shows whether
 * the transaction was sent. If `isUnsure` is true, the transaction may still reach the chain.
 */
type ChannelTransaction =
  | { outcome: "sent"; transaction: string; amount: string; snapshot: ChannelSnapshot | undefined }
  | { outcome: "failed"; reason: string; isUnsure: boolean };

/**
 * Verifies the payloads of payment channels and sends the channels' transactions (x402 v2, "batch-settlement"). The
 * methods never throw.
 */
export interface ChannelFacilitator {
  name: string;
  /** Returns the facilitator's verdict on a payload. `request` is the body for `/verify`. */
  verify(request: string): Promise<ChannelVerdict>;
  /** Asks the facilitator to send a transaction. `request` is the body for `/settle`. */
  settle(request: string): Promise<ChannelTransaction>;
}

/** Error strings for a sent transaction whose outcome the facilitator does not know. */
const UNSURE = /pending|time[ds]? ?.?out|not.?confirmed/i;

const uint = z.union([z.string().regex(/^\d{1,78}$/), z.int().min(0)]).transform(String);
const snapshot = z.object({
  balance: uint,
  totalClaimed: uint,
  withdrawRequestedAt: uint.transform(Number),
  refundNonce: uint,
});
const text = z.string().nullish();
const verdict = z.union([
  z.object({ isValid: z.literal(true), extra: snapshot }),
  z.object({ isValid: z.literal(false), invalidReason: text }),
]);
const settled = z.union([
  z.object({
    success: z.literal(true),
    transaction: z.string().min(1),
    amount: text,
    extra: z.object({ channelState: snapshot }).nullish().catch(undefined),
  }),
  z.object({ success: z.literal(false), errorReason: text }),
]);

/** Creates the client of a facilitator reached over HTTP. */
export function channelFacilitator(facilitator: RemoteFacilitator, context: EventContext): ChannelFacilitator {
  const ask = askingFacilitator(facilitator, context);
  return {
    name: facilitator.url,

    async verify(request) {
      let { answer, isLost, rejection } = await ask("verify", request, verdict);
      // Repeats the request, because the server may have just closed the kept-alive connection.
      if (isLost) ({ answer, rejection } = await ask("verify", request, verdict));
      if (rejection !== undefined) return { outcome: "invalid", reason: rejection };
      if (!answer) return { outcome: "unknown" };
      return answer.isValid
        ? { outcome: "valid", snapshot: answer.extra }
        : { outcome: "invalid", reason: reasonOf(answer.invalidReason) };
    },

    async settle(request) {
      const { answer, rejection } = await ask("settle", request, settled);
      if (rejection !== undefined) return { outcome: "failed", reason: rejection, isUnsure: false };
      if (!answer) return { outcome: "failed", reason: "facilitator_unavailable: no answer", isUnsure: true };
      if (!answer.success) {
        const reason = reasonOf(answer.errorReason);
        return { outcome: "failed", reason, isUnsure: UNSURE.test(reason) };
      }
      const { transaction, amount, extra } = answer;
      return { outcome: "sent", transaction, amount: amount ?? "", snapshot: extra?.channelState };
    },
  };
}

import { channelRequest } from "../wire/channelPayload.ts";
import type { ChannelSnapshot } from "../wire/channelTypes.ts";
import type { ChannelChain } from "./channelChain.ts";
import { type ChannelChecks, type ChannelRefusal, CODE } from "./channelChecks.ts";
import { type ChannelReceipt, type ChannelRecord, claimsOf, type Pending, stateExtraOf } from "./channelRecord.ts";
import type { Blocked, ChannelStore } from "./channelStore.ts";
import type { ChannelCall, ChannelWorld } from "./channelWorld.ts";

/** The answer to a refund. */
export type RefundOutcome = { status: "refunded"; receipt: ChannelReceipt } | ChannelRefusal | Pick<Blocked, "status">;

/**
 * Maximum time, in milliseconds, between the first request to a facilitator and the arrival of the transaction on the
 * chain, if the facilitator's answer was lost.
 */
const ARRIVES_MS = 3_600_000;

/** Refunds the balance of a channel to its payer. */
export class ChannelRefunds {
  readonly #world: ChannelWorld;
  readonly #store: ChannelStore;
  readonly #chain: ChannelChain;
  readonly #checks: ChannelChecks;

  constructor(world: ChannelWorld, store: ChannelStore, chain: ChannelChain, checks: ChannelChecks) {
    this.#world = world;
    this.#store = store;
    this.#chain = chain;
    this.#checks = checks;
  }

  /**
   * Claims the charged amounts, and pays `refundAmount` or the rest of the balance back to the payer. Waits while a
   * call is in progress.
   */
  async refund(call: ChannelCall, until: number): Promise<RefundOutcome> {
    for (let blocked = this.#store.blocked(until); blocked; blocked = this.#store.blocked(until)) {
      if (blocked.waitMs <= 0) return { status: blocked.status };
      await this.#store.changed(blocked.waitMs);
    }
    const { payment, requestId, facilitators } = call;
    const { voucher, requirements, refundAmount } = payment;
    const record = this.#store.load();
    if (!record) return { status: "refused", reason: `${CODE}_missing_channel: no call has been sold in this channel` };
    if (BigInt(voucher.max) !== BigInt(record.charged)) return this.#checks.mismatch(record);
    const pending: Pending = {
      ...{ id: crypto.randomUUID(), requestId, until: this.#world.now() + this.#world.settleTimeoutMs },
      ...{ max: voucher.max, signature: voucher.signature, price: "0" },
    };
    this.#store.save({ ...record, requirements, facilitators, pending });
    const refusal = await this.#checks.ask(this.#store.load()!, channelRequest(payment.payload, requirements));
    const amount = refundAmount ?? this.#remainder();
    const reason =
      BigInt(amount) <= 0n
        ? `${CODE}_refund_no_balance`
        : refundAmount === "0"
          ? `${CODE}_refund_amount_invalid`
          : undefined;
    if (refusal || reason !== undefined) {
      this.#store.free(pending.id);
      return refusal ?? { status: "refused", reason: reason! };
    }
    const request = await this.#chain.refundRequest(this.#store.load()!, payment.payload, amount);
    const now = this.#world.now();
    const { snapshot: before } = this.#store.load()!;
    const settling = { type: "refund" as const, request, amount, before, since: now, attempts: 0, nextAt: now };
    return this.settle({ ...this.#store.load()!, pending: { ...pending, settling } });
  }

  #remainder(): string {
    const { snapshot, charged } = this.#store.load()!;
    return String(BigInt(snapshot.balance) - BigInt(charged));
  }

  /** Sends a refund, or looks for it on the chain after an earlier attempt. */
  async settle(record: ChannelRecord): Promise<RefundOutcome> {
    const { pending } = record;
    if (pending?.settling?.type !== "refund") return { status: "busy" };
    const { settling } = pending;
    this.#chain.beginAttempt({ ...record, exposedMax: record.signedMax });
    // uses the state before the first attempt: the record may already show the refund, because a claim may have read
    // the chain since
    const { before } = settling;
    const isDone = ({ refundNonce }: ChannelSnapshot) => BigInt(refundNonce) > BigInt(before.refundNonce);
    // a refund that arrives after later sales would take the money of these sales
    const arrivesUntil = settling.since + ARRIVES_MS;
    const outcome = await this.#chain.transact(record, settling.request, settling, isDone, undefined, arrivesUntil);
    // a parallel attempt has already ended this refund
    if (this.#store.load()?.pending?.id !== pending.id) return { status: "busy" };
    if (outcome.status === "unsure") return this.#chain.retryLater();
    if (outcome.status === "failed") {
      this.#store.free(pending.id);
      return { status: "refused", reason: outcome.reason };
    }
    const read = outcome.snapshot ?? (await this.#chain.read(record));
    const { pending: _, ...free } = this.#store.load()!;
    const snapshot = read ?? (isDone(free.snapshot) ? free.snapshot : afterRefund(record, before, settling.amount));
    const claimed = this.#chain.synced(free, snapshot, outcome.transaction);
    const refunded = String(BigInt(before.balance) - BigInt(snapshot.balance));
    // without a reading of the chain, the next call asks a facilitator before it sells
    this.#store.save({ ...claimed, ...(!read && { syncedAt: 0 }) });
    this.#chain.report(claimed, { outcome: "refunded", amount: refunded, transaction: outcome.transaction });
    const extra = { channelState: stateExtraOf(claimed) };
    return { status: "refunded", receipt: { transaction: outcome.transaction, amount: refunded, extra } };
  }
}

/** Returns the state of a channel after a refund of `amount`, computed from the state before the refund. */
function afterRefund(record: ChannelRecord, before: ChannelSnapshot, amount: string): ChannelSnapshot {
  const { balance, totalClaimed, refundNonce } = before;
  return {
    ...before,
    balance: String(BigInt(balance) - BigInt(amount)),
    totalClaimed: claimsOf(record)[0]?.totalClaimed ?? totalClaimed,
    refundNonce: String(BigInt(refundNonce) + 1n),
  };
}

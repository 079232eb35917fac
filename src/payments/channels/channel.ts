import { backoffMs } from "../ledger/record.ts";
import { type ChannelPayment, channelRequest } from "../wire/channelPayload.ts";
import { type ChannelSnapshot, type VoucherClaim, ZERO_ADDRESS } from "../wire/channelTypes.ts";
import { ChannelChain, type ChannelWorld, type TransactionOutcome } from "./channelChain.ts";
import {
  type ChannelBooking,
  type ChannelReceipt,
  type ChannelRecord,
  COPY_AFTER_MS,
  claimsOf,
  type FinishedCall,
  isFresh,
  type Pending,
  type SoldCall,
  stateExtraOf,
} from "./channelRecord.ts";
import { SoldCalls } from "./soldCalls.ts";

/** A call that pays through the channel. Its voucher's signature has been checked, unless the payer is a contract. */
export interface ChannelCall {
  payment: ChannelPayment;
  /** SHA-256 of the call's idempotency key; undefined if it has none. */
  keyHash?: string | undefined;
  requestId: string;
  /** Names of the facilitators that support the channel, in order of preference. */
  facilitators: readonly string[];
}

/** The payer's last voucher and the channel's state, with which the client can continue ("Corrective 402"). */
export interface Correction {
  channelState: ReturnType<typeof stateExtraOf>;
  voucherState: { signedMaxClaimable: string; signature: ChannelRecord["signature"] };
}

/**
 * The answer to the reservation of a channel.
 *
 * | status        | meaning                                                                                  |
 * |---------------|------------------------------------------------------------------------------------------|
 * | `reserved`    | the call may do its work, and commits it under `id`                                      |
 * | `known`       | the voucher or the key has bought `sold`. `isProven` is false if the voucher may be      |
 * |               | known to others than the payer                                                           |
 * | `mismatch`    | the voucher does not continue the last one                                               |
 * | `refused`     | the voucher or the deposit is not good                                                   |
 * | `busy`        | another call uses the channel                                                            |
 * | `settling`    | a deposit or a refund is not confirmed yet                                               |
 * | `unavailable` | no facilitator gave a verdict                                                            |
 */
export type Reservation =
  | { status: "reserved"; id: string }
  | { status: "known"; sold: SoldCall; isKey: boolean; isProven: boolean; current: ChannelReceipt }
  | { status: "mismatch"; correction: Correction }
  | { status: "refused"; reason: string }
  | { status: "busy" | "settling" | "unavailable" };

/**
 * The answer to a commit. `lost` means that the reservation has expired and another call uses the channel. `isRepeat` is
 * true if an earlier call has bought the same content, so that this call is not charged.
 */
export type Commit =
  | { status: "sold"; sold: SoldCall; receipt: ChannelReceipt; isRepeat: boolean }
  | { status: "refused"; reason: string }
  | { status: "settling" | "lost" };

/** The answer to a refund. */
export type RefundOutcome =
  | { status: "refunded"; receipt: ChannelReceipt }
  | Exclude<Reservation, { status: "reserved" | "known" }>;

/** A channel as its operator sees it. */
export interface ChannelView {
  record: ChannelRecord;
  /** The claim of everything that is sold and not claimed; empty if nothing is outstanding. */
  claims: VoucherClaim[];
}

/** Time after a sale during which a call for the same content gets its result again, in milliseconds. */
const REPEAT_MS = 600_000;
const CODE = "invalid_batch_settlement_evm";

/**
 * One payment channel. Calls of a channel run one after the other: a call reserves the channel, does its work, and
 * commits. The commit charges the call. The channel's alarm claims what is charged.
 */
export class Channel {
  readonly #world: ChannelWorld;
  readonly #chain: ChannelChain;
  readonly #sold: SoldCalls;
  /** Resolvers of the calls that wait until the channel is free. */
  #waiting = new Set<() => void>();

  constructor(world: ChannelWorld) {
    this.#world = world;
    this.#chain = new ChannelChain(world, () => this.#notifyWaiting());
    this.#sold = new SoldCalls(world.kv);
  }

  /**
   * Reserves the channel for a call, for `leaseMs`. Waits until `until`, Unix milliseconds, while another call uses it.
   * Looks up the idempotency key and the voucher first, so that a repeated call finds its result.
   */
  async reserve(call: ChannelCall, leaseMs: number, until: number): Promise<Reservation> {
    const { payment, keyHash } = call;
    for (;;) {
      const record = this.#world.load();
      const found = record && (await this.#known(record, payment, keyHash));
      if (found) return found;
      const blocked = await this.#waitWhilePending(until);
      if (blocked === "changed") continue;
      if (blocked) return { status: blocked };
      return this.#reserveFree(call, leaseMs);
    }
  }

  /** Returns the sale that the key or the voucher has paid for, if its result can still be delivered. */
  async #known(
    record: ChannelRecord,
    { type, voucher, deposit }: ChannelPayment,
    keyHash: string | undefined,
  ): Promise<Reservation | undefined> {
    if (type === "refund") return undefined;
    const current: ChannelReceipt = {
      transaction: "",
      amount: "",
      extra: { chargedAmount: "0", channelState: stateExtraOf(record) },
    };
    const byKey = keyHash === undefined ? undefined : this.#sold.byKey(keyHash);
    const sold = byKey ?? this.#sold.byVoucher(voucher.max);
    // A client that sends another deposit counts on it, so it must first read the channel's state.
    if (!sold || (deposit && deposit.signature !== sold.depositSignature)) return undefined;
    if (!(await this.#isDeliverable(sold))) return undefined;
    const isKey = byKey !== undefined;
    const isProven = isKey || BigInt(voucher.max) > BigInt(record.exposedMax);
    return { status: "known", sold, isKey, isProven, current };
  }

  async #isDeliverable({ work }: SoldCall): Promise<boolean> {
    return work.expiresAt > this.#world.now() && (await this.#world.isAvailable(work.output));
  }

  /** Waits until another call ends. Returns undefined if the channel is free, `changed` after another call has ended. */
  async #waitWhilePending(until: number): Promise<"changed" | "busy" | "settling" | undefined> {
    const pending = this.#world.load()?.pending;
    const now = this.#world.now();
    if (!pending || (!pending.settling && pending.until <= now)) return undefined;
    if (now >= until) return pending.settling ? "settling" : "busy";
    await this.#nextChange(Math.min(until, pending.settling ? until : pending.until) - now);
    return "changed";
  }

  async #reserveFree(call: ChannelCall, leaseMs: number): Promise<Reservation> {
    const { payment, requestId, facilitators } = call;
    const { voucher, requirements, deposit, channelId, chain, config } = payment;
    const now = this.#world.now();
    const price = BigInt(requirements.amount);
    const known = this.#world.load();
    if (!known && BigInt(voucher.max) < price)
      return { status: "refused", reason: `${CODE}_cumulative_below_claimed: sign a voucher for at least ${price}` };
    const before: ChannelRecord = known ?? {
      ...{ channelId, chain, config, requirements, facilitators },
      charged: String(BigInt(voucher.max) - price), // as the payer says; the chain must confirm it
      signedMax: voucher.max,
      signature: voucher.signature,
      snapshot: { balance: "0", totalClaimed: "0", withdrawRequestedAt: 0, refundNonce: "0" },
      ...{ syncedAt: 0, lastCallAt: 0, exposedMax: "0" },
    };
    const record = { ...before, requirements, facilitators };
    if (BigInt(voucher.max) !== BigInt(record.charged) + price) return this.#mismatch(record);

    const request = channelRequest(payment.payload, requirements);
    const pending: Pending = {
      ...{ id: crypto.randomUUID(), requestId, until: now + leaseMs },
      ...{ max: voucher.max, signature: voucher.signature, price: requirements.amount },
      ...(deposit && { deposit: { ...deposit, request } }),
    };
    this.#save({ ...record, pending });
    const mustAsk =
      deposit ||
      config.payerAuthorizer === ZERO_ADDRESS ||
      !isFresh(record, now) ||
      record.snapshot.withdrawRequestedAt;
    const refusal = (mustAsk ? await this.#askAbout(record, request) : undefined) ?? this.#refusalOf(pending);
    if (!refusal) return { status: "reserved", id: pending.id };
    this.#free(pending.id);
    return refusal;
  }

  /** Asks the facilitators about a payload, and stores the channel's state on the chain. Returns a refusal, if any. */
  async #askAbout(
    record: ChannelRecord,
    request: string,
  ): Promise<Exclude<Reservation, { status: "known" }> | undefined> {
    const verdict = await this.#chain.verdict(record, request);
    if (verdict.outcome === "unknown") return { status: "unavailable" };
    if (verdict.outcome === "invalid") return { status: "refused", reason: verdict.reason };
    return this.#apply(verdict.snapshot);
  }

  /** Stores the channel's state on the chain. If the payer's `charged` is lower than what is claimed, it is corrected. */
  #apply(snapshot: ChannelSnapshot): { status: "mismatch"; correction: Correction } | undefined {
    const record = this.#world.load()!;
    const { totalClaimed } = snapshot;
    const isBehind = BigInt(record.charged) < BigInt(totalClaimed);
    const synced = { ...record, snapshot, syncedAt: this.#world.now(), ...(isBehind && { charged: totalClaimed }) };
    this.#save(synced);
    return isBehind ? this.#mismatch(synced) : undefined;
  }

  #refusalOf({ max, deposit }: Pending): { status: "refused"; reason: string } | undefined {
    const { snapshot } = this.#world.load()!;
    if (snapshot.withdrawRequestedAt > 0)
      return {
        status: "refused",
        reason: `${CODE}_withdrawal_pending: a withdrawal from this channel is pending. Pay with the scheme "exact", or open a channel with another salt`,
      };
    const balance = BigInt(snapshot.balance) + BigInt(deposit?.amount ?? 0);
    if (BigInt(max) > balance)
      return {
        status: "refused",
        reason: `${CODE}_cumulative_exceeds_balance: the channel holds ${balance}. Deposit more`,
      };
    return undefined;
  }

  /** Answers with the last voucher, which others than the payer may see. */
  #mismatch(record: ChannelRecord): { status: "mismatch"; correction: Correction } {
    const { signedMax, signature, exposedMax } = record;
    const stored = this.#world.load();
    if (stored && stored.lastCallAt > 0 && BigInt(exposedMax) < BigInt(signedMax))
      this.#save({ ...stored, exposedMax: signedMax });
    const voucherState = { signedMaxClaimable: signedMax, signature };
    return { status: "mismatch", correction: { channelState: stateExtraOf(record), voucherState } };
  }

  /** Returns the channel's record and what can be claimed, for the operator; undefined if nothing is sold. */
  async view(): Promise<ChannelView | undefined> {
    const record = this.#world.load();
    return record && { record, claims: claimsOf(record) };
  }

  /** Returns the last voucher and the state, for a call whose voucher has paid for another request. */
  async correction(): Promise<Correction | undefined> {
    const record = this.#world.load();
    return record && this.#mismatch(record).correction;
  }

  /**
   * Ends a reservation without a charge, so that the same voucher is good again. Has no effect once a deposit is being
   * sent.
   */
  async release(id: string): Promise<void> {
    if (!this.#world.load()?.pending?.settling) this.#free(id);
  }

  #free(id: string): void {
    const record = this.#world.load();
    if (record?.pending?.id !== id) return;
    const { pending: _, ...free } = record;
    if (record.lastCallAt === 0) this.#world.clear();
    else this.#world.save(free);
    this.#notifyWaiting();
  }

  /**
   * Charges a finished call, in one transaction. A deposit is sent to the chain first. If an earlier call has bought the
   * same content, charges nothing. If the call is not charged, deletes its output.
   */
  async commit(id: string, sale: FinishedCall): Promise<Commit> {
    const record = this.#world.load();
    const pending = record?.pending;
    if (!pending || pending.id !== id) {
      await this.#world.deleteOutput(sale.work.output);
      return { status: "lost" };
    }
    if (!pending.deposit) return this.#sell(record, pending, sale, undefined);
    const settling = { type: "deposit" as const, sale, attempts: 0, nextAt: this.#world.now() };
    return this.#settleDeposit({ ...record, pending: { ...pending, settling } });
  }

  /** @param deposited the deposit that came with the voucher, once it is on the chain */
  async #sell(
    record: ChannelRecord,
    pending: Pending,
    sale: FinishedCall,
    deposited: { transaction: string; amount: string } | undefined,
  ): Promise<Commit> {
    const earlier = sale.digest === undefined ? undefined : this.#sold.byDigest(sale.digest);
    const now = this.#world.now();
    const isRepeat = earlier !== undefined && now < earlier.soldAt + REPEAT_MS && (await this.#isDeliverable(earlier));
    const { pending: current, ...free } = this.#world.load() ?? record;
    if (current?.id !== pending.id) return { status: "lost" };
    const charged = isRepeat ? free.charged : pending.max;
    const next: ChannelRecord = {
      ...free,
      charged,
      ...(!isRepeat && { unclaimedSince: free.unclaimedSince ?? now }),
      signedMax: pending.max,
      signature: pending.signature,
      lastCallAt: now,
      uncopied: { attempts: 0, nextAt: now + COPY_AFTER_MS },
      unbooked: { attempts: 0, nextAt: now + COPY_AFTER_MS },
      cleanAt: Math.min(free.cleanAt ?? Number.POSITIVE_INFINITY, sale.work.expiresAt),
    };
    const receipt: ChannelReceipt = {
      ...(deposited ?? { transaction: "", amount: "" }),
      extra: { chargedAmount: isRepeat ? "0" : pending.price, channelState: stateExtraOf(next) },
    };
    const sold: SoldCall = isRepeat
      ? earlier
      : { ...sale, max: pending.max, depositSignature: pending.deposit?.signature, soldAt: now, receipt };
    if (!isRepeat) {
      this.#sold.add(sold);
      const booking: ChannelBooking = {
        ...{ type: "sale", cumulative: pending.max, amount: pending.price },
        ...{ at: now, requestId: sale.requestId },
      };
      this.#world.kv.put(`book:sale:${pending.max}`, booking);
    }
    this.#save(next);
    if (isRepeat) await this.#world.deleteOutput(sale.work.output);
    return { status: "sold", sold, receipt, isRepeat };
  }

  async #settleDeposit(record: ChannelRecord): Promise<Commit> {
    const { pending } = record;
    if (!pending?.deposit || pending.settling?.type !== "deposit") return { status: "lost" };
    const { deposit, settling } = pending;
    this.#beginAttempt(record);
    const enough = (snapshot: ChannelSnapshot) => BigInt(snapshot.balance) >= BigInt(pending.max);
    const end = Number(deposit.validBefore) * 1000;
    const outcome = await this.#chain.transact(record, deposit.request, settling, enough, end);
    if (outcome.status === "unsure") return this.#retryLater();
    if (outcome.status === "failed") {
      await this.#world.deleteOutput(settling.sale.work.output);
      this.#free(pending.id);
      return { status: "refused", reason: outcome.reason };
    }
    const snapshot = outcome.snapshot ?? depositedIn(record.snapshot, deposit.amount);
    const synced = { ...this.#world.load()!, snapshot, syncedAt: this.#world.now() };
    this.#save(synced);
    this.#chain.report(synced, { outcome: "deposited", amount: deposit.amount, transaction: outcome.transaction });
    return this.#sell(synced, pending, settling.sale, { transaction: outcome.transaction, amount: deposit.amount });
  }

  /** Counts an attempt before it begins. If the object dies meanwhile, the alarm makes the next one. */
  #beginAttempt(record: ChannelRecord): void {
    const { pending } = record;
    if (!pending?.settling) return;
    const attempts = pending.settling.attempts + 1;
    const nextAt = this.#world.now() + this.#world.settleTimeoutMs;
    this.#save({ ...record, pending: { ...pending, settling: { ...pending.settling, attempts, nextAt } } });
  }

  #retryLater(): { status: "settling" } {
    const record = this.#world.load()!;
    const { pending } = record;
    if (pending?.settling) {
      const nextAt = this.#world.now() + backoffMs(pending.settling.attempts);
      this.#save({ ...record, pending: { ...pending, settling: { ...pending.settling, nextAt } } });
    }
    return { status: "settling" };
  }

  /** Claims what is charged, and pays the rest or `refundAmount` back to the payer. Waits while a call is in progress. */
  async refund(call: ChannelCall, until: number): Promise<RefundOutcome> {
    for (;;) {
      const blocked = await this.#waitWhilePending(until);
      if (!blocked) break;
      if (blocked !== "changed") return { status: blocked };
    }
    const { payment, requestId, facilitators } = call;
    const { voucher, requirements, refundAmount } = payment;
    const record = this.#world.load();
    if (!record) return { status: "refused", reason: `${CODE}_missing_channel: no call has been sold in this channel` };
    if (BigInt(voucher.max) !== BigInt(record.charged)) return this.#mismatch(record);
    const pending: Pending = {
      ...{ id: crypto.randomUUID(), requestId, until: this.#world.now() + this.#world.settleTimeoutMs },
      ...{ max: voucher.max, signature: voucher.signature, price: "0" },
    };
    this.#save({ ...record, requirements, facilitators, pending });
    const refusal = await this.#askAbout(this.#world.load()!, channelRequest(payment.payload, requirements));
    const amount = refundAmount ?? this.#remainder();
    const reason =
      BigInt(amount) <= 0n
        ? `${CODE}_refund_no_balance`
        : refundAmount === "0"
          ? `${CODE}_refund_amount_invalid`
          : undefined;
    if (refusal || reason !== undefined) {
      this.#free(pending.id);
      return (refusal as RefundOutcome | undefined) ?? { status: "refused", reason: reason! };
    }
    const request = await this.#chain.refundRequest(this.#world.load()!, payment.payload, amount);
    const settling = { type: "refund" as const, request, attempts: 0, nextAt: this.#world.now() };
    return this.#settleRefund({ ...this.#world.load()!, pending: { ...pending, settling } });
  }

  #remainder(): string {
    const { snapshot, charged } = this.#world.load()!;
    return String(BigInt(snapshot.balance) - BigInt(charged));
  }

  async #settleRefund(record: ChannelRecord): Promise<RefundOutcome> {
    const { pending } = record;
    if (pending?.settling?.type !== "refund") return { status: "busy" };
    const { settling } = pending;
    this.#beginAttempt({ ...record, exposedMax: record.signedMax });
    const isDone = ({ refundNonce }: ChannelSnapshot) => BigInt(refundNonce) > BigInt(record.snapshot.refundNonce);
    const outcome = await this.#chain.transact(record, settling.request, settling, isDone, undefined);
    if (outcome.status === "unsure") return this.#retryLater();
    if (outcome.status === "failed") {
      this.#free(pending.id);
      return { status: "refused", reason: outcome.reason };
    }
    const { pending: _, ...free } = this.#world.load()!;
    const snapshot = await this.#snapshotAfter(free, outcome);
    const claimed = { ...free, snapshot, syncedAt: this.#world.now() };
    const refunded = String(BigInt(record.snapshot.balance) - BigInt(snapshot.balance));
    this.#save(this.#chain.afterClaim(claimed, record.snapshot.totalClaimed, outcome.transaction));
    this.#chain.report(claimed, { outcome: "refunded", amount: refunded, transaction: outcome.transaction });
    const extra = { channelState: stateExtraOf(claimed) };
    return { status: "refunded", receipt: { transaction: outcome.transaction, amount: refunded, extra } };
  }

  async #snapshotAfter(
    record: ChannelRecord,
    outcome: TransactionOutcome & { status: "done" },
  ): Promise<ChannelSnapshot> {
    return outcome.snapshot ?? (await this.#chain.read(record)) ?? record.snapshot;
  }

  /** Handles the alarm: continues a deposit or a refund, claims, watches for withdrawals, books sales, cleans up. */
  async alarm(): Promise<void> {
    const record = this.#world.load();
    if (!record) return;
    const now = this.#world.now();
    const { settling } = record.pending ?? {};
    if (settling && settling.nextAt <= now) {
      if (settling.type === "deposit") await this.#settleDeposit(record);
      else await this.#settleRefund(record);
    }
    await this.#chain.chores(this.#sold);
  }

  #save(record: ChannelRecord): void {
    this.#world.save(record);
    this.#notifyWaiting();
  }

  #notifyWaiting(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #nextChange(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      void this.#world.sleep(ms).then(() => {
        this.#waiting.delete(resolve);
        resolve();
      });
    });
  }
}

function depositedIn(snapshot: ChannelSnapshot, amount: string): ChannelSnapshot {
  return { ...snapshot, balance: String(BigInt(snapshot.balance) + BigInt(amount)) };
}

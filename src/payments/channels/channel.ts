import type { Purchase } from "../ledger/record.ts";
import { channelRequest, withoutDeposit } from "../wire/channelPayload.ts";
import { type ChannelSnapshot, type VoucherClaim, ZERO_ADDRESS } from "../wire/channelTypes.ts";
import { ChannelChain } from "./channelChain.ts";
import { ChannelChecks, type ChannelRefusal, CODE, type Correction } from "./channelChecks.ts";
import {
  type ChannelBooking,
  type ChannelReceipt,
  type ChannelRecord,
  COPY_AFTER_MS,
  claimsOf,
  type Deposited,
  type FinishedCall,
  isFresh,
  type Pending,
  type SoldCall,
  stateExtraOf,
} from "./channelRecord.ts";
import { ChannelRefunds, type RefundOutcome } from "./channelRefunds.ts";
import { type Blocked, ChannelStore } from "./channelStore.ts";
import type { ChannelCall, ChannelWorld } from "./channelWorld.ts";
import { SoldCalls } from "./soldCalls.ts";

/**
 * The answer to the reservation of a channel.
 *
 * | status        | meaning                                                                                  |
 * |---------------|------------------------------------------------------------------------------------------|
 * | `reserved`    | the call may do its work, and commits it under `id`                                      |
 * | `known`       | the voucher or the key has bought `sold`. `isProven` is false if callers other than the  |
 * |               | payer may know the voucher                                                               |
 * | `mismatch`    | the amount of the voucher does not follow from the last voucher                          |
 * | `refused`     | the voucher or the deposit is not valid                                                  |
 * | `busy`        | another call uses the channel                                                            |
 * | `settling`    | a deposit or a refund is not confirmed yet                                               |
 * | `unavailable` | no facilitator gave a verdict                                                            |
 */
export type Reservation =
  | { status: "reserved"; id: string }
  | { status: "known"; sold: SoldCall; isKey: boolean; isProven: boolean; current: ChannelReceipt }
  | ChannelRefusal
  | Pick<Blocked, "status">;

/**
 * The answer to a commit. `lost` means that the reservation has expired and another call uses the channel. `reused`
 * means that the idempotency key has already bought a different request. `isRepeat` is true if an earlier call has
 * bought the same request. Such a repeated call is not charged.
 */
export type Commit =
  | { status: "sold"; sold: SoldCall; receipt: ChannelReceipt; isRepeat: boolean }
  | { status: "refused"; reason: string }
  | { status: "settling" | "lost" | "reused" };

/** A payment channel as the operator sees it. */
export interface ChannelView {
  record: ChannelRecord;
  /** The claim of all amounts that are sold but not yet claimed. Empty if no amount is outstanding. */
  claims: VoucherClaim[];
}

/** Time in milliseconds during which a repeated call with the same content gets the result of the earlier sale. */
const REPEAT_MS = 600_000;

/**
 * One payment channel. The calls of a channel run one after the other. A call reserves the channel, does its work, and
 * commits. The commit charges the call. The channel's alarm later claims the charged amounts on the chain.
 */
export class Channel {
  readonly #world: ChannelWorld;
  readonly #chain: ChannelChain;
  readonly #store: ChannelStore;
  readonly #checks: ChannelChecks;
  readonly #refunds: ChannelRefunds;
  readonly #sold: SoldCalls;

  constructor(world: ChannelWorld) {
    this.#world = world;
    this.#store = new ChannelStore(world);
    this.#chain = new ChannelChain(world, this.#store);
    this.#checks = new ChannelChecks(world, this.#store, this.#chain);
    this.#refunds = new ChannelRefunds(world, this.#store, this.#chain, this.#checks);
    this.#sold = new SoldCalls(world.kv);
  }

  /**
   * Reserves the channel for a call, for `leaseMs` milliseconds. While another call uses the channel, waits until
   * `until` (Unix milliseconds). Looks up the idempotency key and the voucher first, so that a repeated call finds its
   * result.
   */
  async reserve(call: ChannelCall, leaseMs: number, until: number): Promise<Reservation> {
    for (;;) {
      const sold = this.#soldTo(call);
      if (sold && (await this.#isDeliverable(sold))) return this.#known(sold, call);
      // No await may separate the lookup, this check and the reservation. Otherwise another call could sell the voucher
      // in between, or both calls could find the channel free.
      const blocked = this.#store.blocked(until);
      if (!blocked) return this.#reserveFree(call, leaseMs);
      if (blocked.waitMs <= 0) return { status: blocked.status };
      await this.#store.changed(blocked.waitMs);
    }
  }

  /** Returns the earlier sale under the call's idempotency key or voucher. */
  #soldTo({ payment: { type, voucher, deposit }, keyHash }: ChannelCall): SoldCall | undefined {
    if (type === "refund") return undefined;
    const byKey = keyHash === undefined ? undefined : this.#sold.byKey(keyHash);
    const sold = byKey ?? this.#sold.byVoucher(voucher.max);
    // A call with a new deposit gets no earlier sale here. The client already counts the deposit as part of its
    // balance, so the deposit must reach the chain first. The commit then finds the earlier sale.
    return deposit && deposit.signature !== sold?.depositSignature ? undefined : sold;
  }

  #known(sold: SoldCall, { payment: { voucher }, keyHash }: ChannelCall): Reservation {
    const record = this.#store.load()!;
    const isKey = keyHash !== undefined && this.#sold.byKey(keyHash)?.max === sold.max;
    const current: ChannelReceipt = {
      transaction: "",
      amount: "",
      extra: { chargedAmount: "0", channelState: stateExtraOf(record) },
    };
    const isProven = isKey || BigInt(voucher.max) > BigInt(record.exposedMax);
    return { status: "known", sold, isKey, isProven, current };
  }

  async #isDeliverable({ work }: SoldCall): Promise<boolean> {
    return work.expiresAt > this.#world.now() && (await this.#world.isAvailable(work.output));
  }

  async #reserveFree(call: ChannelCall, leaseMs: number): Promise<Reservation> {
    const { payment, requestId, facilitators } = call;
    const { voucher, requirements, channelId, chain, config } = payment;
    const now = this.#world.now();
    const price = BigInt(requirements.amount);
    const known = this.#store.load();
    if (!known && BigInt(voucher.max) < price)
      return { status: "refused", reason: `${CODE}_cumulative_below_claimed: sign a voucher for at least ${price}` };
    const before: ChannelRecord = known ?? {
      ...{ channelId, chain, config, requirements, facilitators },
      charged: String(BigInt(voucher.max) - price), // an unverified value from the payer, which the chain must confirm
      signedMax: voucher.max,
      signature: voucher.signature,
      snapshot: { balance: "0", totalClaimed: "0", withdrawRequestedAt: 0, refundNonce: "0" },
      ...{ syncedAt: 0, lastCallAt: 0, exposedMax: "0", claimsBooked: "0" },
    };
    const record = { ...before, requirements, facilitators };
    if (BigInt(voucher.max) !== BigInt(record.charged) + price) return this.#checks.mismatch(record);

    // If an earlier call was not charged, its voucher is unused, but its deposit may be on the chain. A repetition of
    // this call then needs no second deposit.
    const deposited = record.deposited?.signature === payment.deposit?.signature ? record.deposited : undefined;
    const deposit = deposited ? undefined : payment.deposit;
    const request = channelRequest(deposited ? withoutDeposit(payment.payload) : payment.payload, requirements);
    const pending: Pending = {
      ...{ id: crypto.randomUUID(), requestId, until: now + leaseMs },
      ...{ max: voucher.max, signature: voucher.signature, price: requirements.amount },
      ...(deposit && { deposit: { ...deposit, request } }),
      ...(deposited && { deposited }),
    };
    this.#store.save({ ...record, pending });
    const mustAsk =
      deposit ||
      config.payerAuthorizer === ZERO_ADDRESS ||
      !isFresh(record, now) ||
      record.snapshot.withdrawRequestedAt ||
      // asks for the balance if the voucher exceeds it, because the payer may have made a deposit outside this service
      BigInt(voucher.max) > BigInt(record.snapshot.balance);
    const refusal = (mustAsk ? await this.#checks.ask(record, request) : undefined) ?? this.#checks.refusalOf(pending);
    if (!refusal) return { status: "reserved", id: pending.id };
    const correction =
      refusal.status === "refused" ? this.#checks.balanceCorrection(pending, refusal.reason) : undefined;
    this.#store.free(pending.id);
    return correction ?? refusal;
  }

  /**
   * Returns the channel's record and the claimable amounts, for the operator. Returns undefined if the channel has no
   * record.
   */
  async view(): Promise<ChannelView | undefined> {
    const record = this.#store.load();
    return record && { record, claims: claimsOf(record) };
  }

  /**
   * Returns the result that a voucher has bought. Returns undefined if the voucher has bought nothing or the download
   * link no longer works.
   */
  async purchase(max: string): Promise<Purchase | undefined> {
    const sold = this.#sold.byVoucher(max);
    if (!sold || !(await this.#isDeliverable(sold))) return undefined;
    const { work, requestId, soldAt: settledAt, receipt } = sold;
    const { value, expiresAt } = work;
    return {
      value,
      requestId,
      settledAt,
      expiresAt,
      transaction: receipt.transaction,
      network: this.#store.load()!.chain.caip2,
    };
  }

  /**
   * Returns the last voucher and the channel's state. A call needs them if its voucher has already paid for another
   * request.
   */
  async correction(): Promise<Correction | undefined> {
    const record = this.#store.load();
    return record && this.#checks.mismatch(record).correction;
  }

  /**
   * Ends a reservation without a charge, so that its voucher can be used again. Does nothing if a deposit is already
   * being sent to the chain.
   */
  async release(id: string): Promise<void> {
    if (!this.#store.load()?.pending?.settling) this.#store.free(id);
  }

  /**
   * Charges a finished call, in one storage transaction. Sends the call's deposit to the chain first. If an earlier
   * call has bought the same content, charges nothing. If the call is not charged, deletes the call's output.
   */
  async commit(id: string, sale: FinishedCall): Promise<Commit> {
    try {
      return await this.#commit(id, sale);
    } catch (error) {
      const pending = this.#store.load()?.pending;
      if (pending?.id === id && !pending.settling) {
        this.#store.free(id);
        await this.#world.deleteOutput(sale.work.output);
      }
      throw error;
    }
  }

  async #commit(id: string, sale: FinishedCall): Promise<Commit> {
    const earlier = sale.keyHash === undefined ? undefined : await this.#earlier(sale);
    const isReused = earlier !== undefined && earlier.fingerprint !== sale.fingerprint;
    const record = this.#store.load();
    const pending = record?.pending;
    if (isReused || !pending || pending.id !== id) {
      this.#store.free(id);
      await this.#world.deleteOutput(sale.work.output);
      return { status: isReused ? "reused" : "lost" };
    }
    if (!pending.deposit) return this.#sell(record, pending, sale, pending.deposited);
    const settling = { type: "deposit" as const, sale, attempts: 0, nextAt: this.#world.now() };
    return this.#settleDeposit({ ...record, pending: { ...pending, settling } });
  }

  /** Sells a finished call. @param deposited the deposit that came with the voucher, once it is on the chain */
  async #sell(
    record: ChannelRecord,
    pending: Pending,
    sale: FinishedCall,
    deposited: Deposited | undefined,
  ): Promise<Commit> {
    const earlier = await this.#earlier(sale);
    const isRepeat = earlier !== undefined;
    const now = this.#world.now();
    const { pending: current, ...free } = this.#store.load() ?? record;
    if (current?.id !== pending.id) return { status: "lost" };
    const next: ChannelRecord = {
      ...free,
      // The voucher of a repeated call stays unused. It is not stored, because a corrective 402 would show it to other
      // callers.
      ...(!isRepeat && {
        ...{ charged: pending.max, signedMax: pending.max, signature: pending.signature },
        unclaimedSince: free.unclaimedSince ?? now,
      }),
      lastCallAt: now,
      uncopied: { attempts: 0, nextAt: now + COPY_AFTER_MS },
      unbooked: { attempts: 0, nextAt: now + COPY_AFTER_MS },
      cleanAt: Math.min(free.cleanAt ?? Number.POSITIVE_INFINITY, sale.work.expiresAt),
    };
    const receipt: ChannelReceipt = {
      ...{ transaction: deposited?.transaction ?? "", amount: deposited?.amount ?? "" },
      extra: { chargedAmount: isRepeat ? "0" : pending.price, channelState: stateExtraOf(next) },
    };
    const sold: SoldCall = isRepeat
      ? earlier
      : { ...sale, max: pending.max, depositSignature: deposited?.signature, soldAt: now, receipt };
    if (!isRepeat) {
      this.#sold.add(sold);
      const booking: ChannelBooking = {
        ...{ type: "sale", cumulative: pending.max, amount: pending.price },
        ...{ at: now, requestId: sale.requestId, expiresAt: sale.work.expiresAt },
      };
      this.#world.kv.put(`book:sale:${pending.max}`, booking);
    }
    this.#store.save(next);
    if (isRepeat) await this.#world.deleteOutput(sale.work.output);
    return { status: "sold", sold, receipt, isRepeat };
  }

  /**
   * Returns the earlier sale with the idempotency key of a finished call. If the finished call has no key, returns a
   * recent sale of the same content. Returns undefined if the result of that sale can no longer be delivered.
   */
  async #earlier({ keyHash, digest }: FinishedCall): Promise<SoldCall | undefined> {
    const byDigest = () => {
      const found = digest === undefined ? undefined : this.#sold.byDigest(digest);
      return found && this.#world.now() < found.soldAt + REPEAT_MS ? found : undefined;
    };
    const found = keyHash === undefined ? byDigest() : this.#sold.byKey(keyHash);
    return found && (await this.#isDeliverable(found)) ? found : undefined;
  }

  async #settleDeposit(record: ChannelRecord): Promise<Commit> {
    const { pending } = record;
    if (!pending?.deposit || pending.settling?.type !== "deposit") return { status: "lost" };
    const { deposit, settling } = pending;
    this.#chain.beginAttempt(record);
    const enough = (snapshot: ChannelSnapshot) => BigInt(snapshot.balance) >= BigInt(pending.max);
    const end = Number(deposit.validBefore) * 1000;
    const outcome = await this.#chain.transact(record, deposit.request, settling, enough, end);
    // a parallel attempt has already ended this reservation
    if (this.#store.load()?.pending?.id !== pending.id) return { status: "lost" };
    if (outcome.status === "unsure") return this.#chain.retryLater();
    if (outcome.status === "failed") {
      // frees the channel before the output is deleted, because a parallel attempt must not sell a deleted output
      this.#store.free(pending.id);
      await this.#world.deleteOutput(settling.sale.work.output);
      return { status: "refused", reason: outcome.reason };
    }
    const snapshot = outcome.snapshot ?? depositedIn(record.snapshot, deposit.amount);
    const { signature, amount } = deposit;
    const { transaction } = outcome;
    const deposited: Deposited = { signature, transaction, amount };
    const synced = { ...this.#chain.synced(this.#store.load()!, snapshot, ""), deposited };
    this.#store.save(synced);
    this.#chain.report(synced, { outcome: "deposited", amount, transaction });
    return this.#sell(synced, pending, settling.sale, deposited);
  }

  /**
   * Claims the charged amounts, and pays the balance back to the payer. Waits until `until` (Unix milliseconds) while a
   * call is in progress.
   */
  refund(call: ChannelCall, until: number): Promise<RefundOutcome> {
    return this.#refunds.refund(call, until);
  }

  /**
   * Handles the alarm of the channel's object. Continues a deposit or a refund, claims amounts, watches for
   * withdrawals, books sales, and deletes expired results.
   */
  async alarm(): Promise<void> {
    const record = this.#store.load();
    if (!record) return;
    const now = this.#world.now();
    const { settling } = record.pending ?? {};
    if (settling && settling.nextAt <= now) {
      if (settling.type === "deposit") await this.#settleDeposit(record);
      else await this.#refunds.settle(record);
    }
    await this.#chain.chores(this.#sold);
  }
}

function depositedIn(snapshot: ChannelSnapshot, amount: string): ChannelSnapshot {
  return { ...snapshot, balance: String(BigInt(snapshot.balance) + BigInt(amount)) };
}

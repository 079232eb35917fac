import type { ChannelFacilitator, ChannelVerdict } from "../facilitators/channelFacilitator.ts";
import { backoffMs } from "../ledger/record.ts";
import { channelRequest } from "../wire/channelPayload.ts";
import { type ChannelSnapshot, claimHash, refundHash } from "../wire/channelTypes.ts";
import type { ChannelEvent } from "../wire/events.ts";
import {
  type ChannelBooking,
  type ChannelRecord,
  channelNameOf,
  claimDueAt,
  claimsOf,
  listingOf,
  outstandingOf,
  type Retry,
  watchDueAt,
} from "./channelRecord.ts";
import type { ChannelStore } from "./channelStore.ts";
import type { ChannelWorld } from "./channelWorld.ts";
import type { SoldCalls } from "./soldCalls.ts";

/** The outcome of an attempt to send a transaction and to find its effect on the chain. */
export type TransactionOutcome =
  | { status: "done"; transaction: string; snapshot: ChannelSnapshot | undefined }
  | ({ status: "unsure" } & Seen)
  | ({ status: "failed"; reason: string } & Seen);

/** The channel's state after the attempt. Undefined if neither the node nor a facilitator could read the state. */
interface Seen {
  snapshot: ChannelSnapshot | undefined;
}

/** Maximum number of daybook entries per alarm. */
const MAX_BOOKINGS = 100;
const NOTHING_TO_SETTLE = /nothing_to_settle/;

/** Reads a payment channel from the chain, and sends the channel's transactions through facilitators. */
export class ChannelChain {
  readonly #world: ChannelWorld;
  readonly #store: ChannelStore;

  constructor(world: ChannelWorld, store: ChannelStore) {
    this.#world = world;
    this.#store = store;
  }

  /** Asks the facilitators about a payload, one after the other, until one gives a verdict. */
  async verdict(record: ChannelRecord, request: string): Promise<ChannelVerdict> {
    for (const name of record.facilitators) {
      const verdict = await this.#facilitator(name, record).verify(request);
      if (verdict.outcome !== "unknown") return verdict;
    }
    return { outcome: "unknown" };
  }

  /** Returns the channel's state on the chain. Returns undefined if the state cannot be read. */
  async read(record: ChannelRecord): Promise<ChannelSnapshot | undefined> {
    const read = await this.#world.readChain(record);
    if (read) return read;
    const { config, channelId, signedMax, signature, requirements, pending } = record;
    const voucher = {
      channelId,
      maxClaimableAmount: pending?.max ?? signedMax,
      signature: pending?.signature ?? signature,
    };
    // sends a refund payload, because a facilitator accepts it even if the voucher's whole amount is already claimed
    const payload = { type: "refund", channelConfig: config, voucher };
    const verdict = await this.verdict(record, channelRequest(payload, requirements));
    return verdict.outcome === "valid" ? verdict.snapshot : undefined;
  }

  /**
   * Sends a transaction, unless the chain already shows its effect. Every transaction of a channel can safely be sent
   * again: the chain accepts the nonces of deposits and refunds only once, and claims are cumulative.
   * @param isDone returns whether a state of the channel shows the effect
   * @param ends time after which the chain no longer accepts the transaction
   * @param arrivesUntil time until which the transaction of an earlier attempt may still arrive and do harm; 0 if a
   * late arrival is harmless
   */
  async transact(
    record: ChannelRecord,
    request: string,
    { attempts }: Retry,
    isDone: (snapshot: ChannelSnapshot) => boolean,
    ends: number | undefined,
    arrivesUntil = 0,
  ): Promise<TransactionOutcome> {
    const before = attempts > 0 ? await this.read(record) : undefined;
    if (before && isDone(before)) return { status: "done", transaction: "", snapshot: before };
    const { facilitators } = record;
    const sent = await this.#facilitator(facilitators[attempts % facilitators.length]!, record).settle(request);
    if (sent.outcome === "sent") return { status: "done", transaction: sent.transaction, snapshot: sent.snapshot };
    const snapshot = await this.read(record);
    if (snapshot && isDone(snapshot)) return { status: "done", transaction: "", snapshot };
    const now = this.#world.now();
    // A rejection is not conclusive after an earlier attempt. The chain may have rejected the repetition because the
    // earlier transaction has arrived. The earlier transaction may also still arrive.
    const mayArrive = attempts > 0 && (snapshot === undefined || now < arrivesUntil);
    if (!sent.isUnsure && !mayArrive) return { status: "failed", reason: sent.reason, snapshot };
    if (now < (ends ?? Number.POSITIVE_INFINITY)) return { status: "unsure", snapshot };
    const reason = "deposit_expired: the chain did not show the deposit in time. Sign another one";
    return { status: "failed", reason, snapshot };
  }

  /**
   * Counts an attempt before it begins. If the Durable Object stops during the attempt, the alarm makes the next
   * attempt.
   */
  beginAttempt(record: ChannelRecord): void {
    const { pending } = record;
    if (!pending?.settling) return;
    const attempts = pending.settling.attempts + 1;
    const nextAt = this.#world.now() + this.#world.settleTimeoutMs;
    this.#store.save({ ...record, pending: { ...pending, settling: { ...pending.settling, attempts, nextAt } } });
  }

  /** Plans the next attempt of a transaction whose outcome is unknown. */
  retryLater(): { status: "settling" } {
    const record = this.#store.load()!;
    const { pending } = record;
    if (pending?.settling) {
      const nextAt = this.#world.now() + backoffMs(pending.settling.attempts);
      this.#store.save({ ...record, pending: { ...pending, settling: { ...pending.settling, nextAt } } });
    }
    return { status: "settling" };
  }

  /**
   * Returns the body of a request to the facilitator's `/settle` that claims the charged amounts and refunds `amount`.
   */
  async refundRequest(record: ChannelRecord, payload: object, amount: string): Promise<string> {
    const { channelId, chain, requirements, snapshot } = record;
    const claims = claimsOf(record);
    const { refundNonce } = snapshot;
    const refundAuthorizerSignature = await this.#world.sign(refundHash(channelId, refundNonce, amount, chain.chainId));
    const signed = claims.length > 0 && {
      claimAuthorizerSignature: await this.#world.sign(claimHash(claims, chain.chainId)),
    };
    return channelRequest(
      { ...payload, amount, refundNonce, claims, refundAuthorizerSignature, ...signed },
      requirements,
    );
  }

  /** Returns the retry state with one more attempt, and with the time of the next attempt. */
  nextTry<R extends Retry>(retry: R): R {
    const attempts = retry.attempts + 1;
    return { ...retry, attempts, nextAt: this.#world.now() + backoffMs(attempts) };
  }

  /**
   * Returns the record with the channel's new state on the chain. Books claims that the daybooks lack, and schedules a
   * transfer of the claimed money to the seller.
   * @param transaction hash of the claim's transaction; empty if unknown
   */
  synced(record: ChannelRecord, snapshot: ChannelSnapshot, transaction: string): ChannelRecord {
    const now = this.#world.now();
    const { claim, unclaimedSince, ...rest } = { ...record, snapshot, syncedAt: now };
    const isOpen = outstandingOf(rest) > 0n;
    const amount = BigInt(snapshot.totalClaimed) - BigInt(record.claimsBooked);
    if (amount <= 0n)
      return { ...rest, ...(isOpen && claim && { claim }), ...(isOpen && { unclaimedSince: unclaimedSince ?? now }) };
    const cumulative = snapshot.totalClaimed;
    const booking: ChannelBooking = { type: "claim", cumulative, amount: String(amount), transaction, at: now };
    this.#world.kv.put(`book:claim:${cumulative}`, booking);
    return {
      ...rest,
      ...(isOpen && { unclaimedSince: now }),
      claimsBooked: cumulative,
      sweep: { attempts: 0, nextAt: now },
      unbooked: { attempts: 0, nextAt: now },
    };
  }

  /**
   * Runs the tasks that are due: read the chain, claim, transfer, book, copy the record, update the list of open
   * channels, and delete expired results.
   */
  async chores(sold: SoldCalls): Promise<void> {
    const world = this.#world;
    const isDue = (at: number | undefined) => at !== undefined && at <= world.now();
    let record = this.#store.load();
    if (!record) return;
    if (isDue(watchDueAt(record))) await this.#watch(record);
    record = this.#store.load()!;
    if (isDue(claimDueAt(record))) await this.#claim(record);
    record = this.#store.load()!;
    if (record.sweep && isDue(record.sweep.nextAt)) await this.#sweep(record);
    record = this.#store.load()!;
    if (record.unbooked && isDue(record.unbooked.nextAt)) await this.#book(record, record.unbooked);
    record = this.#store.load()!;
    if (record.uncopied && isDue(record.uncopied.nextAt)) await this.#copy(record, record.uncopied);
    record = this.#store.load()!;
    if (isDue(record.cleanAt)) {
      const { cleanAt: _, ...rest } = record;
      const cleanAt = sold.deleteExpired(world.now());
      this.#store.save({ ...rest, ...(cleanAt !== undefined && { cleanAt }) });
    }
    await this.#list();
  }

  /** Reads the chain to detect that the payer has requested a withdrawal. */
  async #watch(record: ChannelRecord): Promise<void> {
    const { withdrawRequestedAt: known } = record.snapshot;
    const snapshot = await this.read(record);
    const current = this.#store.load()!;
    if (!snapshot)
      return this.#store.save({ ...current, watch: this.nextTry(record.watch ?? { attempts: 0, nextAt: 0 }) });
    const { watch: _, ...rest } = current;
    this.#store.save(this.synced(rest, snapshot, ""));
    if (snapshot.withdrawRequestedAt > 0 && known === 0) this.report(current, { outcome: "withdrawal" });
  }

  async #claim(record: ChannelRecord): Promise<void> {
    const world = this.#world;
    const claim = record.claim ?? { attempts: 0, nextAt: 0 };
    const { chain } = record;
    // saves the record before the request, because the voucher may become public even if the answer is lost
    this.#store.save({ ...record, claim: this.nextTry(claim), exposedMax: record.signedMax });
    const claims = claimsOf(record);
    const claimed = claims[0]!.totalClaimed;
    const claimAuthorizerSignature = await world.sign(claimHash(claims, chain.chainId));
    const request = bareRequest(record, { type: "claim", claims, claimAuthorizerSignature });
    const isDone = ({ totalClaimed }: ChannelSnapshot) => BigInt(totalClaimed) >= BigInt(claimed);
    const outcome = await this.transact(record, request, claim, isDone, undefined);
    const current = this.#store.load()!;
    if (outcome.status !== "done") {
      // saves the new state, because the next attempt must claim less if the balance is lower than the record says
      if (outcome.snapshot) this.#store.save(this.synced(current, outcome.snapshot, ""));
      const reason = outcome.status === "failed" ? outcome.reason : "no answer";
      return this.report(current, { outcome: "claim_failed", amount: String(outstandingOf(record)), reason });
    }
    const { transaction } = outcome;
    const snapshot = outcome.snapshot ?? { ...current.snapshot, totalClaimed: claimed };
    this.#store.save(this.synced(current, snapshot, transaction));
    this.report(current, { outcome: "claimed", amount: String(outstandingOf(record)), transaction });
  }

  /**
   * Sends the transaction that transfers claimed amounts to the seller. The transaction covers all channels of the
   * seller in this token.
   */
  async #sweep(record: ChannelRecord): Promise<void> {
    const { attempts } = record.sweep!;
    this.#store.save({ ...record, sweep: this.nextTry(record.sweep!) });
    const { receiver, token } = record.config;
    const request = bareRequest(record, { type: "settle", receiver, token });
    const { facilitators } = record;
    const sent = await this.#facilitator(facilitators[attempts % facilitators.length]!, record).settle(request);
    const { sweep: _, ...current } = this.#store.load()!;
    if (sent.outcome === "failed" && !NOTHING_TO_SETTLE.test(sent.reason)) return;
    if (sent.outcome === "sent" && sent.amount !== "" && sent.amount !== "0") {
      const now = this.#world.now();
      const { transaction, amount } = sent;
      const booking: ChannelBooking = { type: "transfer", amount, transaction, at: now };
      this.#world.kv.put(`book:transfer:${transaction}`, booking);
      this.#store.save({ ...current, unbooked: { attempts: 0, nextAt: now } });
      this.report(current, { outcome: "transferred", amount, transaction });
    } else this.#store.save(current);
  }

  async #book(record: ChannelRecord, retry: Retry): Promise<void> {
    const waiting = [...this.#world.kv.list<ChannelBooking>({ prefix: "book:", limit: MAX_BOOKINGS })];
    const booked = await Promise.all(
      waiting.map(async ([name, booking]) => {
        const isBooked = await this.#world.book(record, booking);
        if (isBooked) this.#world.kv.delete(name);
        return isBooked;
      }),
    );
    const { unbooked: _, ...current } = this.#store.load()!;
    const [left] = this.#world.kv.list({ prefix: "book:", limit: 1 });
    if (!left) return this.#store.save(current);
    const now = this.#world.now();
    this.#store.save({
      ...current,
      unbooked: booked.every(Boolean) ? { attempts: 0, nextAt: now } : this.nextTry(retry),
    });
  }

  async #copy(record: ChannelRecord, retry: Retry): Promise<void> {
    const isCopied = await this.#world.copy(record);
    const { uncopied: _, ...current } = this.#store.load()!;
    const isSame = current.signedMax === record.signedMax;
    if (isCopied && isSame) this.#store.save(current);
    else this.#store.save({ ...current, uncopied: this.nextTry(isCopied ? { attempts: 0, nextAt: 0 } : retry) });
  }

  async #list(): Promise<void> {
    const record = this.#store.load()!;
    const entry = listingOf(record);
    // saves the record even without a change, because saving sets the next alarm
    if (entry === record.listed && !record.unlisted) return this.#store.save(record);
    // saves the retry state before the request, because the answer may be lost
    this.#store.save({ ...record, unlisted: this.nextTry(record.unlisted ?? { attempts: 0, nextAt: 0 }) });
    if (!(await this.#world.list(record, entry))) return;
    const { listed: _listed, unlisted: _unlisted, ...current } = this.#store.load()!;
    this.#store.save({ ...current, ...(entry !== undefined && { listed: entry }) });
  }

  #facilitator(name: string, { pending, channelId }: ChannelRecord): ChannelFacilitator {
    return this.#world.facilitator(name, pending?.requestId ?? channelId);
  }

  /** Logs an event of the channel. */
  report(
    { chain, channelId, config }: ChannelRecord,
    what: Pick<ChannelEvent, "outcome" | "amount" | "transaction" | "reason">,
  ): void {
    const channel = channelNameOf(chain.caip2, channelId);
    this.#world.log({ event: "channel", channel, network: chain.name, payer: config.payer, ...what });
  }
}

/** Returns the body of a seller's request to a facilitator's `/settle`. The amount in such a request is 0. */
function bareRequest({ chain, requirements }: ChannelRecord, payload: object): string {
  const terms = {
    scheme: requirements.scheme,
    network: chain.caip2,
    asset: chain.asset,
    amount: "0",
    payTo: requirements.payTo,
    maxTimeoutSeconds: 0,
    extra: {},
  };
  const paymentPayload = { x402Version: 2, accepted: terms, payload };
  return JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: terms });
}

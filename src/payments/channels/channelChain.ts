import type { ChannelFacilitator, ChannelVerdict } from "../facilitators/channelFacilitator.ts";
import { backoffMs } from "../ledger/record.ts";
import { channelRequest } from "../wire/channelPayload.ts";
import { type ChannelSnapshot, claimHash, type Hex, refundHash } from "../wire/channelTypes.ts";
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
import type { ChannelStorage, SoldCalls } from "./soldCalls.ts";

/** The dependencies of a channel. Times are Unix milliseconds. */
export interface ChannelWorld {
  kv: ChannelStorage;
  load(): ChannelRecord | undefined;
  /** Stores the record, and sets the alarm to `channelAlarmAt`. */
  save(record: ChannelRecord): void;
  /** Deletes everything, with the alarm. */
  clear(): void;
  /** Returns the client of a facilitator. */
  facilitator(name: string, requestId: string): ChannelFacilitator;
  /** Reads the channel through a node of its chain. Resolves to undefined without a node. Never throws. */
  readChain(record: ChannelRecord): Promise<ChannelSnapshot | undefined>;
  /** Signs a hash with CHANNEL_KEY. */
  sign(hash: Hex): Promise<Hex>;
  /** Returns whether an output can still be delivered. */
  isAvailable(output: string): Promise<boolean>;
  /** Deletes an output that will never be delivered. Never throws. */
  deleteOutput(output: string): Promise<void>;
  /** Enters a sale or a claim in its day's daybook. A repeated entry has no effect. Never throws. */
  book(record: ChannelRecord, booking: ChannelBooking): Promise<boolean>;
  /** Copies the last voucher to other storage. Returns whether it is copied. Never throws. */
  copy(record: ChannelRecord): Promise<boolean>;
  /** Replaces the channel's entry in the list of open channels. Never throws. */
  list(record: ChannelRecord, entry: string | undefined): Promise<boolean>;
  /** Upper bound for one transaction and the readings of the chain around it, in milliseconds. */
  settleTimeoutMs: number;
  now(): number;
  sleep(ms: number): Promise<void>;
  log(event: ChannelEvent): void;
}

/** The outcome of an attempt to send a transaction and to find it on the chain. */
export type TransactionOutcome =
  | { status: "done"; transaction: string; snapshot: ChannelSnapshot | undefined }
  | { status: "unsure" }
  | { status: "failed"; reason: string };

/** Maximum number of daybook entries per alarm. */
const MAX_BOOKINGS = 100;
const NOTHING_TO_SETTLE = /nothing_to_settle/;

/** Reads a channel on the chain and sends its transactions, through facilitators. */
export class ChannelChain {
  readonly #world: ChannelWorld;
  readonly #changed: () => void;

  /** @param changed called after each change of the record */
  constructor(world: ChannelWorld, changed: () => void) {
    this.#world = world;
    this.#changed = changed;
  }

  /** Asks the facilitators about a payload, one after the other, until one gives a verdict. */
  async verdict(record: ChannelRecord, request: string): Promise<ChannelVerdict> {
    for (const name of record.facilitators) {
      const verdict = await this.#facilitator(name, record).verify(request);
      if (verdict.outcome !== "unknown") return verdict;
    }
    return { outcome: "unknown" };
  }

  /** Returns the channel on the chain; undefined if it cannot be read. */
  async read(record: ChannelRecord): Promise<ChannelSnapshot | undefined> {
    const read = await this.#world.readChain(record);
    if (read) return read;
    const { config, channelId, signedMax, signature, requirements, pending } = record;
    const voucher = {
      channelId,
      maxClaimableAmount: pending?.max ?? signedMax,
      signature: pending?.signature ?? signature,
    };
    // A facilitator accepts a refund's voucher even if all of it is claimed already.
    const payload = { type: "refund", channelConfig: config, voucher };
    const verdict = await this.verdict(record, channelRequest(payload, requirements));
    return verdict.outcome === "valid" ? verdict.snapshot : undefined;
  }

  /**
   * Sends a transaction, unless the chain already shows its effect. Every transaction of a channel can be sent again: the
   * chain accepts the nonces of deposits and refunds once, and claims are cumulative.
   * @param isDone whether the chain shows the effect
   * @param ends the time after which the chain no longer accepts the transaction
   */
  async transact(
    record: ChannelRecord,
    request: string,
    { attempts }: Retry,
    isDone: (snapshot: ChannelSnapshot) => boolean,
    ends: number | undefined,
  ): Promise<TransactionOutcome> {
    const read = async () => {
      const snapshot = await this.read(record);
      return snapshot && isDone(snapshot) ? ({ status: "done", transaction: "", snapshot } as const) : undefined;
    };
    const before = attempts > 0 ? await read() : undefined;
    if (before) return before;
    const { facilitators } = record;
    const sent = await this.#facilitator(facilitators[attempts % facilitators.length]!, record).settle(request);
    if (sent.outcome === "sent") return { status: "done", transaction: sent.transaction, snapshot: sent.snapshot };
    const after = await read();
    if (after) return after;
    const mayArrive = sent.isUnsure && this.#world.now() < (ends ?? Number.POSITIVE_INFINITY);
    return mayArrive ? { status: "unsure" } : { status: "failed", reason: sent.reason };
  }

  /** Returns the body of the facilitator's `/settle` that claims what is charged and refunds `amount`. */
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

  /** Returns the retry state after a failed attempt. */
  nextTry<R extends Retry>(retry: R): R {
    const attempts = retry.attempts + 1;
    return { ...retry, attempts, nextAt: this.#world.now() + backoffMs(attempts) };
  }

  /** Returns the record after a claim: its transfer to the seller is due. Enters the claim in the books. */
  afterClaim(record: ChannelRecord, claimedBefore: string, transaction: string): ChannelRecord {
    const { claim: _claim, unclaimedSince: _since, ...rest } = record;
    const amount = BigInt(record.snapshot.totalClaimed) - BigInt(claimedBefore);
    if (amount <= 0n) return outstandingOf(record) > 0n ? record : rest;
    const now = this.#world.now();
    const booking: ChannelBooking = {
      type: "claim",
      cumulative: record.snapshot.totalClaimed,
      amount: String(amount),
      transaction,
      at: now,
    };
    this.#world.kv.put(`book:claim:${booking.cumulative}`, booking);
    const isOpen = outstandingOf(record) > 0n;
    return {
      ...rest,
      ...(isOpen && { unclaimedSince: now }),
      sweep: { attempts: 0, nextAt: now },
      unbooked: { attempts: 0, nextAt: now },
    };
  }

  /** Does what is due: reads the chain, claims, transfers, books, copies, lists, and deletes expired results. */
  async chores(sold: SoldCalls): Promise<void> {
    const world = this.#world;
    const isDue = (at: number | undefined) => at !== undefined && at <= world.now();
    let record = world.load();
    if (!record) return;
    if (isDue(watchDueAt(record))) await this.#watch(record);
    record = world.load()!;
    if (isDue(claimDueAt(record))) await this.#claim(record);
    record = world.load()!;
    if (record.sweep && isDue(record.sweep.nextAt)) await this.#sweep(record);
    record = world.load()!;
    if (record.unbooked && isDue(record.unbooked.nextAt)) await this.#book(record, record.unbooked);
    record = world.load()!;
    if (record.uncopied && isDue(record.uncopied.nextAt)) await this.#copy(record, record.uncopied);
    record = world.load()!;
    if (isDue(record.cleanAt)) {
      const { cleanAt: _, ...rest } = record;
      const cleanAt = sold.deleteExpired(world.now());
      this.#save({ ...rest, ...(cleanAt !== undefined && { cleanAt }) });
    }
    await this.#list();
  }

  /** Reads the chain to detect a withdrawal. */
  async #watch(record: ChannelRecord): Promise<void> {
    const { withdrawRequestedAt: known } = record.snapshot;
    const snapshot = await this.read(record);
    const current = this.#world.load()!;
    if (!snapshot) return this.#save({ ...current, watch: this.nextTry(record.watch ?? { attempts: 0, nextAt: 0 }) });
    const { watch: _, ...rest } = current;
    this.#save({ ...rest, snapshot, syncedAt: this.#world.now() });
    if (snapshot.withdrawRequestedAt > 0 && known === 0) this.report(current, { outcome: "withdrawal" });
  }

  async #claim(record: ChannelRecord): Promise<void> {
    const world = this.#world;
    const claim = record.claim ?? { attempts: 0, nextAt: 0 };
    const { chain } = record;
    // stored first, because the voucher may be public even if the answer is lost
    this.#save({ ...record, claim: this.nextTry(claim), exposedMax: record.signedMax });
    const claims = claimsOf(record);
    const claimed = claims[0]!.totalClaimed;
    const claimAuthorizerSignature = await world.sign(claimHash(claims, chain.chainId));
    const request = bareRequest(record, { type: "claim", claims, claimAuthorizerSignature });
    const isDone = ({ totalClaimed }: ChannelSnapshot) => BigInt(totalClaimed) >= BigInt(claimed);
    const outcome = await this.transact(record, request, claim, isDone, undefined);
    const current = world.load()!;
    if (outcome.status !== "done") {
      const reason = outcome.status === "failed" ? outcome.reason : "no answer";
      return this.report(current, { outcome: "claim_failed", amount: String(outstandingOf(record)), reason });
    }
    const { transaction } = outcome;
    const snapshot = { ...current.snapshot, totalClaimed: claimed };
    this.#save(this.afterClaim({ ...current, snapshot }, record.snapshot.totalClaimed, transaction));
    this.report(current, { outcome: "claimed", amount: String(outstandingOf(record)), transaction });
  }

  /** Transfers all claimed amounts of the seller in this token to the seller. */
  async #sweep(record: ChannelRecord): Promise<void> {
    const { attempts } = record.sweep!;
    this.#save({ ...record, sweep: this.nextTry(record.sweep!) });
    const { receiver, token } = record.config;
    const request = bareRequest(record, { type: "settle", receiver, token });
    const { facilitators } = record;
    const sent = await this.#facilitator(facilitators[attempts % facilitators.length]!, record).settle(request);
    const { sweep: _, ...current } = this.#world.load()!;
    if (sent.outcome === "failed" && !NOTHING_TO_SETTLE.test(sent.reason)) return;
    if (sent.outcome === "sent" && sent.amount !== "" && sent.amount !== "0") {
      const now = this.#world.now();
      const { transaction, amount } = sent;
      const booking: ChannelBooking = { type: "transfer", amount, transaction, at: now };
      this.#world.kv.put(`book:transfer:${transaction}`, booking);
      this.#save({ ...current, unbooked: { attempts: 0, nextAt: now } });
      this.report(current, { outcome: "transferred", amount, transaction });
    } else this.#save(current);
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
    const { unbooked: _, ...current } = this.#world.load()!;
    const [left] = this.#world.kv.list({ prefix: "book:", limit: 1 });
    if (!left) return this.#save(current);
    const now = this.#world.now();
    this.#save({ ...current, unbooked: booked.every(Boolean) ? { attempts: 0, nextAt: now } : this.nextTry(retry) });
  }

  async #copy(record: ChannelRecord, retry: Retry): Promise<void> {
    const isCopied = await this.#world.copy(record);
    const { uncopied: _, ...current } = this.#world.load()!;
    const isSame = current.signedMax === record.signedMax;
    if (isCopied && isSame) this.#save(current);
    else this.#save({ ...current, uncopied: this.nextTry(isCopied ? { attempts: 0, nextAt: 0 } : retry) });
  }

  async #list(): Promise<void> {
    const record = this.#world.load()!;
    const entry = listingOf(record);
    const isListed = entry === record.listed || (await this.#world.list(record, entry));
    const { listed: _, ...current } = this.#world.load()!;
    const listed = isListed ? entry : record.listed;
    this.#save({ ...current, ...(listed !== undefined && { listed }) });
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

  #save(record: ChannelRecord): void {
    this.#world.save(record);
    this.#changed();
  }
}

/** Returns the body of a facilitator's `/settle` for a request of the seller, which has no price. */
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

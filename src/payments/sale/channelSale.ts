/**
 * The sale of one piece of work for a voucher of a payment channel. A call runs four steps: 1. look up the idempotency
 * key and the voucher, and reserve the channel; 2. do the work; 3. commit; 4. answer. Only steps 1 and 3 call the
 * Durable Object of the channel. Step 1 runs before the request is read.
 */

import type { Commit, Reservation } from "../channels/channel.ts";
import type { Correction } from "../channels/channelChecks.ts";
import { channelNameOf, channelPaymentOf, type FinishedCall, type SoldCall } from "../channels/channelRecord.ts";
import type { ChannelCall } from "../channels/channelWorld.ts";
import type { ChannelPayment } from "../wire/channelPayload.ts";
import type { EventContext, SaleEvent } from "../wire/events.ts";
import type { Offer } from "../wire/offer.ts";
import { outcomeOf } from "./admission.ts";
import { keyReused, notSelling, orInProgress } from "./answers.ts";
import { channelReceiptFor, corrected, stoppedBy } from "./channelAnswers.ts";
import type { Sold } from "./gate.ts";
import type { RequestKey, WorkResult } from "./saleTerms.ts";

/** The terms of one sale through a payment channel. */
export interface ChannelSaleTerms extends EventContext {
  payment: ChannelPayment;
  /** The caller's idempotency key; null if the call has none. The key is valid only within the channel. */
  key: string | null;
  offer: Offer;
  /** Names of the facilitators that support the channel, in order of preference. */
  facilitators: readonly string[];
  /** Whether new calls are sold. If false, only results that are already paid for are delivered. */
  selling: boolean;
  /** Access to the Durable Objects of channels by name. */
  ledger: {
    getByName(name: string): {
      reserveChannel(call: ChannelCall, leaseMs: number, until: number): Promise<Reservation>;
      commitOnChannel(id: string, sale: FinishedCall): Promise<Commit>;
      releaseChannel(id: string): Promise<void>;
      correctChannel(): Promise<Correction | undefined>;
    };
  };
  /** Returns whether the caller has signed in as the payer. Called only if the voucher may be known to others. */
  isSignedIn(): Promise<boolean>;
  /** Name of the operation in the log. */
  operation: string;
  /** Upper bound for the time from the reservation of the channel to the commit, in milliseconds. */
  leaseMs: number;
  /** Runs a slow external step, and measures its duration for the log. */
  timed<T>(step: "verify" | "settle", act: () => Promise<T>): Promise<T>;
  /** Returns the current time in Unix milliseconds. */
  now(): number;
}

/** The request of a call, once it is read. */
export interface ChannelRequest<T> {
  /** Identifies the request by its operation and content. */
  fingerprint: string;
  /**
   * Whether calls with the same content are charged only once. False if the caller has chosen an idempotency key, or if
   * the deployment sets `DEFAULT_KEY=false`.
   */
  hasDefaultKey: boolean;
  /** Does the work. Called at most once, and only under a reservation. */
  work(defaultKey: RequestKey | undefined): Promise<WorkResult<T>>;
}

/** Maximum time for which a call waits for another call in the same channel, in milliseconds. */
const WAIT_MS = 25_000;

type Admitted = Extract<Reservation, { status: "reserved" | "known" }>;

/** Sells one piece of work through a channel. Call {@link admit} first, then {@link fulfill}. Logs one {@link SaleEvent}. */
export class ChannelSale<T> {
  readonly #terms: ChannelSaleTerms;
  readonly #name: string;
  readonly #began: number;
  readonly #event: SaleEvent;
  #admitted: Admitted | undefined;

  constructor(terms: ChannelSaleTerms) {
    const { payment, operation, requestId } = terms;
    const { chain, channelId, config, voucher, requirements } = payment;
    this.#terms = terms;
    this.#began = terms.now();
    this.#name = channelNameOf(chain.caip2, channelId);
    this.#event = {
      ...{ event: "sale", request_id: requestId, outcome: "replayed", operation },
      ...{ network: chain.name, payer: config.payer, amount: requirements.amount },
      ...{ payment: channelPaymentOf(this.#name, voucher.max), ms: 0 },
    };
  }

  /** Identifies the payment in the log and in the payer's quota. */
  get paymentName(): string {
    return this.#event.payment;
  }

  get #object() {
    return this.#terms.ledger.getByName(this.#name);
  }

  /**
   * Reserves the channel, or finds an earlier sale under the same idempotency key or voucher. Returns true if the
   * channel is reserved. The caller is then known to be the payer.
   * @throws PaymentRequired if the voucher's amount does not follow from the last voucher, or the voucher is refused
   * @throws PaymentError payment_in_progress, settlement_pending, facilitator_unavailable, not_selling, sign_in_refused
   */
  async admit(): Promise<boolean> {
    return this.#logged(async () => {
      const { payment, key, offer, facilitators, selling, requestId, leaseMs, timed } = this.#terms;
      const call = { payment, requestId, facilitators, ...(key !== null && { keyHash: await hashOf(key) }) };
      const found = await timed("verify", () =>
        orInProgress(this.#object.reserveChannel(call, leaseMs, this.#began + WAIT_MS)),
      );
      if (found.status !== "reserved" && found.status !== "known") throw stoppedBy(found, payment, offer);
      if (found.status === "known" && !found.isProven && !(await this.#terms.isSignedIn()))
        throw await this.#correction();
      this.#admitted = found;
      if (found.status === "known") return false;
      if (selling) return true;
      await this.release();
      throw notSelling();
    });
  }

  /**
   * Ends a reservation without a charge. Repeats a failed release once, because the channel stays blocked until the
   * reservation expires.
   */
  async release(): Promise<void> {
    if (this.#admitted?.status !== "reserved") return;
    const { id } = this.#admitted;
    await this.#object.releaseChannel(id).catch(() => this.#object.releaseChannel(id).catch(() => undefined));
  }

  /**
   * Does the work and charges it in the channel, or returns the result that is already paid for.
   * @throws PaymentRequired if the voucher has paid for another request, or a deposit is refused
   * @throws PaymentError idempotency_key_reused, payment_in_progress, settlement_pending
   * @throws Error thrown by the work
   */
  async fulfill(request: ChannelRequest<T>): Promise<Sold<T>> {
    const sold = await this.#logged(() =>
      this.#admitted?.status === "known" ? this.#replayed(this.#admitted, request) : this.#sold(request),
    );
    this.#log();
    return sold;
  }

  async #replayed(
    { sold, isKey, current }: Admitted & { status: "known" },
    { fingerprint }: ChannelRequest<T>,
  ): Promise<Sold<T>> {
    if (sold.fingerprint !== fingerprint) throw isKey ? keyReused() : await this.#correction();
    // A repeated voucher means that the client lost the earlier answer. The client counts a charge only when it reads
    // an answer, so it gets the earlier receipt again.
    const isLost = sold.max === this.#terms.payment.voucher.max;
    return this.#delivered(sold, isLost ? sold.receipt : current, !isLost);
  }

  async #sold({ fingerprint, hasDefaultKey, work }: ChannelRequest<T>): Promise<Sold<T>> {
    const { payment, offer, key, requestId, timed } = this.#terms;
    const id = this.#admitted?.status === "reserved" ? this.#admitted.id : "";
    const defaultKey = hasDefaultKey ? new CommittedKey() : undefined;
    const { value, output, expiresAt, facts } = await work(defaultKey).catch(async (error: unknown) => {
      await this.release();
      throw error;
    });
    Object.assign(this.#event, facts);
    const finished: FinishedCall = {
      ...{ fingerprint, requestId, digest: defaultKey?.digest },
      keyHash: key === null ? undefined : await hashOf(key),
      work: { value: JSON.stringify(value), output, expiresAt: expiresAt.getTime() },
    };
    const commit = await timed("settle", () => orInProgress(this.#object.commitOnChannel(id, finished)));
    if (commit.status !== "sold") throw stoppedBy(commit, payment, offer);
    if (!commit.isRepeat) this.#event.outcome = "sold";
    return this.#delivered(commit.sold, commit.receipt, commit.isRepeat);
  }

  #delivered(sold: SoldCall, receipt: SoldCall["receipt"], isPaidEarlier: boolean): Sold<T> {
    const { payment } = this.#terms;
    if (isPaidEarlier) this.#event.paid_by = channelPaymentOf(this.#name, sold.max);
    if (receipt.transaction !== "") this.#event.transaction = receipt.transaction;
    return {
      value: JSON.parse(sold.work.value) as T,
      receipt: channelReceiptFor(payment, receipt),
      isPaidEarlier,
      settledAt: sold.soldAt,
      paid: {
        ...{ chain: payment.chain, payer: payment.config.payer },
        reference: `${payment.channelId}:${sold.max}`,
      },
    };
  }

  /** Whether this call has reserved the channel. The caller is then known to be the payer. */
  get isReserved(): boolean {
    return this.#admitted?.status === "reserved";
  }

  /** Whether this call was charged. */
  get isSold(): boolean {
    return this.#event.outcome === "sold";
  }

  async #correction(): Promise<Error> {
    const { payment, offer } = this.#terms;
    const correction = await orInProgress(this.#object.correctChannel());
    return correction ? corrected(correction, payment, offer) : stoppedBy({ status: "busy" }, payment, offer);
  }

  async #logged<R>(step: () => Promise<R>): Promise<R> {
    try {
      return await step();
    } catch (error) {
      Object.assign(this.#event, outcomeOf(error));
      this.#log();
      throw error;
    }
  }

  #log(): void {
    const { log, now } = this.#terms;
    log({ ...this.#event, ms: now() - this.#began });
  }
}

/**
 * The default key of a call in a channel. The key is not bound during the work, because the commit itself looks for an
 * earlier call with the same content.
 */
class CommittedKey implements RequestKey {
  readonly isContested = false;
  readonly bound = Promise.resolve();
  digest: string | undefined;

  bind(digest: string): void {
    this.digest = digest;
  }
}

async function hashOf(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return new Uint8Array(digest).toHex();
}

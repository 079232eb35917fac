/**
 * Durable Object adapter of the ledger. Connects payment records, idempotency keys, purchase lists and daybooks to
 * storage and alarms.
 */
import { DurableObject } from "cloudflare:workers";
import { EVIDENCE_TIMEOUT_MS, evidenceOf } from "../chain/chain.ts";
import type { Channel, ChannelView, Commit, Reservation } from "../channels/channel.ts";
import type { Correction } from "../channels/channelChecks.ts";
import { type ChannelBackend, channelIn } from "../channels/channelObject.ts";
import type { FinishedCall, OpenChannel } from "../channels/channelRecord.ts";
import type { RefundOutcome } from "../channels/channelRefunds.ts";
import type { ChannelCall } from "../channels/channelWorld.ts";
import { facilitatorNamed } from "../facilitators/facilitators.ts";
import { paymentKey } from "../wire/paymentPayload.ts";
import { type BookedSale, Daybook, daybookOf, dayOf } from "./daybook.ts";
import { type Binding, KeyBinding, type StoredBinding } from "./keyBinding.ts";
import { LedgerEntry } from "./ledgerEntry.ts";
import { OPEN_PAYMENTS, OpenList, type OpenPayment } from "./openList.ts";
import { type ListedPayment, PurchaseList, purchasesOf } from "./purchaseList.ts";
import { type QuoteReservation, QuoteSale, type QuoteState } from "./quoteSale.ts";
import type { Call, Entry, Failure, PaymentStatus, Purchase, SettledEntry, StoredWork } from "./record.ts";
import { RECORD_VERSION, type RecordStorage, recordStorage, recordVersionOf } from "./recordStorage.ts";
import { type RecordsPage, readRecords, restoreRecords } from "./records.ts";

/**
 * Extra time on top of the facilitator timeout and the chain timeout. No settlement attempt takes longer than the sum
 * of these three times.
 */
const SETTLE_GRACE_MS = 2000;
/** Maximum number of sales without proof of settlement that a payer can get within {@link UNPROVED_PERIOD_MS}. */
const MAX_UNPROVED = 3;
const UNPROVED_PERIOD_MS = 86_400_000;
/**
 * Retry interval, in milliseconds, of an alarm that cannot run because the settings are invalid or the records are
 * newer than this build.
 */
const BLOCKED_RETRY_MS = 60_000;

/** The ledger's dependencies: facilitators, chains, the storage of outputs, the log, and the ledger's other objects. */
export interface LedgerBackend extends ChannelBackend {
  objects: {
    getByName(name: string): ReturnType<ChannelBackend["objects"]["getByName"]> & {
      allowUnproved(payment: string): Promise<boolean>;
    };
  };
}

/**
 * The ledger of payments. One class serves ten kinds of Durable Objects:
 *
 * | object, named by                  | storage keys        | contents                                       |
 * |-----------------------------------|---------------------|------------------------------------------------|
 * | a payment, `paymentKey`           | `entry`             | {@link Entry}                                  |
 * | a payer's idempotency key         | `bound`             | {@link KeyBinding}                             |
 * | the default key of a request      | `bound`             | {@link KeyBinding}                             |
 * | a payer, `payer:…`                | `trusted`           | recent payments in sales without proof         |
 * | a payer, {@link purchasesOf}      | `purchase:…`        | {@link PurchaseList}                           |
 * | a UTC day, {@link daybookOf}      | `sale:…`            | {@link Daybook}                                |
 * | a channel, `channelNameOf`        | `channel` and others | {@link Channel}                               |
 * | the deployment, `channels`        | `open:…`            | {@link OpenList}                               |
 * | the deployment, `payments`        | `open:…`            | payments being settled, as {@link OpenList}    |
 * | a quote, `quote:…`                | `quote`             | {@link QuoteSale}                              |
 *
 * Each object also stores the version of its records, see {@link recordStorage}.
 *
 * The objects themselves settle payments and book sales, so a Worker that dies leaves no sale unfinished.
 */
export abstract class PaymentLedger<Env> extends DurableObject<Env> {
  readonly #storage: RecordStorage;
  /** Created on first use, because the settings may be invalid. */
  #opened?: LedgerEntry;
  readonly #key: KeyBinding;
  readonly #purchases: PurchaseList;
  readonly #daybook: Daybook;
  readonly #openList: OpenList;
  readonly #quote: QuoteSale;
  #openedChannel?: Channel;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    const storage = recordStorage(context.storage);
    this.#storage = storage;
    this.#key = new KeyBinding({
      load: () => storage.kv.get<StoredBinding>("bound"),
      save(binding, expiresAt) {
        storage.kv.put("bound", binding);
        void storage.setAlarm(expiresAt);
      },
    });
    this.#purchases = new PurchaseList(storage);
    this.#daybook = new Daybook(storage);
    this.#openList = new OpenList(storage);
    this.#quote = new QuoteSale(storage);
  }

  /**
   * Returns the ledger's dependencies. Called once, on first use.
   * @throws Error if the settings are invalid
   */
  protected abstract backend(env: Env): LedgerBackend;

  get #entry(): LedgerEntry {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  get #channel(): Channel {
    this.#openedChannel ??= channelIn(this.#storage, this.backend(this.env));
    return this.#openedChannel;
  }

  #open(): LedgerEntry {
    const storage = this.#storage;
    const backend = this.backend(this.env);
    const { log } = backend;
    const load = () => storage.kv.get<Entry>("entry");
    /**
     * Enters the payment in the list of open payments, or removes the payment from the list. Resolves to false if the
     * list is unreachable.
     */
    const listOpen = (name: string, entry: string | undefined) =>
      backend.objects
        .getByName(OPEN_PAYMENTS)
        .listOpen(name, entry)
        .then(
          () => true,
          () => false,
        );
    /**
     * The latest request to enter the payment in the list. A removal waits for this request, because calls to the list
     * may overtake each other.
     */
    let listing: Promise<unknown> = Promise.resolve();
    const unlist = () => {
      const entry = load();
      if (entry?.state === "settling" || entry?.state === "exposed")
        void listing.then(() => listOpen(paymentKey(entry.payment), undefined));
    };
    return new LedgerEntry({
      load,
      save(entry, alarmAt) {
        if (entry.state === "burned") unlist();
        storage.kv.put("entry", entry);
        void (alarmAt === undefined ? storage.deleteAlarm() : storage.setAlarm(alarmAt));
      },
      clear() {
        unlist();
        void storage.deleteAll();
      },
      settle: ({ payment, facilitator, requestId }) =>
        facilitatorNamed(facilitator, backend, { requestId, log }).settle(payment),
      evidence({ payment, requestId }) {
        const url = backend.rpcUrls[payment.network];
        if (url === undefined) return undefined;
        return (firstAsked) => evidenceOf(payment, firstAsked, url, { requestId, log });
      },
      allowUnproved: ({ payment }) =>
        backend.objects
          .getByName(`payer:${payment.authorization.from.toLowerCase()}`)
          .allowUnproved(paymentKey(payment))
          .catch(() => false), // if the request fails, the alarm asks the payer's object again
      async addPurchase({ payment, firstAsked: at, work: { expiresAt } }) {
        const name = paymentKey(payment);
        listing = listOpen(name, JSON.stringify({ at }));
        await Promise.all([
          listing,
          backend.objects
            .getByName(purchasesOf(payment.authorization.from))
            .addPurchase({ payment: name, at, expiresAt })
            .catch(() => undefined), // ignores a failure, because the payer can still get the purchase with the idempotency key
        ]);
      },
      async bookSale(entry) {
        const booked = backend.objects.getByName(daybookOf(dayOf(entry.settledAt))).bookSale(saleOf(entry));
        const isBooked = await booked.then(
          () => true,
          () => false, // the alarm repeats a failed booking
        );
        return isBooked && listOpen(paymentKey(entry.payment), undefined);
      },
      settleTimeoutMs: backend.facilitatorTimeoutMs + EVIDENCE_TIMEOUT_MS + SETTLE_GRACE_MS,
      isAvailable: (output) => backend.isAvailable(output),
      deleteOutput: (output) => backend.deleteOutput(output),
      now: () => Date.now(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      log,
    });
  }

  /** @see LedgerEntry.waitForStatus */
  waitForStatus(fingerprint: string, until: number, isPayerProven: boolean): Promise<PaymentStatus> {
    return this.#entry.waitForStatus(fingerprint, until, isPayerProven);
  }

  /** @see LedgerEntry.claim */
  claim(call: Call, leaseMs: number, until: number): Promise<PaymentStatus> {
    return this.#entry.claim(call, leaseMs, until);
  }

  /** @see LedgerEntry.release */
  release(claim: string, failure: Failure | undefined): Promise<void> {
    return this.#entry.release(claim, failure);
  }

  /** @see LedgerEntry.invalidateClaims */
  invalidateClaims(fingerprint: string): Promise<boolean> {
    return this.#entry.invalidateClaims(fingerprint);
  }

  /** @see LedgerEntry.purchase */
  purchase(): Promise<Purchase | undefined> {
    return this.#entry.purchase();
  }

  /** @see LedgerEntry.settle */
  settle(claim: string, work: StoredWork): Promise<PaymentStatus | undefined> {
    return this.#entry.settle(claim, work);
  }

  /** @see KeyBinding.current */
  binding(): Promise<StoredBinding | undefined> {
    return this.#key.current();
  }

  /** @see KeyBinding.bind */
  bind(binding: Binding, expiresAt: number, replacedVersion: number): Promise<boolean> {
    return this.#key.bind(binding, expiresAt, replacedVersion);
  }

  /** @see PurchaseList.add */
  addPurchase(listed: ListedPayment): Promise<void> {
    return this.#purchases.add(listed);
  }

  /** @see PurchaseList.newest */
  async newestPurchases(before: string | undefined, limit: number) {
    return this.#purchases.newest(before, limit);
  }

  /** @see Daybook.enter */
  bookSale(sale: BookedSale): Promise<void> {
    return this.#daybook.enter(sale);
  }

  /** @see Daybook.page */
  async bookedSales(after: string | undefined, limit: number) {
    return this.#daybook.page(after, limit);
  }

  /** @see Channel.reserve */
  reserveChannel(call: ChannelCall, leaseMs: number, until: number): Promise<Reservation> {
    return this.#channel.reserve(call, leaseMs, until);
  }

  /** @see Channel.commit */
  commitOnChannel(id: string, sale: FinishedCall): Promise<Commit> {
    return this.#channel.commit(id, sale);
  }

  /** @see Channel.release */
  releaseChannel(id: string): Promise<void> {
    return this.#channel.release(id);
  }

  /** @see Channel.correction */
  correctChannel(): Promise<Correction | undefined> {
    return this.#channel.correction();
  }

  /** @see Channel.view */
  viewChannel(): Promise<ChannelView | undefined> {
    return this.#channel.view();
  }

  /** @see Channel.purchase */
  purchaseOnChannel(max: string): Promise<Purchase | undefined> {
    return this.#channel.purchase(max);
  }

  /** @see Channel.refund */
  refundChannel(call: ChannelCall, until: number): Promise<RefundOutcome> {
    return this.#channel.refund(call, until);
  }

  /** @see OpenList.list */
  async listOpen(name: string, entry: string | undefined): Promise<void> {
    await this.#openList.list(name, entry);
  }

  /** @see OpenList.all */
  async openChannels(limit: number): Promise<OpenChannel[]> {
    return this.#openList.all(limit);
  }

  /** @see OpenList.all */
  async openPayments(limit: number): Promise<OpenPayment[]> {
    return this.#openList.all(limit);
  }

  /** @see readRecords */
  async readRecords(after: string | undefined): Promise<string> {
    return JSON.stringify(await readRecords(this.#storage, after));
  }

  /** Restores a page of records, see {@link restoreRecords}. `page` is JSON. */
  async restoreRecords(page: string): Promise<number> {
    return restoreRecords(this.#storage, JSON.parse(page) as RecordsPage);
  }

  /** @see QuoteSale.state */
  async quoteState(): Promise<QuoteState> {
    return this.#quote.state();
  }

  /** @see QuoteSale.reserve */
  reserveQuote(payment: string, leaseMs: number, expires: number, unused?: string): Promise<QuoteReservation> {
    const now = Date.now();
    return this.#quote.reserve(payment, now + leaseMs, expires, now, unused);
  }

  /** @see QuoteSale.release */
  releaseQuote(payment: string): Promise<void> {
    return this.#quote.release(payment);
  }

  /** @see QuoteSale.finish */
  finishQuote(payment: string, value: string, expiresAt: number): Promise<void> {
    return this.#quote.finish(payment, value, expiresAt);
  }

  /** @see QuoteSale.withdraw */
  withdrawQuote(expires: number): Promise<boolean> {
    return this.#quote.withdraw(expires);
  }

  /**
   * Returns whether a payment may buy its result without proof of settlement. If so, counts the payment against the
   * limit of this object's payer.
   */
  async allowUnproved(payment: string): Promise<boolean> {
    const storage = this.#storage;
    const now = Date.now();
    const stored = storage.kv.get<[payment: string, at: number][]>("trusted");
    const recent = new Map(stored?.filter(([, at]) => now < at + UNPROVED_PERIOD_MS));
    if (recent.has(payment)) return true;
    if (recent.size >= MAX_UNPROVED) return false;
    storage.kv.put("trusted", [...recent, [payment, now]]);
    await storage.setAlarm(now + UNPROVED_PERIOD_MS);
    return true;
  }

  /**
   * Handles the alarm of any kind of object. The alarm of a payment or a channel continues its work. Every other alarm
   * clears expired data. While the settings are invalid, the alarms of payments and channels are postponed, because the
   * runtime drops an alarm that fails repeatedly. Every alarm is postponed while the records are newer than this build.
   */
  override async alarm(): Promise<void> {
    const storage = this.#storage;
    const { kv } = storage;
    const now = Date.now();
    if (recordVersionOf(this.ctx.storage) > RECORD_VERSION) await storage.setAlarm(now + BLOCKED_RETRY_MS);
    else if (kv.get("bound") !== undefined || kv.get("trusted") !== undefined) await storage.deleteAll();
    else if (
      !(await this.#openList.sweep(now)) &&
      !(await this.#purchases.sweep(now)) &&
      !(await this.#daybook.sweep(now)) &&
      !(await this.#quote.sweep(now))
    ) {
      if (!this.#areSettingsValid()) await storage.setAlarm(now + BLOCKED_RETRY_MS);
      else if (kv.get("channel") !== undefined) await this.#channel.alarm();
      else await this.#entry.alarm();
    }
  }

  #areSettingsValid(): boolean {
    try {
      return this.#entry !== undefined;
    } catch {
      return false;
    }
  }
}

function saleOf({ payment, requestId, settledAt, transaction, unproved }: SettledEntry): BookedSale {
  const { chain, authorization } = payment;
  return {
    payment: paymentKey(payment),
    requestId,
    settledAt,
    network: chain.name,
    chain: chain.caip2,
    decimals: chain.decimals,
    asset: chain.asset,
    payer: authorization.from,
    payTo: authorization.to,
    amount: authorization.value,
    transaction,
    proved: !unproved,
  };
}

/** Adapter between ledger entries and Durable Objects. */
import { DurableObject } from "cloudflare:workers";
import { EVIDENCE_TIMEOUT_MS, evidenceOf, type RpcUrls } from "../chain/chain.ts";
import { type FacilitatorSettings, facilitatorNamed } from "../facilitators/facilitators.ts";
import type { PaymentEvent } from "../wire/events.ts";
import { paymentKey } from "../wire/paymentPayload.ts";
import { type BookedSale, Daybook, daybookOf, dayOf } from "./daybook.ts";
import { type Binding, type Bound, KeyBinding } from "./keyBinding.ts";
import { LedgerEntry } from "./ledgerEntry.ts";
import { type Listed, PurchaseList } from "./purchaseList.ts";
import type { Call, Entry, Failure, PaymentStatus, Purchase, StoredWork } from "./record.ts";

/** Added to the timeouts of facilitator and chain: an attempt never takes longer than all together. */
const SETTLE_GRACE_MS = 2000;
/** How many payments of one payer are sold without proof in {@link TRUST_MS}. */
const MAX_TRUSTED = 3;
const TRUST_MS = 86_400_000;
/** For so long a payment waits for settings to be mended. */
const ASK_AGAIN_MS = 60_000;

/** What the ledger depends on: the facilitators, the chains, the storage of outputs, the log, and its other objects. */
export interface LedgerBackend extends FacilitatorSettings {
  rpcUrls: RpcUrls;
  objects: {
    getByName(name: string): {
      trust(payment: string): Promise<boolean>;
      list(listed: Listed): Promise<void>;
      book(sale: BookedSale): Promise<void>;
    };
  };
  /** Returns whether an output can still be delivered: its link can be ended early. */
  keeps(output: string): Promise<boolean>;
  /** Deletes an output that will never be delivered. Never throws. */
  discard(output: string): Promise<void>;
  log(event: PaymentEvent): void;
}

/** Returns the name of the object with the list of what a payer has bought. */
export function purchasesOf(payer: string): string {
  return `purchases:${payer.toLowerCase()}`;
}

/**
 * The ledger of payments. Each payment has a Durable Object, named by `paymentKey`, with the storage key `entry` (see
 * {@link Entry}). Each idempotency key of a payer has another, with the storage key `bound` (see {@link KeyBinding}).
 * Each payer with a payment sold without proof has one, with the storage key `trusted`, and one with a
 * {@link PurchaseList}. Each day has one with the {@link Daybook} of its sales. The objects settle payments themselves, and
 * book what they have sold, so a Worker that dies leaves nothing undone.
 */
export abstract class PaymentLedger<Env> extends DurableObject<Env> {
  #opened?: LedgerEntry;
  readonly #key: KeyBinding;
  readonly #purchases: PurchaseList;
  readonly #daybook: Daybook;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    const { storage } = context;
    this.#key = new KeyBinding({
      load: () => storage.kv.get<Bound>("bound"),
      save(bound, forgetAt) {
        storage.kv.put("bound", bound);
        void storage.setAlarm(forgetAt);
      },
    });
    this.#purchases = new PurchaseList(storage);
    this.#daybook = new Daybook(storage);
  }

  /**
   * Returns what the ledger depends on. Called once, when it is first needed.
   * @throws Error if the settings are wrong
   */
  protected abstract backend(env: Env): LedgerBackend;

  get #entry(): LedgerEntry {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  #open(): LedgerEntry {
    const { storage } = this.ctx;
    const backend = this.backend(this.env);
    const { log } = backend;
    return new LedgerEntry({
      load: () => storage.kv.get<Entry>("entry"),
      save(entry, wakeAt) {
        storage.kv.put("entry", entry);
        void (wakeAt === undefined ? storage.deleteAlarm() : storage.setAlarm(wakeAt));
      },
      clear: () => void storage.deleteAll(),
      settle: ({ payment, facilitator, requestId }) =>
        facilitatorNamed(facilitator, backend, { requestId, log }).settle(payment),
      evidence({ payment, requestId }) {
        const url = backend.rpcUrls[payment.network];
        return url === undefined ? undefined : (since) => evidenceOf(payment, since, url, { requestId, log });
      },
      trusts: ({ payment }) =>
        backend.objects
          .getByName(`payer:${payment.authorization.from.toLowerCase()}`)
          .trust(paymentKey(payment))
          .catch(() => false), // asked again later
      list: ({ payment, firstAsked: at, work: { expiresAt } }) =>
        backend.objects
          .getByName(purchasesOf(payment.authorization.from))
          .list({ payment: paymentKey(payment), at, expiresAt })
          .catch(() => undefined), // what is missing there can still be had with its key
      book: (entry) =>
        backend.objects
          .getByName(daybookOf(dayOf(entry.settledAt)))
          .book(saleOf(entry))
          .then(
            () => true,
            () => false, // the alarm tries it again
          ),
      settleTimeoutMs: backend.facilitatorTimeoutMs + EVIDENCE_TIMEOUT_MS + SETTLE_GRACE_MS,
      keeps: (output) => backend.keeps(output),
      discard: (output) => backend.discard(output),
      now: () => Date.now(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      log,
    });
  }

  /** @see LedgerEntry.waitForStatus */
  waitForStatus(fingerprint: string, until: number, proved: boolean): Promise<PaymentStatus> {
    return this.#entry.waitForStatus(fingerprint, until, proved);
  }

  /** @see LedgerEntry.claim */
  claim(call: Call, leaseMs: number, until: number): Promise<PaymentStatus> {
    return this.#entry.claim(call, leaseMs, until);
  }

  /** @see LedgerEntry.release */
  release(claim: string, failure: Failure | undefined): Promise<void> {
    return this.#entry.release(claim, failure);
  }

  /** @see LedgerEntry.abandon */
  abandon(fingerprint: string): Promise<boolean> {
    return this.#entry.abandon(fingerprint);
  }

  /** @see LedgerEntry.purchase */
  purchase(): Promise<Purchase | undefined> {
    return this.#entry.purchase();
  }

  /** @see LedgerEntry.settle */
  settle(claim: string, work: StoredWork): Promise<PaymentStatus | undefined> {
    return this.#entry.settle(claim, work);
  }

  /** @see KeyBinding.bound */
  bound(): Promise<Bound | undefined> {
    return this.#key.bound();
  }

  /** @see KeyBinding.bind */
  bind(binding: Binding, forgetAt: number, instead: number): Promise<boolean> {
    return this.#key.bind(binding, forgetAt, instead);
  }

  /** @see PurchaseList.add */
  list(listed: Listed): Promise<void> {
    return this.#purchases.add(listed);
  }

  /** @see PurchaseList.newest */
  async listed(before: string | undefined, limit: number) {
    return this.#purchases.newest(before, limit);
  }

  /** @see Daybook.enter */
  book(sale: BookedSale): Promise<void> {
    return this.#daybook.enter(sale);
  }

  /** @see Daybook.page */
  async booked(after: string | undefined, limit: number) {
    return this.#daybook.page(after, limit);
  }

  /** Returns whether a payer's payment may be sold without proof, and remembers that it was. */
  async trust(payment: string): Promise<boolean> {
    const { storage } = this.ctx;
    const now = Date.now();
    const trusted = new Map(storage.kv.get<[string, number][]>("trusted")?.filter(([, at]) => now < at + TRUST_MS));
    if (trusted.has(payment)) return true;
    if (trusted.size >= MAX_TRUSTED) return false;
    storage.kv.put("trusted", [...trusted, [payment, now]]);
    await storage.setAlarm(now + TRUST_MS);
    return true;
  }

  /**
   * Forgets an expired key, a payer's trust or purchases, or a day's book, or runs the alarm of the payment's entry. While the
   * settings are wrong a payment waits: the runtime forgets an alarm that has failed a few times.
   */
  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage;
    const now = Date.now();
    if (kv.get("bound") !== undefined || kv.get("trusted") !== undefined) await this.ctx.storage.deleteAll();
    else if (!(await this.#purchases.sweep(now)) && !(await this.#daybook.sweep(now))) {
      if (this.#canSettle()) await this.#entry.alarm();
      else await this.ctx.storage.setAlarm(now + ASK_AGAIN_MS);
    }
  }

  #canSettle(): boolean {
    try {
      return this.#entry !== undefined;
    } catch {
      return false;
    }
  }
}

function saleOf({ payment, requestId, settledAt, transaction, unproved }: Entry & { state: "settled" }): BookedSale {
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

/** Adapter between ledger entries and Durable Objects. */
import { DurableObject } from "cloudflare:workers";
import type { PaymentEvent } from "./events.ts";
import { type FacilitatorSettings, facilitatorNamed } from "./facilitators.ts";
import { LedgerEntry } from "./ledgerEntry.ts";
import type { Call, Entry, Failure, PaymentStatus, StoredWork } from "./record.ts";

/** Added to a facilitator's timeout: settling never takes longer than both together. */
const SETTLE_GRACE_MS = 5000;

/** What the ledger depends on: the facilitators, the storage of outputs, and the log. */
export interface LedgerBackend extends FacilitatorSettings {
  /** Returns whether an output can still be delivered: its link can be ended early. */
  keeps(output: string): Promise<boolean>;
  /** Deletes an output that will never be delivered. Never throws. */
  discard(output: string): Promise<void>;
  log(event: PaymentEvent): void;
}

/**
 * The ledger of payments. Each payment has a Durable Object, named by `paymentKey`, with the storage key `entry` (see
 * {@link Entry}). Each `payment-identifier` of a payer has another, with the storage key `payment`: the key of the
 * payment that uses the identifier. The objects settle payments themselves, so a Worker that dies leaves nothing
 * undone.
 */
export abstract class PaymentLedger<Env> extends DurableObject<Env> {
  readonly #entry: LedgerEntry;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    const { storage } = context;
    const backend = this.backend(env);
    const { log } = backend;
    this.#entry = new LedgerEntry({
      load: () => storage.kv.get<Entry>("entry"),
      save(entry, wakeAt) {
        storage.kv.put("entry", entry);
        void (wakeAt === undefined ? storage.deleteAlarm() : storage.setAlarm(wakeAt));
      },
      clear: () => void storage.deleteAll(),
      settle: ({ payment, facilitator, requestId }) =>
        facilitatorNamed(facilitator, backend, { requestId, log }).settle(payment),
      settleTimeoutMs: backend.facilitatorTimeoutMs + SETTLE_GRACE_MS,
      keeps: (output) => backend.keeps(output),
      discard: (output) => backend.discard(output),
      now: () => Date.now(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      log,
    });
  }

  /** Returns what the ledger depends on. Called once, when the object starts. */
  protected abstract backend(env: Env): LedgerBackend;

  /** @see LedgerEntry.waitForStatus */
  waitForStatus(fingerprint: string, until: number): Promise<PaymentStatus> {
    return this.#entry.waitForStatus(fingerprint, until);
  }

  /** @see LedgerEntry.claim */
  claim(call: Call, leaseMs: number, until: number): Promise<PaymentStatus> {
    return this.#entry.claim(call, leaseMs, until);
  }

  /** @see LedgerEntry.release */
  release(claim: string, failure: Failure, output: string | null): Promise<void> {
    return this.#entry.release(claim, failure, output);
  }

  /** @see LedgerEntry.store */
  store(claim: string, work: StoredWork): Promise<boolean> {
    return this.#entry.store(claim, work);
  }

  /** @see LedgerEntry.settle */
  settle(claim: string, fingerprint: string): Promise<PaymentStatus> {
    return this.#entry.settle(claim, fingerprint);
  }

  /**
   * Binds an identifier to a payment until `forgetAt` (Unix milliseconds). Returns false if it belongs to another
   * payment.
   */
  async bind(payment: string, forgetAt: number): Promise<boolean> {
    const { storage } = this.ctx;
    const bound = storage.kv.get<string>("payment");
    if (bound !== undefined) return bound === payment;
    storage.kv.put("payment", payment);
    await storage.setAlarm(forgetAt);
    return true;
  }

  /** Forgets an expired identifier, or runs the alarm of the payment's entry. */
  override async alarm(): Promise<void> {
    if (this.ctx.storage.kv.get("payment") !== undefined) await this.ctx.storage.deleteAll();
    else await this.#entry.alarm();
  }
}

/** The ledger where it is kept: an adapter between its entries and Durable Objects. */
import { DurableObject } from "cloudflare:workers";
import type { PaymentEvent } from "./events.ts";
import { type FacilitatorSettings, facilitatorNamed } from "./facilitators.ts";
import { LedgerEntry } from "./ledgerEntry.ts";
import type { Call, Entry, Failure, PaymentStatus, StoredWork } from "./record.ts";

/** An answer of a facilitator takes no longer than its timeout and this. */
const SETTLE_GRACE_MS = 5000;

/** What the ledger has to be given: who settles, what becomes of outputs, where events go. */
export interface LedgerBackend extends FacilitatorSettings {
  /** Whether an output is still there to be given: its link can be ended before its time. */
  keeps(output: string): Promise<boolean>;
  /** Deletes an output that will never be given. Never throws. */
  discard(output: string): Promise<void>;
  log(event: PaymentEvent): void;
}

/**
 * The ledger of payments: a Durable Object for each, named by `paymentKey`, whose storage is the key `entry` (see
 * {@link Entry}); and one for each `payment-identifier` of a payer, whose storage is the key `payment`, the payment that
 * was made under it. The objects settle by themselves, so that a Worker that dies leaves nothing undone.
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

  /** Called once, as the object starts. */
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

  /** Gives an identifier to a payment, until `forgetAt` (Unix milliseconds). False where it is another's. */
  async bind(payment: string, forgetAt: number): Promise<boolean> {
    const { storage } = this.ctx;
    const bound = storage.kv.get<string>("payment");
    if (bound !== undefined) return bound === payment;
    storage.kv.put("payment", payment);
    await storage.setAlarm(forgetAt);
    return true;
  }

  override async alarm(): Promise<void> {
    if (this.ctx.storage.kv.get("payment") !== undefined) await this.ctx.storage.deleteAll();
    else await this.#entry.alarm();
  }
}

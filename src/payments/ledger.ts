/** Adapter between ledger entries and Durable Objects. */
import { DurableObject } from "cloudflare:workers";
import { EVIDENCE_TIMEOUT_MS, evidenceOf, type RpcUrls } from "./chain.ts";
import type { PaymentEvent } from "./events.ts";
import { type FacilitatorSettings, facilitatorNamed } from "./facilitators.ts";
import { LedgerEntry } from "./ledgerEntry.ts";
import { paymentKey } from "./paymentPayload.ts";
import type { Call, Entry, Failure, PaymentStatus, StoredWork } from "./record.ts";

/** Added to the timeouts of facilitator and chain: an attempt never takes longer than all together. */
const SETTLE_GRACE_MS = 2000;
/** How many payments of one payer are sold without proof in {@link TRUST_MS}. */
const MAX_TRUSTED = 3;
const TRUST_MS = 86_400_000;

/** What the ledger depends on: the facilitators, the chains, the storage of outputs, the log, and its other objects. */
export interface LedgerBackend extends FacilitatorSettings {
  rpcUrls: RpcUrls;
  objects: { getByName(name: string): { trust(payment: string): Promise<boolean> } };
  /** Returns whether an output can still be delivered: its link can be ended early. */
  keeps(output: string): Promise<boolean>;
  /** Deletes an output that will never be delivered. Never throws. */
  discard(output: string): Promise<void>;
  log(event: PaymentEvent): void;
}

/**
 * The ledger of payments. Each payment has a Durable Object, named by `paymentKey`, with the storage key `entry` (see
 * {@link Entry}). Each `payment-identifier` of a payer has another, with the storage key `payment`: the key of the
 * payment that uses the identifier. Each payer with a payment sold without proof has one, with the storage key
 * `trusted`. The objects settle payments themselves, so a Worker that dies leaves nothing undone.
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
      evidence({ payment, requestId }) {
        const url = backend.rpcUrls[payment.network];
        return url === undefined ? undefined : (since) => evidenceOf(payment, since, url, { requestId, log });
      },
      trusts: ({ payment }) =>
        backend.objects
          .getByName(`payer:${payment.authorization.from.toLowerCase()}`)
          .trust(paymentKey(payment))
          .catch(() => false), // asked again later
      settleTimeoutMs: backend.facilitatorTimeoutMs + EVIDENCE_TIMEOUT_MS + SETTLE_GRACE_MS,
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
  release(claim: string, failure: Failure): Promise<void> {
    return this.#entry.release(claim, failure);
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

  /** Forgets an expired identifier or a payer's trust, or runs the alarm of the payment's entry. */
  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage;
    if (kv.get("payment") !== undefined || kv.get("trusted") !== undefined) await this.ctx.storage.deleteAll();
    else await this.#entry.alarm();
  }
}

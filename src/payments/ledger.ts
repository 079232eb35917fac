import { DurableObject } from "cloudflare:workers";
import { configOf } from "../config.ts";
import { deleteResult, isAvailable } from "../storage/results.ts";
import { facilitatorNamed } from "./facilitator.ts";
import { LedgerEntry } from "./ledgerEntry.ts";
import type { Call, Entry, Failure, Standing, StoredGoods } from "./record.ts";

/**
 * The ledger of payments: a Durable Object for each, named by `paymentKey`, whose storage is the key `entry` (see
 * {@link Entry}); and one for each `payment-identifier` of a payer, whose storage is the key `payment`, the payment that
 * was made under it. The objects settle by themselves, so that a Worker that dies leaves nothing undone.
 */
export class Ledger extends DurableObject<Env> {
  readonly #entry: LedgerEntry;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    const { storage } = context;
    const config = configOf(env);
    this.#entry = new LedgerEntry({
      load: () => storage.kv.get<Entry>("entry"),
      save(entry, wakeAt) {
        storage.kv.put("entry", entry);
        void (wakeAt === undefined ? storage.deleteAlarm() : storage.setAlarm(wakeAt));
      },
      clear: () => void storage.deleteAll(),
      settle: (payment, facilitator) => facilitatorNamed(facilitator, config).settle(payment),
      settleTimeoutMs: config.facilitatorTimeoutMs + 5000,
      keeps: (output) => isAvailable(env.RESULTS, output, Date.now()),
      discard: (output) =>
        deleteResult(env.RESULTS, output).catch((error: unknown) => console.error("an output stays", output, error)),
      now: () => Date.now(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      log: (line) => console.log(JSON.stringify(line)),
    });
  }

  /** @see LedgerEntry.look */
  look(fingerprint: string, until: number): Promise<Standing> {
    return this.#entry.look(fingerprint, until);
  }

  /** @see LedgerEntry.claim */
  claim(call: Call, leaseMs: number, until: number): Promise<Standing> {
    return this.#entry.claim(call, leaseMs, until);
  }

  /** @see LedgerEntry.release */
  release(claim: string, failure: Failure, output: string | null): Promise<void> {
    return this.#entry.release(claim, failure, output);
  }

  /** @see LedgerEntry.store */
  store(claim: string, goods: StoredGoods): Promise<boolean> {
    return this.#entry.store(claim, goods);
  }

  /** @see LedgerEntry.settle */
  settle(claim: string, fingerprint: string): Promise<Standing> {
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

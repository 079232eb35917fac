import type { Evidence } from "../../src/payments/chain.ts";
import { PaymentError } from "../../src/payments/errors.ts";
import type { FacilitatorClient, Settlement, Verdict } from "../../src/payments/facilitator.ts";
import type { LedgerBook } from "../../src/payments/gate.ts";
import { LedgerEntry } from "../../src/payments/ledgerEntry.ts";
import { PaymentRequired } from "../../src/payments/offer.ts";
import type { PaymentPayload } from "../../src/payments/paymentPayload.ts";
import type { Entry } from "../../src/payments/record.ts";
import { ERRORS, OFFER, SILENT, sell } from "./payments.ts";
import { VirtualWorld } from "./virtualWorld.ts";

/**
 * The gate and the ledger's record in a world of their own: its clock, its chain, a facilitator with every fault, Workers
 * and Durable Objects that die, all drawn from one seed. What happens is written down for the model to judge.
 */

const FACILITATOR_TIMEOUT_MS = 20_000;
const never = new Promise<never>(() => {});

/**
 * What became of one run of the work: it may fail, its Worker may die, the object may die while being told of it; else the
 * ledger has its output, and deletes that only where it will never be paid for.
 */
type Fate = "running" | "failed" | "died" | "cut off" | "stored" | "deleted";

interface Run {
  request: string;
  output: string;
  fate: Fate;
}

interface Worker {
  dead: boolean;
  run: Run | undefined;
}

/** What became of the authorization on the chain, at `at`. It can be consumed once. */
interface Consumed {
  by: "us" | "another service" | "its cancellation";
  at: number;
}

/** What a schedule has led to. */
export interface History {
  /** Transfers to the seller. */
  moved: number;
  consumed: Consumed | undefined;
  /** Attempts to settle whose outcome nobody told. */
  doubts: number;
  /** A first attempt reached the facilitator twice, and the second answer was told. */
  doubled: boolean;
  /** There is a node to ask. */
  node: boolean;
  /** The payer's payments may be sold without proof. */
  trusted: boolean;
  /** Sold without proof. */
  unproved: number;
  /** Each answer a caller got: the result's value, or why there was none. `paid`: the money had moved by then. */
  answers: { request: string; outcome: string; value?: string; paid: boolean; final: boolean }[];
  runs: Run[];
  /** Runs that began while an earlier one was under way, or its output stored. */
  repeats: number;
  /** Outputs in storage. */
  kept: Set<string>;
}

export class Simulation {
  readonly history: History = {
    moved: 0,
    consumed: undefined,
    doubts: 0,
    doubled: false,
    node: false,
    trusted: false,
    unproved: 0,
    answers: [],
    runs: [],
    repeats: 0,
    kept: new Set(),
  };
  readonly #world: VirtualWorld;
  readonly #payment: PaymentPayload;
  /** No more faults and deaths. */
  #calm = false;

  // the Durable Object: what is stored, and the life that serves it
  #entry: Entry | undefined;
  #alarmAt: number | undefined;
  #life = 0;
  #record!: LedgerEntry;
  #calls = new Set<(error: Error) => void>();

  constructor(seed: number, payment: PaymentPayload) {
    this.#world = new VirtualWorld(seed);
    const validBefore = String(this.#world.now / 1000 + 600);
    this.#payment = { ...payment, authorization: { ...payment.authorization, validBefore } };
    this.history.node = this.#world.chance(0.5);
    this.history.trusted = this.#world.chance(0.7);
    this.#revive();
  }

  /** Plays the schedule: callers and faults for some minutes, then calm, then each request once more. */
  async play(): Promise<History> {
    const callers = 1 + this.#world.below(6);
    for (let caller = 0; caller < callers; caller++) void this.#caller(this.#world.chance(0.85) ? "A" : "B");
    if (this.#world.chance(0.4))
      for (let deaths = 1 + this.#world.below(3); deaths > 0; deaths--)
        this.#world.later(this.#world.below(90_000), () => this.#die());
    if (this.#world.chance(0.3)) {
      const by = this.#world.chance(0.5) ? "another service" : "its cancellation";
      this.#world.later(this.#world.below(this.#world.chance(0.5) ? 5000 : 90_000), () => this.#consume(by));
    }
    await this.#world.pass(200_000);

    this.#calm = true;
    await this.#world.pass(250_000);
    for (const request of ["A", "B", "A"]) {
      void this.#call(request, true);
      await this.#world.pass(30_000);
    }
    return this.history;
  }

  /** One who calls, and repeats the same call until it has a result or gives up. */
  async #caller(request: string): Promise<void> {
    await this.#world.sleep(this.#world.chance(0.5) ? this.#world.below(50) : this.#world.below(60_000));
    for (let attempts = 1 + this.#world.below(4); attempts > 0; attempts--) {
      const answered = await Promise.race([this.#call(request), this.#world.sleep(90_000)]);
      if (answered === "sold") return;
      await this.#world.sleep(this.#world.below(20_000));
    }
  }

  /** One call of the gate by a Worker of its own, which may die at any step. */
  async #call(request: string, final = false): Promise<string> {
    const worker: Worker = { dead: false, run: undefined };
    const { history } = this;
    let outcome: string;
    let value: string | undefined;
    try {
      const sold = await sell<string>({
        payment: this.#payment,
        offer: OFFER,
        facilitators: [this.#facilitator(worker)],
        ledger: this.#ledger(worker),
        fingerprint: request,
        operation: "test",
        ...SILENT,
        errors: ERRORS,
        workMs: 100_000,
        linkTtlMs: 86_400_000,
        now: () => this.#world.now,
        work: () => this.#work(worker, request),
      });
      outcome = "sold";
      value = sold.value;
    } catch (error) {
      outcome =
        error instanceof PaymentRequired
          ? "402"
          : error instanceof PaymentError
            ? error.code
            : (error as Error).message;
    }
    history.answers.push({ request, outcome, ...(value && { value }), paid: history.consumed?.by === "us", final });
    return outcome;
  }

  async #work(worker: Worker, request: string) {
    const { history } = this;
    const output = `output-${history.runs.length}`;
    if (history.runs.some(({ fate }) => fate === "running" || fate === "stored")) history.repeats++;
    const run: Run = { request, output, fate: "running" };
    history.runs.push(run);
    worker.run = run;
    await this.#world.sleep(this.#world.chance(0.8) ? this.#world.below(3000) : this.#world.below(40_000));
    if (this.#dies(worker)) return never;
    if (!this.#calm && this.#world.chance(0.1)) {
      run.fate = "failed";
      throw new Error("damaged");
    }
    history.kept.add(output);
    const expiresAt = new Date(this.#world.now + 86_400_000);
    return { value: output, output, expiresAt, facts: {} };
  }

  #facilitator(worker: Worker): FacilitatorClient {
    return {
      name: "stub",
      verify: async () => {
        const verdict = await this.#verify();
        return this.#dies(worker) ? never : verdict;
      },
      settle: () => never, // the ledger settles
    };
  }

  async #verify(): Promise<Verdict> {
    await this.#world.sleep(this.#world.below(300));
    if (!this.#calm) {
      if (this.#world.chance(0.05)) await this.#world.sleep(this.#world.below(FACILITATOR_TIMEOUT_MS)); // late
      if (this.#world.chance(0.03))
        return this.#world.sleep(FACILITATOR_TIMEOUT_MS).then(() => ({ outcome: "unknown" })); // never
      if (this.#world.chance(0.05)) return { outcome: "unknown" }; // 500, garbage
      if (this.#world.chance(0.05)) return { outcome: "invalid", reason: "a refusal" };
    }
    return this.history.consumed ? { outcome: "invalid", reason: "nonce_already_used" } : { outcome: "valid" };
  }

  #consume(by: Consumed["by"]): boolean {
    if (this.history.consumed) return false;
    this.history.consumed = { by, at: this.#world.now };
    if (by !== "its cancellation") this.history.moved++;
    return true;
  }

  #transfer(): Settlement {
    return this.#consume("us")
      ? { outcome: "settled", transaction: "0x1" }
      : { outcome: "used", reason: "authorization is used" };
  }

  /** What a node shows: what is more than one block old. */
  async #evidence(firstAsked: number): Promise<Evidence | undefined> {
    await this.#world.sleep(this.#world.below(500));
    if (!this.#calm && this.#world.chance(0.2)) return undefined;
    const { consumed } = this.history;
    if (!consumed || consumed.at + 2000 > this.#world.now) return undefined;
    const { by, at } = consumed;
    if (by === "its cancellation" || at + 2000 < firstAsked) return { outcome: "lost", reason: "a loss" };
    return { outcome: "settled", transaction: "0x1" };
  }

  async #settleOnce(): Promise<Settlement> {
    const answer = await this.#settle();
    if (answer.outcome === "unknown") this.history.doubts++;
    return answer;
  }

  async #settle(): Promise<Settlement> {
    await this.#world.sleep(this.#world.below(500));
    if (this.#calm) return this.#transfer();
    const unknown = { outcome: "unknown" } as const;
    switch (this.#world.below(17)) {
      case 0: // late
        await this.#world.sleep(this.#world.below(FACILITATOR_TIMEOUT_MS));
        return this.#transfer();
      case 1: // never, and nothing was done
        return this.#world.sleep(FACILITATOR_TIMEOUT_MS).then(() => unknown);
      case 2: // never, and done after we stopped listening
        this.#world.later(FACILITATOR_TIMEOUT_MS + this.#world.below(60_000), () => this.#transfer());
        return this.#world.sleep(FACILITATOR_TIMEOUT_MS).then(() => unknown);
      case 3: // 500
        return unknown;
      case 4: // garbage, and it was done
      case 5: // done, and the answer lost
        this.#transfer();
        await this.#world.sleep(this.#world.below(FACILITATOR_TIMEOUT_MS));
        return unknown;
      case 6: // a refusal, whether or not it is used: the wallet is empty
        return { outcome: "refused", reason: "a refusal" };
      case 7: // asked twice on the way: the second answer comes back
        if (this.#transfer().outcome === "settled") this.history.doubled = true;
        return this.#transfer();
      case 9: // nobody has looked at it
        return { outcome: "unprocessed", reason: "too many requests" };
      case 8: // the chain refuses, and says no more
        return this.history.consumed || this.#world.chance(0.5)
          ? { outcome: this.#transfer().outcome === "settled" ? "settled" : "reverted", reason: "", transaction: "0x1" }
          : { outcome: "refused", reason: "another refusal" };
      default:
        return this.#transfer();
    }
  }

  /** The ledger as a Worker sees it: far away, and either side can die on the way. */
  #ledger(worker: Worker): LedgerBook {
    const reach =
      <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        await this.#world.sleep(this.#world.below(30));
        if (this.#dies(worker)) return never;
        const answer = await new Promise<R>((resolve, reject) => {
          const cut = (error: Error) => {
            if (worker.run?.fate === "running") worker.run.fate = "cut off";
            reject(error);
          };
          this.#calls.add(cut);
          const life = this.#life;
          if (this.#world.chance(0.01)) this.#world.later(this.#world.below(30), () => this.#die());
          this.#world.later(this.#world.below(30), () => {
            if (life !== this.#life) return;
            method(...args)
              .then(resolve, reject)
              .finally(() => this.#calls.delete(cut));
          });
        });
        await this.#world.sleep(this.#world.below(30));
        return this.#dies(worker) ? never : answer;
      };
    return {
      getByName: () => ({
        waitForStatus: reach((...args) => this.#record.waitForStatus(...args)),
        claim: reach((...args) => this.#record.claim(...args)),
        release: reach((...args) => this.#record.release(...args)),
        store: reach((...args) => this.#record.store(...args)),
        settle: reach((...args) => this.#record.settle(...args)),
        bind: async () => true,
      }),
    };
  }

  #revive(): void {
    const life = ++this.#life;
    const mine = <T>(value: T): T | Promise<never> => (life === this.#life ? value : never);
    this.#record = new LedgerEntry({
      load: () => this.#entry,
      save: (entry, wakeAt) => {
        if (life !== this.#life) return;
        this.#entry = structuredClone(entry);
        if ("work" in entry) this.#runOf(entry.work.output).fate = "stored";
        this.#setAlarm(wakeAt);
      },
      clear: () => {
        if (life !== this.#life) return;
        this.#entry = undefined;
        this.#alarmAt = undefined;
      },
      settle: async () => {
        if (this.#entry?.state !== "settling") throw new Error("settling was not written down before it was asked for");
        if (this.#world.chance(0.1)) this.#world.later(this.#world.below(1000), () => this.#die());
        const answer = await this.#settleOnce();
        if (life !== this.#life) this.history.doubts++;
        return mine(answer);
      },
      evidence: () => (this.history.node ? async (since) => mine(await this.#evidence(since)) : undefined),
      trusts: async () => mine(this.history.trusted),
      settleTimeoutMs: FACILITATOR_TIMEOUT_MS + 5000,
      keeps: async (output) => this.history.kept.has(output),
      discard: async (output) => {
        this.history.kept.delete(output);
        this.#runOf(output).fate = "deleted";
      },
      now: () => this.#world.now,
      sleep: async (ms) => mine(await this.#world.sleep(ms)),
      log: ({ outcome }) => {
        if (outcome === "unproved") this.history.unproved++;
      },
    });
  }

  /** The Durable Object dies: those it was serving hear of it, and the next call finds a new one with the same storage. */
  #die(): void {
    if (this.#calm) return;
    const calls = [...this.#calls];
    this.#revive();
    for (const cut of calls) cut(new Error("the object was reset"));
  }

  #setAlarm(at: number | undefined): void {
    this.#alarmAt = at;
    if (at === undefined) return;
    this.#world.later(Math.max(0, at - this.#world.now), () => {
      if (this.#alarmAt !== at) return;
      this.#alarmAt = undefined;
      if (!this.#calm && this.#world.chance(0.05)) return; // an alarm that is lost
      const life = this.#life;
      void this.#record.alarm().catch(() => undefined);
      // an alarm whose object dies runs again
      this.#world.later(2000, () => {
        if (this.#life !== life && this.#alarmAt === undefined) this.#setAlarm(this.#world.now);
      });
    });
  }

  #dies(worker: Worker): boolean {
    if (!this.#calm && !worker.dead && this.#world.chance(0.02)) {
      worker.dead = true;
      if (worker.run?.fate === "running") worker.run.fate = "died";
    }
    return worker.dead;
  }

  #runOf(output: string): Run {
    return this.history.runs.find((run) => run.output === output)!;
  }
}

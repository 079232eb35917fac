import type { Evidence } from "../../src/payments/chain/chain.ts";
import type { FacilitatorClient, Settlement, Verdict } from "../../src/payments/facilitators/facilitator.ts";
import { KeyBinding, type StoredBinding } from "../../src/payments/ledger/keyBinding.ts";
import { LedgerEntry } from "../../src/payments/ledger/ledgerEntry.ts";
import type { Entry } from "../../src/payments/ledger/record.ts";
import { admit } from "../../src/payments/sale/admission.ts";
import type { LedgerBook, RequestKey } from "../../src/payments/sale/saleTerms.ts";
import { PaymentError } from "../../src/payments/wire/errors.ts";
import { PaymentRequired } from "../../src/payments/wire/offer.ts";
import { type PaymentPayload, paymentKey } from "../../src/payments/wire/paymentPayload.ts";
import { BARE, ERRORS, OFFER, SILENT, sell } from "./payments.ts";
import { VirtualWorld } from "./virtualWorld.ts";

/**
 * Simulates `Sale` and the records of the ledger. One seed determines the clock, the chain, the facilitator's faults,
 * and the deaths of Workers and Durable Objects. One payer calls with repeated or new payments, with or without
 * idempotency keys. Strangers send forged payments. They also copy payments from the chain, send them to the service,
 * and submit them to the chain. The simulation records all events, and `schedules.test.ts` checks rules over this history.
 */

const FACILITATOR_TIMEOUT_MS = 20_000;
const BLOCK_MS = 2000;
/**
 * The account from which the facilitator sends transactions. It also settles payments for another service of the same
 * seller.
 */
const SIGNER = "0xf0";
/** Creates a promise that never resolves. Each use gets a new promise, so that its waiters can be garbage-collected. */
const never = () => new Promise<never>(() => {});

/** The request and the idempotency key of a call: one of two requests, under one of two keys or without a key. */
export interface Asked {
  request: "A" | "B";
  key: "K" | "L" | null;
}

/**
 * The state of one run of a call's work. The run may fail, or yield to an earlier payment for the same request. The
 * Worker may die. The Durable Object may die while it receives the output ("cut off"). Otherwise, the ledger stores the
 * output, and deletes it only if it will never be paid for.
 */
type Fate = "running" | "failed" | "yielded" | "died" | "cut off" | "stored" | "deleted";

interface Run extends Asked {
  payment: PaymentHistory;
  output: string;
  fate: Fate;
}

interface Worker {
  dead: boolean;
  run: Run | undefined;
}

/** Transaction that has used an authorization on the chain. An authorization can be used once, before it expires. */
interface Consumed {
  by: "us" | "another service" | "a stranger" | "its cancellation";
  at: number;
}

/** The history of one payment. */
export interface PaymentHistory {
  /** Number of transfers of the payment's money to the seller. */
  moved: number;
  consumed: Consumed | undefined;
  /** Expiry of the authorization in Unix milliseconds. */
  ends: number;
  /** Whether a transaction with the payment has been sent to the chain, so that others can see the payment. */
  isPublic: boolean;
  /** Whether the ledger has settled the payment. */
  sold: boolean;
  /** Whether an alarm of the payment's Durable Object was lost. */
  forgotten: boolean;
  /** Number of settlement attempts with an unknown outcome. */
  doubts: number;
  /**
   * Whether the payment's money moved although the facilitator's answer denied it. Either the attempt reached the
   * facilitator twice and the second answer arrived, or the facilitator's node did not answer and the ledger has no
   * other node.
   */
  doubled: boolean;
  /** Number of sales of the payment without proof of settlement. */
  unproved: number;
  /**
   * Times of settlement of this payment's sales in the daybooks. A set, because a real daybook lists a payment only
   * once for each time.
   */
  booked: Set<number>;
  /** Request and key of the last call that started to settle the payment. */
  settledFor: Asked | undefined;
  /** Whether the payment's signature is forged. */
  forged: boolean;
}

/** The answer to one call. */
interface Answer extends Asked {
  payment: PaymentHistory;
  outcome: string;
  /** The result that the call got, if any. */
  value?: string;
  /** Whether the payment was signed for this call instead of repeated from an earlier call. */
  isNewPayment: boolean;
  /** Whether the payment's money had moved before the answer. */
  paid: boolean;
  /**
   * Whether the ledger can know that an earlier payment under the key had paid for the request when the call began.
   */
  paidBefore: boolean;
  final: boolean;
}

/** The history of one schedule. */
export interface History {
  payments: PaymentHistory[];
  /** Whether the ledger can ask a node and the facilitator publishes its account. */
  node: boolean;
  /** Whether the ledger sells results to the payer without proof of settlement. */
  trusted: boolean;
  answers: Answer[];
  /** Outcomes of the calls that strangers made. */
  strangers: { payment: PaymentHistory; outcome: string }[];
  runs: Run[];
  /**
   * Number of runs that repeat work. A run repeats work if an earlier run for the same payment or key is still active,
   * or if its output is stored.
   */
  repeats: number;
  /** Outputs that are in storage. */
  kept: Set<string>;
}

/** A Durable Object. It counts its restarts as lives, and tracks the calls in progress. */
class SimulatedObject {
  life = 0;
  readonly calls = new Set<(error: Error) => void>();
}

/** The Durable Object of a payment: its storage, and the ledger entry of its current life. */
class PaymentObject extends SimulatedObject {
  readonly payment: PaymentPayload;
  readonly history: PaymentHistory = {
    moved: 0,
    consumed: undefined,
    ends: 0,
    isPublic: false,
    sold: false,
    forgotten: false,
    doubts: 0,
    doubled: false,
    unproved: 0,
    booked: new Set(),
    settledFor: undefined,
    forged: false,
  };
  entry: Entry | undefined;
  alarmAt: number | undefined;
  record!: LedgerEntry;

  constructor(payment: PaymentPayload) {
    super();
    this.payment = payment;
    this.history.ends = Number(payment.authorization.validBefore) * 1000;
  }
}

export class Simulation {
  readonly history: History = {
    payments: [],
    node: false,
    trusted: false,
    answers: [],
    strangers: [],
    runs: [],
    repeats: 0,
    kept: new Set(),
  };
  readonly #world: VirtualWorld;
  readonly #template: PaymentPayload;
  readonly #payments: PaymentObject[] = [];
  readonly #keys = new Map<string, SimulatedObject & { bound: StoredBinding | undefined }>();
  /** Whether faults and deaths have ended, near the end of the schedule. */
  #calm = false;

  constructor(seed: number, payment: PaymentPayload) {
    this.#world = new VirtualWorld(seed);
    this.#template = payment;
    this.history.node = this.#world.chance(0.5);
    this.history.trusted = this.#world.chance(0.7);
    this.#sign();
  }

  /**
   * Runs the schedule: some minutes of calls and faults, then a calm period. At the end, the payer repeats both
   * requests with the first payment and without a key. The payer then sends request A with a new payment under each
   * key, and once without a key.
   */
  async play(): Promise<History> {
    const callers = 1 + this.#world.below(6);
    for (let caller = 0; caller < callers; caller++) {
      const key = this.#world.chance(0.5) ? null : this.#world.chance(0.8) ? "K" : "L";
      const asked: Asked = { request: this.#world.chance(0.85) ? "A" : "B", key };
      void this.#caller(asked, this.#world.chance(0.6));
    }
    for (let strangers = this.#world.below(3); strangers > 0; strangers--) void this.#stranger();
    if (this.#world.chance(0.4))
      for (let deaths = 1 + this.#world.below(3); deaths > 0; deaths--)
        this.#world.later(this.#world.below(90_000), () => this.#die(this.#anyObject()));
    if (this.#world.chance(0.3)) {
      const by = this.#world.chance(0.5) ? "another service" : "its cancellation";
      this.#world.later(this.#world.below(this.#world.chance(0.5) ? 5000 : 90_000), () => {
        const { history } = this.#payments[this.#world.below(this.#payments.length)]!;
        this.#consume(history, by);
      });
    }
    for (let sends = this.#world.below(4); sends > 0; sends--)
      this.#world.later(this.#world.below(400_000), () => {
        const seen = this.#payments.filter(({ history }) => history.isPublic && !history.consumed);
        if (seen.length > 0) this.#consume(seen[this.#world.below(seen.length)]!.history, "a stranger");
      });
    await this.#world.pass(200_000);

    this.#calm = true;
    await this.#world.pass(250_000);
    for (const request of ["A", "B", "A"] as const) {
      void this.#call({ request, key: null }, this.#payments[0]!, true);
      await this.#world.pass(30_000);
    }
    for (const key of ["K", "L"] as const) {
      void this.#call({ request: "A", key }, this.#sign(), true);
      await this.#world.pass(30_000);
    }
    void this.#call({ request: "A", key: null }, this.#sign(), true);
    await this.#world.pass(60_000);
    return this.history;
  }

  /**
   * Simulates a caller who repeats a call until it returns a result or the caller gives up. Some callers sign a new
   * payment for each attempt.
   */
  async #caller(asked: Asked, signsEachTime: boolean): Promise<void> {
    await this.#world.sleep(this.#world.chance(0.5) ? this.#world.below(50) : this.#world.below(60_000));
    for (let attempts = 1 + this.#world.below(4); attempts > 0; attempts--) {
      const object = signsEachTime ? this.#sign() : this.#payments[0]!;
      const answered = await Promise.race([this.#call(asked, object), this.#world.sleep(90_000)]);
      if (answered === "sold") return;
      await this.#world.sleep(this.#world.below(20_000));
    }
  }

  /** Simulates a stranger who repeatedly sends a forged payment or a payment that is visible on the chain. */
  async #stranger(): Promise<void> {
    const forged = this.#world.chance(0.5) ? this.#sign() : undefined;
    if (forged) forged.history.forged = true;
    for (let attempts = 1 + this.#world.below(3); attempts > 0; attempts--) {
      await this.#world.sleep(this.#world.below(90_000));
      const object = forged ?? this.#payments.find(({ history }) => history.isPublic);
      if (!object) continue;
      const { outcome } = await this.#answer({ request: "A", key: null }, object, BARE);
      this.history.strangers.push({ payment: object.history, outcome });
    }
  }

  #sign(): PaymentObject {
    const nonce = `0x${this.#payments.length.toString(16).padStart(64, "0")}`;
    const validBefore = String(Math.floor(this.#world.now / 1000) + 300 + 120 * this.#world.below(2));
    const object = new PaymentObject({
      ...this.#template,
      authorization: { ...this.#template.authorization, validBefore, nonce },
    });
    this.#payments.push(object);
    this.history.payments.push(object.history);
    this.#revive(object);
    return object;
  }

  /**
   * Makes one call of the payer.
   * @param final whether the call is at the end of the simulation, where the payer is signed in
   */
  async #call(asked: Asked, object: PaymentObject, final = false): Promise<string> {
    const { history } = this;
    const payment = object.history;
    const isNewPayment = object !== this.#payments[0];
    const paidBefore = history.payments.some(
      (one) => hasPaid(one, history) && !one.doubled && isSettledFor(one, asked),
    );
    const answered = await this.#answer(asked, object, { isSignedIn: async () => final });
    const paid = hasPaid(payment, history);
    history.answers.push({ ...asked, payment, ...answered, isNewPayment, paid, paidBefore, final });
    return answered.outcome;
  }

  /** Runs one call in a separate Worker, which may die at each step: admission, reading the body, or the sale. */
  async #answer(
    asked: Asked,
    { payment, history }: PaymentObject,
    { isSignedIn }: { isSignedIn(): Promise<boolean> },
  ): Promise<Pick<Answer, "outcome" | "value">> {
    const worker: Worker = { dead: false, run: undefined };
    const terms = {
      payment,
      key: asked.key,
      hasDefaultKey: asked.key === null,
      isSignedIn,
      offer: OFFER,
      facilitators: [this.#facilitator(worker, history)],
      ledger: this.#ledger(worker, asked),
      operation: "test",
      ...SILENT,
      now: () => this.#world.now,
    };
    try {
      const admitted = await admit(terms);
      await this.#world.sleep(this.#world.below(!this.#calm && this.#world.chance(0.2) ? 40_000 : 1000));
      if (this.#dies(worker)) return never();
      const { value } = await sell<string>({
        ...terms,
        admitted,
        fingerprint: asked.request,
        knownDigest: this.#world.chance(0.5) ? asked.request : undefined,
        errors: ERRORS,
        workMs: 100_000,
        linkTtlMs: 86_400_000,
        work: (defaultKey) => this.#work(worker, asked, history, defaultKey),
      });
      return { outcome: "sold", value };
    } catch (error) {
      if (error instanceof PaymentRequired)
        return { outcome: error.reason.startsWith("payment_already_used") ? "402 already used" : "402" };
      return { outcome: error instanceof PaymentError ? error.code : (error as Error).message };
    }
  }

  async #work(worker: Worker, asked: Asked, payment: PaymentHistory, defaultKey: RequestKey | undefined) {
    const { history } = this;
    const output = `output-${history.runs.length}`;
    const isSame = (other: Run) =>
      other.payment === payment || (asked.key !== null && other.key === asked.key && other.request === asked.request);
    if (history.runs.some((run) => isSame(run) && (run.fate === "running" || run.fate === "stored"))) history.repeats++;
    const run: Run = { ...asked, payment, output, fate: "running" };
    history.runs.push(run);
    worker.run = run;
    if (this.#world.chance(0.5)) await this.#world.sleep(this.#world.below(3000)); // the time to fetch a file
    if (this.#dies(worker)) return never();
    defaultKey?.bind(asked.request);
    await this.#world.sleep(this.#world.chance(0.8) ? this.#world.below(3000) : this.#world.below(40_000));
    if (this.#dies(worker)) return never();
    if (!this.#calm && this.#world.chance(0.1)) {
      run.fate = "failed";
      throw new Error("damaged");
    }
    history.kept.add(output);
    await defaultKey?.bound.catch((error: unknown) => {
      history.kept.delete(output);
      run.fate = "yielded";
      throw error;
    });
    if (this.#dies(worker)) return never();
    const expiresAt = new Date(this.#world.now + 86_400_000);
    return { value: output, output, expiresAt, facts: {} };
  }

  #facilitator(worker: Worker, payment: PaymentHistory): FacilitatorClient {
    return {
      name: "stub",
      signersOn: () => [SIGNER],
      verify: async () => {
        const verdict = await this.#verify(payment);
        return this.#dies(worker) ? never() : verdict;
      },
      settle: never, // only the ledger settles payments
    };
  }

  async #verify(payment: PaymentHistory): Promise<Verdict> {
    await this.#world.sleep(this.#world.below(300));
    if (!this.#calm) {
      if (this.#world.chance(0.05)) await this.#world.sleep(this.#world.below(FACILITATOR_TIMEOUT_MS)); // the facilitator answers late
      if (this.#world.chance(0.03))
        // No answer from the facilitator.
        return this.#world.sleep(FACILITATOR_TIMEOUT_MS).then(() => ({ outcome: "unknown" }));
      if (this.#world.chance(0.05)) return { outcome: "unknown" }; // the answer has status 500 or is broken
      if (this.#world.chance(0.05)) return { outcome: "invalid", reason: "a refusal" };
    }
    if (payment.forged) return { outcome: "invalid", reason: "signature" };
    return payment.consumed ? { outcome: "invalid", reason: "nonce_already_used" } : { outcome: "valid" };
  }

  #consume(payment: PaymentHistory, by: Consumed["by"]): boolean {
    if (payment.consumed || this.#world.now >= payment.ends) return false;
    payment.consumed = { by, at: this.#world.now };
    if (by !== "its cancellation") payment.moved++;
    return true;
  }

  /**
   * Sends the facilitator's transaction to the chain. A stranger who sees the transaction may submit the payment first.
   */
  #transfer(payment: PaymentHistory): Settlement {
    if (this.#world.now >= payment.ends) return { outcome: "refused", reason: "it has expired" };
    payment.isPublic = true;
    if (!this.#calm && this.#world.chance(0.05)) this.#consume(payment, "a stranger");
    if (this.#consume(payment, "us")) return { outcome: "settled", transaction: "0x1" };
    return { outcome: this.#world.chance(0.5) ? "used" : "reverted", reason: "authorization is used" };
  }

  /** Returns the evidence of the ledger's node about a payment. The node is one block behind the chain. */
  async #evidence({ consumed, ends }: PaymentHistory, firstAsked: number): Promise<Evidence | undefined> {
    await this.#world.sleep(this.#world.below(500));
    if (!this.#calm && this.#world.chance(0.2)) return undefined;
    const shown = this.#world.now - BLOCK_MS;
    if (!consumed || consumed.at > shown)
      return ends <= shown ? { outcome: "lost", reason: "it has expired" } : undefined;
    const { by, at } = consumed;
    if (by === "its cancellation" || at + BLOCK_MS < firstAsked) return { outcome: "lost", reason: "a loss" };
    return { outcome: "settled", transaction: "0x1", sender: by === "a stranger" ? "0x57" : SIGNER };
  }

  async #settleOnce(payment: PaymentHistory): Promise<Settlement> {
    const answer = await this.#settle(payment);
    if (answer.outcome === "unknown" || (answer.outcome === "unsent" && this.history.node)) payment.doubts++;
    return answer;
  }

  async #settle(payment: PaymentHistory): Promise<Settlement> {
    await this.#world.sleep(this.#world.below(500));
    if (this.#calm) return this.#transfer(payment);
    const unknown = { outcome: "unknown" } as const;
    switch (this.#world.below(18)) {
      case 0: // the facilitator answers late
        await this.#world.sleep(this.#world.below(FACILITATOR_TIMEOUT_MS));
        return this.#transfer(payment);
      case 1: // the facilitator neither answers nor sends the transaction
        return this.#world.sleep(FACILITATOR_TIMEOUT_MS).then(() => unknown);
      case 2: // the facilitator does not answer, and sends the transaction after the timeout
        this.#world.later(FACILITATOR_TIMEOUT_MS + this.#world.below(60_000), () => this.#transfer(payment));
        return this.#world.sleep(FACILITATOR_TIMEOUT_MS).then(() => unknown);
      case 3: // the facilitator answers with status 500
        return unknown;
      case 4: // the transaction is sent, but the answer is broken
      case 5: // the transaction is sent, but the answer is lost
        this.#transfer(payment);
        await this.#world.sleep(this.#world.below(FACILITATOR_TIMEOUT_MS));
        return unknown;
      case 6: // the facilitator's wallet is empty, so its refusal does not show the outcome of earlier attempts
        return { outcome: "refused", reason: "a refusal" };
      case 7: // the facilitator gets the request twice, and only the second answer reaches the ledger
        if (this.#transfer(payment).outcome === "settled") payment.doubled = true;
        return this.#transfer(payment);
      case 9: // the facilitator does not process the request
        return { outcome: "unprocessed", reason: "too many requests" };
      case 8: // the chain rejects the transaction, so no money moves
        payment.isPublic = true;
        return { outcome: "reverted", reason: "another refusal" };
      case 10: // the simulation of the transaction fails
        return { outcome: "simulated", reason: "another refusal" };
      // The facilitator's node does not answer, but may have sent the transaction. Only another node can show whether
      // it did.
      case 11:
        payment.isPublic = true;
        if (this.#world.chance(0.5) && this.#transfer(payment).outcome === "settled")
          payment.doubled ||= !this.history.node && payment.doubts === 0;
        return { outcome: "unsent", reason: "it could not be sent" };
      default:
        return this.#transfer(payment);
    }
  }

  /**
   * Returns the ledger as a Worker sees it. Messages take time, and either side can die while a message is in transit.
   */
  #ledger(worker: Worker, asked: Asked): LedgerBook {
    /** The last message to each object. Messages from one Worker to one object are delivered in order. */
    const delivered = new Map<SimulatedObject, Promise<void>>();
    const reach =
      <A extends unknown[], R>(object: SimulatedObject, method: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        const before = delivered.get(object);
        let deliver = () => {};
        delivered.set(object, new Promise((resolve) => (deliver = resolve)));
        await before;
        await this.#world.sleep(this.#world.below(30));
        if (this.#dies(worker)) return never();
        const answer = await new Promise<R>((resolve, reject) => {
          const cut = (error: Error) => {
            if (worker.run?.fate === "running") worker.run.fate = "cut off";
            reject(error);
          };
          object.calls.add(cut);
          const { life } = object;
          if (this.#world.chance(0.01)) this.#world.later(this.#world.below(30), () => this.#die(object));
          this.#world.later(this.#world.below(30), () => {
            deliver();
            if (life !== object.life) return;
            method(...args)
              .then(resolve, reject)
              .finally(() => object.calls.delete(cut));
          });
        });
        await this.#world.sleep(this.#world.below(30));
        return this.#dies(worker) ? never() : answer;
      };
    const none = () => Promise.reject(new Error("another kind of object"));
    const noRecord = { waitForStatus: none, claim: none, release: none, settle: none, invalidateClaims: none };
    const noKey = { binding: none, bind: none };
    return {
      getByName: (name) => {
        const object = this.#payments.find(({ payment }) => paymentKey(payment) === name);
        if (!object) {
          const key = this.#keyObject(name);
          const binding = new KeyBinding({
            load: () => key.bound,
            save: (bound) => {
              key.bound = bound;
            },
          });
          return {
            ...noRecord,
            binding: reach(key, () => binding.current()),
            bind: reach(key, (...args) => binding.bind(...args)),
          };
        }
        return {
          ...noKey,
          waitForStatus: reach(object, (...args) => object.record.waitForStatus(...args)),
          claim: reach(object, (...args) => object.record.claim(...args)),
          release: reach(object, (...args) => object.record.release(...args)),
          invalidateClaims: reach(object, (...args) => object.record.invalidateClaims(...args)),
          settle: reach(object, (claim, work) => {
            if (object.entry?.state === "claimed" && object.entry.claim === claim) object.history.settledFor = asked;
            return object.record.settle(claim, work);
          }),
        };
      },
    };
  }

  #keyObject(name: string) {
    const known = this.#keys.get(name) ?? Object.assign(new SimulatedObject(), { bound: undefined });
    this.#keys.set(name, known);
    return known;
  }

  #anyObject(): SimulatedObject {
    const objects = [...this.#payments, ...this.#keys.values()];
    return this.#world.chance(0.5) ? objects[0]! : objects[this.#world.below(objects.length)]!;
  }

  #revive(object: PaymentObject): void {
    const life = ++object.life;
    const payment = object.history;
    const mine = <T>(value: T): T | Promise<never> => (life === object.life ? value : never());
    object.record = new LedgerEntry({
      load: () => object.entry,
      save: (entry, alarmAt) => {
        if (life !== object.life) return;
        object.entry = structuredClone(entry);
        if ("work" in entry) this.#runOf(entry.work.output).fate = "stored";
        this.#setAlarm(object, alarmAt);
      },
      clear: () => {
        if (life !== object.life) return;
        object.entry = undefined;
        object.alarmAt = undefined;
      },
      settle: async () => {
        if (object.entry?.state !== "settling")
          throw new Error("settling was not stored before the facilitator was asked");
        if (this.#world.chance(0.1)) this.#world.later(this.#world.below(1000), () => this.#die(object));
        const answer = await this.#settleOnce(payment);
        if (life !== object.life) payment.doubts++;
        return mine(answer);
      },
      evidence: () => (this.history.node ? async (since) => mine(await this.#evidence(payment, since)) : undefined),
      addPurchase: async () => {
        if (!this.#calm && this.#world.chance(0.1)) await this.#world.sleep(this.#world.below(90_000));
        return mine(undefined);
      },
      bookSale: async ({ settledAt }) => {
        await this.#world.sleep(this.#world.below(1000));
        if (!this.#calm && this.#world.chance(0.2)) return mine(false); // the daybook could not be reached
        payment.booked.add(settledAt);
        if (!this.#calm && this.#world.chance(0.2)) this.#die(object); // the sale is booked, even if the answer is lost
        return mine(this.#calm || this.#world.chance(0.9));
      },
      allowUnproved: async () => mine(this.history.trusted),
      settleTimeoutMs: FACILITATOR_TIMEOUT_MS + 5000,
      isAvailable: async (output) => this.history.kept.has(output),
      deleteOutput: async (output) => {
        this.history.kept.delete(output);
        this.#runOf(output).fate = "deleted";
      },
      now: () => this.#world.now,
      sleep: async (ms) => mine(await this.#world.sleep(ms)),
      log: ({ outcome }) => {
        if (outcome === "unproved") payment.unproved++;
        if (outcome === "settled" || outcome === "unproved") payment.sold = true;
      },
    });
  }

  /** Kills a Durable Object. Its current calls fail, and the next call reaches a new instance with the same storage. */
  #die(object: SimulatedObject): void {
    if (this.#calm) return;
    const calls = [...object.calls];
    if (object instanceof PaymentObject) this.#revive(object);
    else object.life++;
    for (const cut of calls) cut(new Error("the object was reset"));
  }

  #setAlarm(object: PaymentObject, at: number | undefined): void {
    object.alarmAt = at;
    if (at === undefined) return;
    this.#world.later(Math.max(0, at - this.#world.now), () => {
      if (object.alarmAt !== at) return;
      object.alarmAt = undefined;
      if (!this.#calm && this.#world.chance(0.05)) {
        object.history.forgotten = true; // the alarm is lost
        return;
      }
      const { life } = object;
      void object.record.alarm().catch(() => undefined);
      // The runtime repeats an alarm if the object dies during the alarm.
      this.#world.later(2000, () => {
        if (object.life !== life && object.alarmAt === undefined) this.#setAlarm(object, this.#world.now);
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

/**
 * Returns whether the ledger can know that the money of a payment has arrived. Without a node, the ledger does not see
 * a transfer that a stranger submitted.
 */
export function hasPaid({ consumed }: PaymentHistory, { node }: History): boolean {
  return consumed?.by === "us" || (node && consumed?.by === "a stranger");
}

/** Returns whether a payment was settled for this request under this idempotency key. */
export function isSettledFor({ settledFor }: PaymentHistory, { request, key }: Asked): boolean {
  return key !== null && settledFor?.request === request && settledFor.key === key;
}

import type { Evidence } from "../chain/chain.ts";
import type { Settlement } from "../facilitators/facilitator.ts";
import type { SettlementEvent } from "../wire/events.ts";
import { paymentKey } from "../wire/paymentPayload.ts";
import {
  backoffMs,
  type Call,
  type Conclusion,
  conclude,
  concludeExposed,
  type Entry,
  type Failure,
  mayBePublic,
  nextLookAt,
  type PaymentStatus,
  type Purchase,
  type Refusal,
  type StoredWork,
  statusOf,
  wakesAt,
} from "./record.ts";

type Exposed = Entry & { state: "exposed" };
type Settled = Entry & { state: "settled" };
/** A payment that a facilitator has been asked to settle. */
type Asked = Exposed | (Entry & { state: "settling" });

/** An alarm this late is taken for lost and set again. */
const OVERDUE_MS = 10_000;

/** What a {@link LedgerEntry} depends on. Points in time are Unix milliseconds. */
interface LedgerWorld {
  load(): Entry | undefined;
  /** Stores the entry and schedules `alarm` at `wakeAt`, or cancels it if undefined. */
  save(entry: Entry, wakeAt: number | undefined): void;
  clear(): void;
  /** Never throws. */
  settle(call: Call): Promise<Settlement>;
  /**
   * Returns what the chain proves of a payment first asked for at `firstAsked`; undefined if nothing yet. Never throws.
   * Itself undefined where there is no node to ask.
   */
  evidence(call: Call): ((firstAsked: number) => Promise<Evidence | undefined>) | undefined;
  /** Puts the payment on the list of what its payer may have bought. Never throws. */
  list(entry: Entry & { state: "settling" }): Promise<void>;
  /** Enters the sale in the book of its day, where it is once. Returns whether it is there. Never throws. */
  book(entry: Settled): Promise<boolean>;
  /** Returns whether the payer's doubtful payment may be sold without proof: only a few are. */
  trusts(call: Call): Promise<boolean>;
  /** Longer than `settle` and `evidence` together can take, in milliseconds. */
  settleTimeoutMs: number;
  /** Returns whether an output can still be delivered: its link can be ended early. */
  keeps(output: string): Promise<boolean>;
  /** Deletes an output that will never be delivered. Never throws. */
  discard(output: string): Promise<void>;
  now(): number;
  sleep(ms: number): Promise<void>;
  log(event: SettlementEvent): void;
}

/** One payment in the ledger: performs the transitions of {@link Entry}, and lets calls wait for them. */
export class LedgerEntry {
  readonly #world: LedgerWorld;
  #waiting = new Set<(failure: Failure | undefined) => void>();

  constructor(world: LedgerWorld) {
    this.#world = world;
  }

  /**
   * Returns the payment's status for a request. While another call is working on the same request or settling it, waits
   * for that call, at most until `until`.
   * @param proved whether the caller has shown more than the payment, which may be public: see `mayBePublic`. Who has waited
   * since before it was needs no more
   */
  async waitForStatus(fingerprint: string, until: number, proved: boolean): Promise<PaymentStatus> {
    const withheld = !proved && mayBePublic(this.#world.load());
    for (;;) {
      const now = this.#world.now();
      const entry = this.#world.load();
      const found = statusOf(entry, fingerprint, now);
      if (found.status === "sold" && entry?.state === "settled" && !(await this.#world.keeps(entry.work.output)))
        return { status: "spent" };
      const served = found.status === "busy" || found.status === "pending";
      if (entry) this.#takeUp(entry, now);
      if (withheld) return { status: "withheld" };
      if (!served || now >= until) return found;

      const leaseEnds = entry && "leaseEnds" in entry ? entry.leaseEnds : until;
      const failure = await this.#change(Math.min(until, leaseEnds) - now);
      if (failure) return { status: "failed", failure };
    }
  }

  /**
   * Claims the payment for one call, for `leaseMs`. If it cannot be claimed, returns its status as
   * {@link waitForStatus} does.
   */
  async claim(call: Call, leaseMs: number, until: number): Promise<PaymentStatus> {
    const found = await this.waitForStatus(call.fingerprint, until, true);
    if (found.status !== "free") return found;

    const claim = crypto.randomUUID();
    this.#save({ ...call, state: "claimed", claim, leaseEnds: this.#world.now() + leaseMs });
    return { status: "yours", claim };
  }

  /**
   * Releases a claim, and tells waiting calls why; without a failure they go on by themselves. The record does not change
   * if the claim was lost to another call.
   */
  async release(claim: string, failure: Failure | undefined): Promise<void> {
    const entry = this.#world.load();
    if (entry?.state === "claimed" && entry.claim === claim) this.#clear(failure);
  }

  /**
   * Sees to it that no claim made so far settles this payment for a request. Returns false if one still may, or if the
   * payment has bought a link for it whose time is not over.
   */
  async abandon(fingerprint: string): Promise<boolean> {
    const entry = this.#world.load();
    const now = this.#world.now();
    if (entry?.fingerprint !== fingerprint) return true;
    if (entry.state === "burned") return true;
    if (entry.state === "settling" || entry.state === "exposed") return false;
    if (entry.state === "settled") return entry.work.expiresAt <= now;
    if (entry.leaseEnds > now) return false;
    this.#clear();
    return true;
  }

  /** Returns what the payment has bought; undefined if nothing, or if its link has ended. */
  async purchase(): Promise<Purchase | undefined> {
    const entry = this.#world.load();
    if (entry?.state !== "settled") return undefined;
    const { work, transaction, settledAt, requestId, payment } = entry;
    const { value, output, expiresAt } = work;
    if (expiresAt <= this.#world.now() || !(await this.#world.keeps(output))) return undefined;
    return { value, requestId, settledAt, expiresAt, transaction, network: payment.chain.caip2 };
  }

  /**
   * Keeps the output of a claim, asks the facilitator once to settle it, and returns the status: `pending` if the answer is
   * not conclusive. The alarm then asks again. Returns undefined, and deletes the output, if the claim was lost to another
   * call.
   */
  async settle(claim: string, work: StoredWork): Promise<PaymentStatus | undefined> {
    const entry = this.#world.load();
    if (entry?.state !== "claimed" || entry.claim !== claim) {
      await this.#world.discard(work.output);
      return undefined;
    }
    const now = this.#world.now();
    const failure = await this.#ask({
      ...{ ...callOf(entry), state: "settling", work },
      ...{ attempts: 0, doubt: false, firstAsked: now, nextAt: now, transaction: "" },
    });
    if (failure) return { status: "failed", failure };
    return statusOf(this.#world.load(), entry.fingerprint, this.#world.now());
  }

  /**
   * Handles the alarm: asks again for a settlement, or the chain for one by others, gives up on one whose link has
   * expired, books a sale, or clears an expired record.
   */
  async alarm(): Promise<void> {
    const entry = this.#world.load();
    const now = this.#world.now();
    if (!entry) return;

    if (entry.state === "settling" || entry.state === "exposed") {
      if (now < entry.work.expiresAt)
        return void (await (entry.state === "settling" ? this.#ask(entry) : this.#look(entry)));
      this.#report(entry, { outcome: "unresolved" });
      return this.#burn(entry);
    }
    if (now < (wakesAt(entry) ?? Number.POSITIVE_INFINITY)) return this.#save(entry);
    if (entry.state === "settled" && entry.unbooked) return this.#book(entry, entry.unbooked);
    this.#clear();
  }

  /**
   * Makes one attempt to settle, unless the chain shows what became of an earlier one. Resolves to the reason if the
   * payment was refused, else to undefined.
   */
  async #ask(before: Entry & { state: "settling" }): Promise<Failure | undefined> {
    const world = this.#world;
    const entry = { ...before, attempts: before.attempts + 1 };
    const nextAt = world.now() + world.settleTimeoutMs + backoffMs(entry.attempts);
    this.#save({ ...entry, doubt: true, nextAt }); // whoever dies now does not know what this attempt did

    const listed = world.list(entry);
    const evidence = world.evidence(entry);
    const proof = before.doubt ? await evidence?.(entry.firstAsked) : undefined;
    const concluded = conclude(entry, proof ?? (await world.settle(entry)), world.now(), evidence !== undefined);
    const failure = await this.#carryOut(concluded, entry);
    if (!failure) await listed; // last: what is known of the payment is not kept waiting for its payer's list
    return failure;
  }

  /** Performs the transition that an answer means. Resolves to the reason if the payment was refused. */
  async #carryOut(concluded: Conclusion, entry: Entry & { state: "settling" }): Promise<Failure | undefined> {
    switch (concluded.conclusion) {
      case "settled":
        this.#sold(entry, "settled", concluded.transaction);
        return undefined;
      case "unproved":
        if (!this.#world.evidence(entry) && (await this.#world.trusts(entry)))
          this.#sold(entry, "unproved", concluded.transaction);
        else this.#askLater(entry);
        return undefined;
      case "exposed": {
        const { work, firstAsked } = entry;
        this.#lookLater({ ...callOf(entry), state: "exposed", work, firstAsked, attempts: 1 });
        this.#report(entry, { outcome: "pending", reason: concluded.reason });
        return undefined;
      }
      case "burned":
      case "refused":
        return this.#refuse(entry, concluded);
      case "again":
        this.#askLater({ ...entry, transaction: concluded.transaction, doubt: concluded.doubt });
        return undefined;
    }
  }

  /** Asks the chain whether others have moved the money of a payment that we could not settle. */
  async #look(before: Exposed): Promise<void> {
    const world = this.#world;
    const entry = { ...before, attempts: before.attempts + 1 };
    this.#save({ ...entry, nextAt: world.now() + world.settleTimeoutMs + backoffMs(entry.attempts) });
    const concluded = concludeExposed(entry, await world.evidence(entry)?.(entry.firstAsked));
    if (concluded?.conclusion === "settled") this.#sold(entry, "settled", concluded.transaction);
    else if (concluded) await this.#refuse(entry, concluded);
    else this.#lookLater(entry);
  }

  #lookLater(entry: Omit<Exposed, "nextAt">): void {
    this.#save({ ...entry, nextAt: nextLookAt(entry, this.#world.now()) });
  }

  #sold(entry: Asked, outcome: "settled" | "unproved", transaction: string): void {
    const settledAt = this.#world.now();
    // the alarm books it, at once, so that no caller waits for that
    const unbooked = { attempts: 0, nextAt: settledAt };
    const sold = { ...callOf(entry), state: "settled" as const, work: entry.work, transaction, settledAt, unbooked };
    this.#save(outcome === "unproved" ? { ...sold, unproved: true } : sold);
    this.#report(entry, { outcome, transaction });
  }

  /** Sets an alarm again that was lost. */
  #takeUp(entry: Entry, now: number): void {
    if ("nextAt" in entry && entry.nextAt + OVERDUE_MS <= now) this.#save({ ...entry, nextAt: now });
    if (entry.state === "settled" && entry.unbooked && entry.unbooked.nextAt + OVERDUE_MS <= now)
      this.#save({ ...entry, unbooked: { ...entry.unbooked, nextAt: now } });
  }

  async #book(entry: Settled, { attempts }: { attempts: number }): Promise<void> {
    const { unbooked: _, ...booked } = entry;
    if (await this.#world.book(entry)) return this.#save(booked);
    const nextAt = this.#world.now() + backoffMs(attempts + 1);
    this.#save({ ...entry, unbooked: { attempts: attempts + 1, nextAt } });
  }

  async #refuse(entry: Asked, { conclusion, reason }: Refusal): Promise<Failure> {
    const failure = { reason };
    if (conclusion === "burned") this.#burn(entry, failure);
    else this.#clear(failure);
    this.#report(entry, { outcome: "refused", reason });
    await this.#world.discard(entry.work.output);
    return failure;
  }

  /** Keeps the payment from being used again, as long as its authorization lasts. */
  #burn(call: Call, failure?: Failure): void {
    const entry: Entry = { ...callOf(call), state: "burned" };
    const until = wakesAt(entry);
    if (until !== undefined && until <= this.#world.now()) this.#clear(failure);
    else {
      this.#world.save(entry, until);
      this.#wake(failure);
    }
  }

  #askLater(entry: Entry & { state: "settling" }): void {
    this.#save({ ...entry, nextAt: this.#world.now() + backoffMs(entry.attempts) });
    this.#report(entry, { outcome: "pending" });
  }

  #report(
    { payment, attempts, requestId }: Asked,
    answer: Pick<SettlementEvent, "outcome" | "transaction" | "reason">,
  ): void {
    const { network, authorization } = payment;
    this.#world.log({
      event: "settlement",
      request_id: requestId,
      ...answer,
      attempts,
      network,
      payer: authorization.from,
      amount: authorization.value,
      payment: paymentKey(payment),
    });
  }

  #save(entry: Entry): void {
    this.#world.save(entry, wakesAt(entry));
    this.#wake(undefined);
  }

  #clear(failure?: Failure): void {
    this.#world.clear();
    this.#wake(failure);
  }

  #wake(failure: Failure | undefined): void {
    for (const resolve of this.#waiting) resolve(failure);
    this.#waiting.clear();
  }

  /** Resolves at the next transition (to the failure, if it is one), or after `ms` milliseconds. */
  #change(ms: number): Promise<Failure | undefined> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      void this.#world.sleep(ms).then(() => {
        this.#waiting.delete(resolve);
        resolve(undefined);
      });
    });
  }
}

function callOf({ fingerprint, payment, facilitator, signers, requestId }: Call): Call {
  return { fingerprint, payment, facilitator, signers, requestId };
}

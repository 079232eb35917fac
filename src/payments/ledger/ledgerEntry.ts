import type { Evidence } from "../chain/chain.ts";
import type { Settlement } from "../facilitators/facilitator.ts";
import type { SettlementEvent } from "../wire/events.ts";
import { paymentKey } from "../wire/paymentPayload.ts";
import {
  alarmDueAt,
  backoffMs,
  type Call,
  type Conclusion,
  conclude,
  concludeExposed,
  type Entry,
  type ExposedEntry,
  type Failure,
  mayBePublic,
  nextChainCheckAt,
  type PaymentStatus,
  type Purchase,
  type Refusal,
  type SettledEntry,
  type SettlingEntry,
  type StoredWork,
  statusOf,
} from "./record.ts";

/** An alarm that is overdue by this number of milliseconds or more counts as lost and is set again. */
const OVERDUE_MS = 10_000;

/** The dependencies of a {@link LedgerEntry}. Times are Unix milliseconds. */
interface LedgerWorld {
  load(): Entry | undefined;
  /** Stores the entry, and sets the alarm to `alarmAt`. Cancels the alarm if `alarmAt` is undefined. */
  save(entry: Entry, alarmAt: number | undefined): void;
  clear(): void;
  /** Asks the facilitator to settle. Never throws. */
  settle(call: Call): Promise<Settlement>;
  /**
   * Returns a function that reads the chain's evidence about a payment; undefined if no node is configured. The
   * function receives the time of the first settlement attempt, and resolves to undefined while the chain proves
   * nothing. The function never throws.
   */
  evidence(call: Call): ((firstAsked: number) => Promise<Evidence | undefined>) | undefined;
  /** Adds the payment to its payer's purchase list. Never throws. */
  addPurchase(entry: SettlingEntry): Promise<void>;
  /**
   * Enters the sale in the daybook of its day. A repeated entry has no effect. Returns whether the daybook contains the
   * sale. Never throws.
   */
  bookSale(entry: SettledEntry): Promise<boolean>;
  /**
   * Returns whether this payment may buy its result without proof of settlement. Each payer may get only a few such
   * sales per day.
   */
  allowUnproved(call: Call): Promise<boolean>;
  /** Upper bound for the duration of `settle` and `evidence` together, in milliseconds. */
  settleTimeoutMs: number;
  /** Returns whether an output can still be delivered. A revoked link makes its output unavailable early. */
  isAvailable(output: string): Promise<boolean>;
  /** Deletes an output that will never be delivered. Never throws. */
  deleteOutput(output: string): Promise<void>;
  now(): number;
  sleep(ms: number): Promise<void>;
  log(event: SettlementEvent): void;
}

/** One payment in the ledger. Changes the payment's state ({@link Entry}), and lets calls wait for the changes. */
export class LedgerEntry {
  readonly #world: LedgerWorld;
  /** Functions that resume the calls waiting for the next change of state. */
  #waiting = new Set<(failure: Failure | undefined) => void>();

  constructor(world: LedgerWorld) {
    this.#world = world;
  }

  /**
   * Returns the payment's status for a request. Waits, at most until `until`, while another call works on the same
   * request or the payment is being settled for it.
   * @param isPayerProven whether the caller has proved that it is the payer. A call that arrived before the payment
   * could be public needs no proof. Later, the payment itself proves nothing (see `mayBePublic`). Without a proof, the
   * caller learns only whether the payment is settled for another request
   */
  async waitForStatus(fingerprint: string, until: number, isPayerProven: boolean): Promise<PaymentStatus> {
    const needsProof = !isPayerProven && mayBePublic(this.#world.load());
    for (;;) {
      const now = this.#world.now();
      const entry = this.#world.load();
      let found = statusOf(entry, fingerprint, now);
      if (found.status === "sold" && entry?.state === "settled" && !(await this.#world.isAvailable(entry.work.output)))
        found = { status: "spent", lostBy: found.transaction };
      if (entry) this.#restoreLostAlarm(entry, now);
      if (needsProof && !("boughtOther" in found)) return { status: "proof_required" };
      const mayChange = found.status === "in_progress" || found.status === "pending";
      if (!mayChange || now >= until) return found;

      const leaseEnds = entry && "leaseEnds" in entry ? entry.leaseEnds : until;
      const failure = await this.#nextTransition(Math.min(until, leaseEnds) - now);
      if (failure) return { status: "failed", failure };
    }
  }

  /**
   * Claims the payment for one call, for `leaseMs` milliseconds, and returns the status. If the payment cannot be
   * claimed, returns the status that {@link waitForStatus} returns.
   */
  async claim(call: Call, leaseMs: number, until: number): Promise<PaymentStatus> {
    const found = await this.waitForStatus(call.fingerprint, until, true);
    if (found.status !== "free") return found;

    const claim = crypto.randomUUID();
    this.#save({ ...call, state: "claimed", claim, leaseEnds: this.#world.now() + leaseMs });
    return { status: "claimed", claim };
  }

  /**
   * Releases a claim, and reports `failure` to the calls that wait for this payment. If `failure` is undefined, these
   * calls continue and claim the payment themselves. Does nothing if another call has taken over the claim.
   */
  async release(claim: string, failure: Failure | undefined): Promise<void> {
    const entry = this.#world.load();
    if (entry?.state === "claimed" && entry.claim === claim) this.#clear(failure);
  }

  /**
   * Invalidates every claim on this payment that was made for the given request. Returns false if the payment may still
   * be settled for this request, or if it has bought an unexpired link for this request.
   */
  async invalidateClaims(fingerprint: string): Promise<boolean> {
    const entry = this.#world.load();
    const now = this.#world.now();
    if (entry?.fingerprint !== fingerprint) return true;

    switch (entry.state) {
      case "burned":
        return true;
      case "settling":
      case "exposed":
        return false;
      case "settled":
        return entry.work.expiresAt <= now;
      case "claimed":
        if (entry.leaseEnds > now) return false;
        this.#clear();
        return true;
    }
  }

  /**
   * Returns the result that the payment has bought. Returns undefined if the payment has bought nothing or the download
   * link no longer works.
   */
  async purchase(): Promise<Purchase | undefined> {
    const entry = this.#world.load();
    if (entry?.state !== "settled") return undefined;
    const { work, transaction, settledAt, requestId, payment } = entry;
    const { value, output, expiresAt } = work;
    if (expiresAt <= this.#world.now() || !(await this.#world.isAvailable(output))) return undefined;
    return { value, requestId, settledAt, expiresAt, transaction, network: payment.chain.caip2 };
  }

  /**
   * Stores the output of a claim, asks the facilitator once to settle, and returns the status. The status is `pending`
   * if the answer is inconclusive; the alarm then retries. Returns undefined, and deletes the output, if another call
   * has taken over the claim.
   */
  async settle(claim: string, work: StoredWork): Promise<PaymentStatus | undefined> {
    const entry = this.#world.load();
    if (entry?.state !== "claimed" || entry.claim !== claim) {
      await this.#world.deleteOutput(work.output);
      return undefined;
    }
    const now = this.#world.now();
    const failure = await this.#attemptSettlement({
      ...callOf(entry),
      state: "settling",
      work,
      attempts: 0,
      doubt: false,
      firstAsked: now,
      nextAt: now,
      transaction: "",
    });
    if (failure) return { status: "failed", failure };
    return statusOf(this.#world.load(), entry.fingerprint, this.#world.now());
  }

  /**
   * Handles the alarm. Depending on the state, the alarm retries a settlement, asks the chain about an exposed payment,
   * gives up when the link expires, books a sale, or clears an expired record.
   */
  async alarm(): Promise<void> {
    const entry = this.#world.load();
    const now = this.#world.now();
    if (!entry) return;

    if (entry.state === "settling" || entry.state === "exposed") {
      if (now >= entry.work.expiresAt) {
        this.#report(entry, { outcome: "unresolved" });
        this.#burn(entry);
      } else if (entry.state === "settling") await this.#attemptSettlement(entry);
      else await this.#checkChain(entry);
      return;
    }
    if (now < (alarmDueAt(entry) ?? Number.POSITIVE_INFINITY)) return this.#save(entry);
    if (entry.state === "settled" && entry.unbooked) return this.#book(entry, entry.unbooked);
    this.#clear();
  }

  /**
   * Makes one attempt to settle, unless the chain already shows the outcome of an earlier attempt. Resolves to the
   * reason if the payment was refused, otherwise to undefined.
   */
  async #attemptSettlement(before: SettlingEntry): Promise<Failure | undefined> {
    const world = this.#world;
    const entry = { ...before, attempts: before.attempts + 1 };
    const nextAt = world.now() + world.settleTimeoutMs + backoffMs(entry.attempts);
    // saves the entry before the attempt, because after a crash the outcome of the attempt would be unknown
    this.#save({ ...entry, doubt: true, nextAt });

    const added = world.addPurchase(entry);
    const evidence = world.evidence(entry);
    const proof = before.doubt ? await evidence?.(entry.firstAsked) : undefined;
    const concluded = conclude(entry, proof ?? (await world.settle(entry)), world.now(), evidence !== undefined);
    const failure = await this.#apply(concluded, entry);
    if (!failure) await added; // waits for the purchase list last, so that waiting calls get the outcome earlier
    return failure;
  }

  /**
   * Performs the transition that follows from a conclusion. Resolves to the reason if the payment was refused,
   * otherwise to undefined.
   */
  async #apply(concluded: Conclusion, entry: SettlingEntry): Promise<Failure | undefined> {
    switch (concluded.conclusion) {
      case "settled":
        this.#markSettled(entry, "settled", concluded.transaction);
        return undefined;
      case "unproved":
        if (!this.#world.evidence(entry) && (await this.#world.allowUnproved(entry)))
          this.#markSettled(entry, "unproved", concluded.transaction);
        else this.#retryLater(entry);
        return undefined;
      case "exposed": {
        const { work, firstAsked } = entry;
        this.#checkChainLater({ ...callOf(entry), state: "exposed", work, firstAsked, attempts: 1 });
        this.#report(entry, { outcome: "pending", reason: concluded.reason });
        return undefined;
      }
      case "burned":
      case "refused":
        return this.#refuse(entry, concluded);
      case "retry":
        this.#retryLater({ ...entry, transaction: concluded.transaction, doubt: concluded.doubt });
        return undefined;
    }
  }

  /** Asks the chain whether another party has submitted a payment that the service could not settle. */
  async #checkChain(before: ExposedEntry): Promise<void> {
    const world = this.#world;
    const entry = { ...before, attempts: before.attempts + 1 };
    this.#save({ ...entry, nextAt: world.now() + world.settleTimeoutMs + backoffMs(entry.attempts) });
    const concluded = concludeExposed(entry, await world.evidence(entry)?.(entry.firstAsked));
    if (concluded?.conclusion === "settled") this.#markSettled(entry, "settled", concluded.transaction);
    else if (concluded) await this.#refuse(entry, concluded);
    else this.#checkChainLater(entry);
  }

  #checkChainLater(entry: Omit<ExposedEntry, "nextAt">): void {
    this.#save({ ...entry, nextAt: nextChainCheckAt(entry, this.#world.now()) });
  }

  #markSettled(entry: SettlingEntry | ExposedEntry, outcome: "settled" | "unproved", transaction: string): void {
    const settledAt = this.#world.now();
    const settled: SettledEntry = {
      ...callOf(entry),
      state: "settled",
      work: entry.work,
      transaction,
      settledAt,
      // is due now, so that the alarm books the sale at once and no caller has to wait
      unbooked: { attempts: 0, nextAt: settledAt },
    };
    this.#save(outcome === "unproved" ? { ...settled, unproved: true } : settled);
    this.#report(entry, { outcome, transaction });
  }

  /** Sets the alarm of a payment again if the runtime has lost the alarm. */
  #restoreLostAlarm(entry: Entry, now: number): void {
    if ("nextAt" in entry && entry.nextAt + OVERDUE_MS <= now) this.#save({ ...entry, nextAt: now });
    if (entry.state === "settled" && entry.unbooked && entry.unbooked.nextAt + OVERDUE_MS <= now)
      this.#save({ ...entry, unbooked: { ...entry.unbooked, nextAt: now } });
  }

  async #book(entry: SettledEntry, { attempts }: { attempts: number }): Promise<void> {
    const { unbooked: _, ...booked } = entry;
    if (await this.#world.bookSale(entry)) return this.#save(booked);
    const nextAt = this.#world.now() + backoffMs(attempts + 1);
    this.#save({ ...entry, unbooked: { attempts: attempts + 1, nextAt } });
  }

  async #refuse(entry: SettlingEntry | ExposedEntry, { conclusion, reason }: Refusal): Promise<Failure> {
    const failure = { reason };
    if (conclusion === "burned") this.#burn(entry, failure);
    else this.#clear(failure);
    this.#report(entry, { outcome: "refused", reason });
    await this.#world.deleteOutput(entry.work.output);
    return failure;
  }

  /** Blocks further use of the payment until its authorization expires. */
  #burn(call: Call, failure?: Failure): void {
    const entry: Entry = { ...callOf(call), state: "burned" };
    const until = alarmDueAt(entry);
    if (until !== undefined && until <= this.#world.now()) this.#clear(failure);
    else {
      this.#world.save(entry, until);
      this.#notifyWaiting(failure);
    }
  }

  #retryLater(entry: SettlingEntry): void {
    this.#save({ ...entry, nextAt: this.#world.now() + backoffMs(entry.attempts) });
    this.#report(entry, { outcome: "pending" });
  }

  #report(
    { payment, attempts, requestId }: SettlingEntry | ExposedEntry,
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
    this.#world.save(entry, alarmDueAt(entry));
    this.#notifyWaiting(undefined);
  }

  #clear(failure?: Failure): void {
    this.#world.clear();
    this.#notifyWaiting(failure);
  }

  #notifyWaiting(failure: Failure | undefined): void {
    for (const resolve of this.#waiting) resolve(failure);
    this.#waiting.clear();
  }

  /**
   * Resolves at the next change of state, or after `ms` milliseconds. The value is the failure that caused the change;
   * undefined without a failure.
   */
  #nextTransition(ms: number): Promise<Failure | undefined> {
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

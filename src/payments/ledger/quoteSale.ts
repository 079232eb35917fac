/** The sale of one quote. A quote is a stored request that any payer may pay for, but only once. */
import type { RecordStorage } from "./recordStorage.ts";

/** The state of a quote's sale. Times are Unix milliseconds. */
export type QuoteState =
  | { status: "open" }
  /** A payer is paying. `until` is the end of the call's reservation. */
  | { status: "paying"; payment: string; until: number }
  /** The quote is sold. `value` is the result as JSON. */
  | { status: "sold"; payment: string; value: string; expiresAt: number }
  | { status: "withdrawn" };

type Stored = QuoteState & { expires: number };

/**
 * The answer to a payer. `paying` means that another payment is in progress. `sold` means that another payment has
 * bought the quote. `doubtful` means that the reservation of another payment has ended without an outcome. The ledger's
 * record of that payment then decides.
 */
export type QuoteReservation =
  | { status: "reserved" }
  | { status: "paying" | "sold" | "withdrawn" }
  | { status: "doubtful"; payment: string };

const KEY = "quote";

/** The sale of a quote in the storage of a Durable Object, which calls {@link QuoteSale.sweep} at its alarms. */
export class QuoteSale {
  readonly #storage: RecordStorage;

  constructor(storage: RecordStorage) {
    this.#storage = storage;
  }

  /** Returns the state of the quote's sale. In the state `paying`, the reservation may already have ended. */
  state(): QuoteState {
    return this.#storage.kv.get<Stored>(KEY) ?? { status: "open" };
  }

  /**
   * Reserves the quote for a payment until `until`. The payment that has bought the quote or is buying it can reserve
   * the quote again, so that a repeated call gets its result.
   * @param expires expiry of the quote itself, Unix milliseconds
   * @param unused a payment whose record shows that it has not bought the quote
   */
  async reserve(
    payment: string,
    until: number,
    expires: number,
    now: number,
    unused: string | undefined,
  ): Promise<QuoteReservation> {
    const state = this.state();
    const isOwn = "payment" in state && state.payment === payment;
    if (state.status === "sold") return { status: isOwn ? "reserved" : "sold" };
    if (state.status === "withdrawn") return { status: "withdrawn" };
    if (state.status === "paying" && !isOwn && state.payment !== unused)
      return state.until > now ? { status: "paying" } : { status: "doubtful", payment: state.payment };
    await this.#save({ status: "paying", payment, until, expires: Math.max(expires, until) });
    return { status: "reserved" };
  }

  /** Ends the reservation of a payment whose call has failed. */
  async release(payment: string): Promise<void> {
    const stored = this.#storage.kv.get<Stored>(KEY);
    if (stored?.status === "paying" && stored.payment === payment) await this.#storage.deleteAll();
  }

  /** Stores the result that a payment has bought. */
  async finish(payment: string, value: string, expiresAt: number): Promise<void> {
    const stored = this.#storage.kv.get<Stored>(KEY);
    if (stored?.status === "sold") return;
    await this.#save({ status: "sold", payment, value, expiresAt, expires: expiresAt });
  }

  /** Withdraws the quote, and stores this state until `expires`. Returns false if the quote is sold or being paid. */
  async withdraw(expires: number): Promise<boolean> {
    const { status } = this.state();
    if (status === "sold" || status === "paying") return false;
    await this.#save({ status: "withdrawn", expires });
    return true;
  }

  /** Deletes the state once it has expired. Returns false if this object stores no quote. */
  async sweep(now: number): Promise<boolean> {
    const stored = this.#storage.kv.get<Stored>(KEY);
    if (!stored) return false;
    if (stored.expires <= now) await this.#storage.deleteAll();
    else await this.#storage.setAlarm(stored.expires);
    return true;
  }

  async #save(stored: Stored): Promise<void> {
    this.#storage.kv.put(KEY, stored);
    await this.#storage.setAlarm(stored.expires);
  }
}

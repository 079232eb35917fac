import { DurableObject } from "cloudflare:workers";

/** A crashed call frees its payment after this long: more than the longest work and settlement. */
const LEASE_SECONDS = 600;
/** Past this many Unix seconds a Date has no value; such an authorization is kept for good. */
const MAX_ALARM_SECONDS = 8.64e12;

type Entry = { state: "claimed"; claim: string; until: number } | { state: "spent" };

export type Claim = { claimed: true; claim: string } | { claimed: false; state: Entry["state"] };

/**
 * What became of one payment. One object per payment, named by {@link paymentKey}; storage holds the single key `entry`.
 *
 * | state   | means                                            | leaves by                                       |
 * |---------|--------------------------------------------------|-------------------------------------------------|
 * | (none)  | never seen, or its work failed                   | `claim` -> claimed                              |
 * | claimed | one call is working on it, until its lease ends  | `release` -> (none), `spend` -> spent, lease end |
 * | spent   | settled: it buys nothing more                    | alarm, once its authorization has run out       |
 */
export class Ledger extends DurableObject<Env> {
  /** Takes the payment for one call. Times are Unix seconds; `validBefore` is when the authorization runs out. */
  async claim(nowSeconds: number, validBefore: number): Promise<Claim> {
    const entry = this.#entry;
    if (entry?.state === "spent") return { claimed: false, state: "spent" };
    if (entry && entry.until > nowSeconds) return { claimed: false, state: "claimed" };

    const claim = crypto.randomUUID();
    const until = nowSeconds + LEASE_SECONDS;
    this.#entry = { state: "claimed", claim, until };
    const forgetAt = Math.max(validBefore, until);
    if (forgetAt < MAX_ALARM_SECONDS) await this.ctx.storage.setAlarm(forgetAt * 1000);
    return { claimed: true, claim };
  }

  /** Gives the payment back: it can be used again. A claim that lost its lease to another call changes nothing. */
  async release(claim: string): Promise<void> {
    const entry = this.#entry;
    if (entry?.state === "claimed" && entry.claim === claim) await this.ctx.storage.deleteAll();
  }

  /** Records that the payment was settled. */
  async spend(): Promise<void> {
    this.#entry = { state: "spent" };
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }

  get #entry(): Entry | undefined {
    return this.ctx.storage.kv.get<Entry>("entry");
  }

  set #entry(entry: Entry) {
    this.ctx.storage.kv.put("entry", entry);
  }
}

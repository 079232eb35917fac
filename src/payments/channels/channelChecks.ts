import type { ChannelSnapshot } from "../wire/channelTypes.ts";
import type { ChannelChain } from "./channelChain.ts";
import { type ChannelRecord, type Pending, stateExtraOf } from "./channelRecord.ts";
import type { ChannelStore } from "./channelStore.ts";
import type { ChannelWorld } from "./channelWorld.ts";

/** Beginning of the error codes of the x402 scheme "batch-settlement". */
export const CODE = "invalid_batch_settlement_evm";
/**
 * Time in milliseconds after an answer with the channel's state. Within this time, a call with the same voucher counts
 * as a repetition of the answered call.
 */
const SAME_CALL_MS = 60_000;

/** The payer's last voucher and the channel's state, which a client needs to continue ("Corrective 402"). */
export interface Correction {
  channelState: ReturnType<typeof stateExtraOf>;
  voucherState: { signedMaxClaimable: string; signature: ChannelRecord["signature"] };
}

interface Mismatch {
  status: "mismatch";
  correction: Correction;
}

interface Refused {
  status: "refused";
  reason: string;
}

/** Reason why a channel does not pay for a call. `unavailable` means that no facilitator gave a verdict. */
export type ChannelRefusal = Mismatch | Refused | { status: "unavailable" };

/** Checks whether a channel can pay for a call or a refund. */
export class ChannelChecks {
  readonly #world: ChannelWorld;
  readonly #store: ChannelStore;
  readonly #chain: ChannelChain;

  constructor(world: ChannelWorld, store: ChannelStore, chain: ChannelChain) {
    this.#world = world;
    this.#store = store;
    this.#chain = chain;
  }

  /**
   * Asks the facilitators about a payload, and stores the on-chain state that the facilitators report. Returns the
   * refusal if the channel cannot pay.
   */
  async ask(record: ChannelRecord, request: string): Promise<ChannelRefusal | undefined> {
    const verdict = await this.#chain.verdict(record, request);
    if (verdict.outcome === "unknown") return { status: "unavailable" };
    if (verdict.outcome === "invalid") return { status: "refused", reason: verdict.reason };
    return this.#apply(verdict.snapshot);
  }

  /**
   * Stores the channel's on-chain state in the record. If the record's charged amount is lower than the claimed amount,
   * raises the charged amount and returns a correction for the client.
   */
  #apply(snapshot: ChannelSnapshot): Mismatch | undefined {
    const record = this.#store.load()!;
    const isBehind = BigInt(record.charged) < BigInt(snapshot.totalClaimed);
    // amounts that were claimed before the first sale in this record are already in the books
    const isNew = record.lastCallAt === 0;
    const known = { ...record, ...(isNew && { claimsBooked: snapshot.totalClaimed }) };
    const charged = isBehind ? snapshot.totalClaimed : record.charged;
    const synced = this.#chain.synced({ ...known, charged }, snapshot, "");
    this.#store.save(synced);
    return isBehind ? this.mismatch(synced) : undefined;
  }

  /**
   * Returns the reason why the channel's state on the chain does not allow a reserved call. Returns undefined if the
   * call is allowed.
   */
  refusalOf({ max, deposit }: Pending): Refused | undefined {
    const { snapshot } = this.#store.load()!;
    if (snapshot.withdrawRequestedAt > 0)
      return {
        status: "refused",
        reason: `${CODE}_withdrawal_pending: a withdrawal from this channel is pending. Pay with the scheme "exact", or open a channel with another salt`,
      };
    const balance = BigInt(snapshot.balance) + BigInt(deposit?.amount ?? 0);
    if (BigInt(max) > balance)
      return {
        status: "refused",
        reason: `${CODE}_cumulative_exceeds_balance: the channel holds ${balance}. Deposit more`,
      };
    return undefined;
  }

  /**
   * Answers with the last voucher. Callers other than the payer may see this answer, so the voucher counts as exposed.
   */
  mismatch(record: ChannelRecord): Mismatch {
    const { signedMax, signature, exposedMax } = record;
    const stored = this.#store.load();
    if (stored && stored.lastCallAt > 0 && BigInt(exposedMax) < BigInt(signedMax))
      this.#store.save({ ...stored, exposedMax: signedMax });
    const voucherState = { signedMaxClaimable: signedMax, signature };
    return { status: "mismatch", correction: { channelState: stateExtraOf(record), voucherState } };
  }

  /**
   * Returns the channel's state for a client that does not know of a refund or withdrawal and assumes a higher balance.
   * Such a client reads the balance again only after a mismatch. If its voucher still exceeds the balance in a second
   * call within `SAME_CALL_MS`, returns undefined, so that the client gets the reason.
   */
  balanceCorrection({ max, deposit }: Pending, reason: string): Mismatch | undefined {
    const record = this.#store.load()!;
    if (deposit || record.lastCallAt === 0 || !reason.includes("exceeds_balance")) return undefined;
    const { corrected, ...others } = record;
    const now = this.#world.now();
    const isSecond = corrected?.max === max && now < corrected.at + SAME_CALL_MS;
    this.#store.save(isSecond ? others : { ...record, corrected: { max, at: now } });
    return isSecond ? undefined : this.mismatch(record);
  }
}

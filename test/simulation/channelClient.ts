import type { ChannelRequirements } from "../../src/payments/wire/channelOffer.ts";
import type { ChannelConfig, Hex } from "../../src/payments/wire/channelTypes.ts";
import { CHAIN_ID, type ChannelContract } from "./channelContract.ts";
import type { SimulatedHeaders } from "./messages.ts";
import { signerOf, signHash } from "./signatures.ts";
import type { World } from "./world.ts";

const MISMATCH = "invalid_batch_settlement_evm_cumulative_amount_mismatch";

/** Validity of the authorization for a deposit, in seconds. */
const DEPOSIT_SECONDS = 300;

/** The payer of a payment channel: its account, its salt, and the amounts that its clients have signed. */
export interface Holder {
  payer: Hex;
  salt: Hex;
  /** The largest amount that the payer's clients have signed, by channel id. */
  signedMax: Map<string, bigint>;
  /** Number of simulated faults before the payer's first call. */
  faultsBefore: number;
}

/** A client's view of a payment channel's state. */
interface Known {
  charged: bigint;
  balance: bigint;
}

/** The channel fields of a payment response, or of a 402 that corrects the client. */
interface ChannelAnswer {
  chargedAmount?: string;
  channelState?: { chargedCumulativeAmount: string };
  voucherState?: { signedMaxClaimable: string; signature: Hex };
}

/**
 * One client of a payment channel, modeled on the official client. The next voucher is for the amount that the client
 * believes is charged, plus the price. If a 402 contains the client's last voucher as proof of another charged amount,
 * the client adopts that amount.
 */
export class ChannelClient {
  readonly holder: Holder;
  /** Answers that the official client would reject. */
  readonly refused: string[] = [];
  readonly #world: World;
  readonly #contract: ChannelContract;
  readonly #known = new Map<string, Known>();
  /** Whether the client must request the payment terms before its next call. */
  needsTerms = true;
  #terms: ChannelRequirements | undefined;

  constructor(holder: Holder, world: World, contract: ChannelContract) {
    this.holder = holder;
    this.#world = world;
    this.#contract = contract;
  }

  /** Reads the payment terms from the header of a 402. */
  readTerms(headers: SimulatedHeaders): void {
    this.#terms = this.#offered(headers).channel;
    this.needsTerms = false;
  }

  get channelId(): Hex {
    return this.#contract.idOf(this.#config);
  }

  /**
   * Returns the payment header of a call: a voucher, together with a deposit if the channel does not hold enough money.
   */
  pay(): string {
    const { channelId } = this;
    const known = this.#knownOrRead();
    const price = BigInt(this.#terms!.amount);
    const max = known.charged + price;
    const lacking = max - known.balance;
    if (lacking <= 0n) return this.#header({ type: "voucher", ...this.#voucher(channelId, max) });
    const least = BigInt(this.#terms!.extra.minDeposit);
    const erc3009Authorization = {
      validAfter: "0",
      validBefore: String(Math.floor(this.#world.now / 1000) + DEPOSIT_SECONDS),
      salt: this.holder.salt,
      signature: `0x${this.#world
        .below(2 ** 32)
        .toString(16)
        .padStart(8, "0")
        .repeat(17)
        .slice(0, 130)}`,
    };
    const deposit = { amount: String(lacking > least ? lacking : least), authorization: { erc3009Authorization } };
    return this.#header({ type: "deposit", ...this.#voucher(channelId, max), deposit });
  }

  /** Returns the header of a refund request, or undefined if the client knows that the channel holds nothing. */
  refund(): string | undefined {
    const { charged, balance } = this.#knownOrRead();
    if (balance <= charged) return undefined;
    return this.#header({ type: "refund", ...this.#voucher(this.channelId, charged) });
  }

  /** Updates the client's state from the receipt of a paid call or of a refund. */
  readReceipt(headers: SimulatedHeaders, sent: string): void {
    const receipt = JSON.parse(atob(headers.get("PAYMENT-RESPONSE")!)) as { success: boolean; extra: ChannelAnswer };
    const { payload } = JSON.parse(atob(sent));
    const id = payload.voucher.channelId as string;
    if (payload.type === "refund") return void this.#known.delete(id);
    const { charged, balance } = this.#known.get(id)!;
    const chargedAmount = BigInt(receipt.extra.chargedAmount ?? 0);
    if (chargedAmount > BigInt(this.#terms!.amount)) this.refused.push(`charged ${chargedAmount}`);
    const next = charged + chargedAmount;
    // The client ignores a state that does not follow from its own.
    if (BigInt(receipt.extra.channelState!.chargedCumulativeAmount) !== next) return;
    this.#known.set(id, { charged: next, balance: balance + BigInt(payload.deposit?.amount ?? 0) });
  }

  /** Returns whether a 402 proves the charged amount. If it does, the client adopts this amount and may try again. */
  correct(headers: SimulatedHeaders): boolean {
    const { error, channel } = this.#offered(headers);
    if (error !== MISMATCH) return false;
    const { channelState, voucherState } = channel!.extra as ChannelAnswer;
    const { channelId } = this;
    const charged = BigInt(channelState!.chargedCumulativeAmount);
    const { signedMaxClaimable, signature } = voucherState!;
    const { balance, totalClaimed } = this.#contract.snapshot(channelId);
    const hash = this.#contract.hashes.voucherHash(channelId, signedMaxClaimable, CHAIN_ID);
    const isProved =
      charged <= BigInt(signedMaxClaimable) &&
      charged >= BigInt(totalClaimed) &&
      signerOf(hash, signature) === this.holder.payer;
    if (isProved) this.#known.set(channelId, { charged, balance: BigInt(balance) });
    else this.refused.push(`${charged} charged, ${totalClaimed} claimed, ${signedMaxClaimable} signed`);
    return isProved;
  }

  get #config(): ChannelConfig {
    const { payTo, asset, extra } = this.#terms!;
    const { payer, salt } = this.holder;
    const { receiverAuthorizer, withdrawDelay } = extra;
    return {
      payer,
      payerAuthorizer: payer,
      receiver: payTo as Hex,
      receiverAuthorizer,
      token: asset as Hex,
      withdrawDelay,
      salt,
    };
  }

  #knownOrRead(): Known {
    const { channelId } = this;
    const { balance, totalClaimed } = this.#contract.snapshot(channelId);
    const known = this.#known.get(channelId) ?? { charged: BigInt(totalClaimed), balance: BigInt(balance) };
    this.#known.set(channelId, known);
    return known;
  }

  #voucher(channelId: Hex, max: bigint) {
    const { payer, signedMax } = this.holder;
    if (max > (signedMax.get(channelId) ?? 0n)) signedMax.set(channelId, max);
    const maxClaimableAmount = String(max);
    const signature = signHash(this.#contract.hashes.voucherHash(channelId, maxClaimableAmount, CHAIN_ID), payer);
    return { channelConfig: this.#config, voucher: { channelId, maxClaimableAmount, signature } };
  }

  #header(payload: object): string {
    return btoa(JSON.stringify({ x402Version: 2, accepted: this.#terms, payload }));
  }

  #offered(headers: SimulatedHeaders) {
    const { accepts, error } = JSON.parse(atob(headers.get("PAYMENT-REQUIRED")!));
    const channel = (accepts as ChannelRequirements[]).find(({ scheme }) => scheme === "batch-settlement");
    return { error: error as string, channel };
  }
}

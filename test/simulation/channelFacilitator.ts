import type { ChannelConfig } from "../../src/payments/wire/channelTypes.ts";
import type { ChannelContract, Deposit, SignedClaims, SignedRefund } from "./channelContract.ts";
import { SimulatedResponse as Response } from "./messages.ts";
import { signerOf } from "./signatures.ts";
import { never, type World } from "./world.ts";

/** A delay in milliseconds after which no caller still waits for the facilitator. */
const LATE_MS = 20_000;

type Voucher = { channelId: string; maxClaimableAmount: string; signature: string };
type Asked =
  | { type: "voucher" | "refund"; channelConfig: ChannelConfig; voucher: Voucher }
  | { type: "deposit"; channelConfig: ChannelConfig; voucher: Voucher; deposit: Deposit };
type Transaction =
  | Extract<Asked, { type: "deposit" }>
  | ({ type: "refund"; channelConfig: ChannelConfig } & SignedRefund)
  | ({ type: "claim" } & SignedClaims)
  | { type: "settle"; receiver: string };

/** The part of the facilitator for payment channels. Its answers can be late, lost or wrong. */
export class ChannelFacilitator {
  readonly #world: World;
  readonly #contract: ChannelContract;
  #transactions = 0;

  constructor(world: World, contract: ChannelContract) {
    this.#world = world;
    this.#contract = contract;
  }

  /** Answers a request, or returns undefined if the request is not about a payment channel. */
  answer(path: string, body: string): Promise<Response> | undefined {
    const { paymentPayload } = JSON.parse(body);
    if (paymentPayload?.accepted?.scheme !== "batch-settlement") return undefined;
    return path === "/settle" ? this.#settle(paymentPayload.payload) : this.#verify(paymentPayload.payload);
  }

  async #verify(asked: Asked): Promise<Response> {
    const world = this.#world;
    await world.sleep(world.below(300));
    if (world.fails(0.18))
      switch (world.below(5)) {
        case 0:
          await world.sleep(world.below(LATE_MS));
          break;
        case 1:
          return never();
        case 2:
          return new Response("", { status: 500 });
        case 3:
          throw new TypeError("Network connection lost.");
        case 4:
          return Response.json({ isValid: false, invalidReason: "insufficient_funds" });
      }
    const reason = this.#faultOf(asked);
    if (reason !== undefined) return Response.json({ isValid: false, invalidReason: reason });
    const { channelConfig, voucher } = asked;
    return Response.json({
      isValid: true,
      payer: channelConfig.payer,
      extra: this.#contract.snapshot(voucher.channelId),
    });
  }

  #faultOf(asked: Asked): string | undefined {
    const { channelConfig, voucher } = asked;
    const { channelId, maxClaimableAmount, signature } = voucher;
    const hash = this.#contract.hashes.voucherHash(channelId as `0x${string}`, maxClaimableAmount, 84_532);
    if (signerOf(hash, signature) !== channelConfig.payerAuthorizer.toLowerCase()) return "voucher_signature";
    const { balance, totalClaimed } = this.#contract.snapshot(channelId);
    if (asked.type === "deposit" && !this.#contract.isUsable(asked.deposit)) return "authorization is used";
    const held = BigInt(balance) + BigInt(asked.type === "deposit" ? asked.deposit.amount : 0);
    const max = BigInt(maxClaimableAmount);
    if (held === 0n) return "channel_not_found";
    if (max > held) return "cumulative_exceeds_balance";
    const isBelow = asked.type === "refund" ? max < BigInt(totalClaimed) : max <= BigInt(totalClaimed);
    return isBelow ? "cumulative_below_claimed" : undefined;
  }

  async #settle(transaction: Transaction): Promise<Response> {
    const world = this.#world;
    await world.sleep(world.below(500));
    if (!world.fails(0.5)) return this.#send(transaction);
    switch (world.below(10)) {
      case 0: // the facilitator answers late
        await world.sleep(world.below(LATE_MS));
        return this.#send(transaction);
      case 1: // the facilitator does not answer, and never sends the transaction
        return never();
      case 2: // the facilitator does not answer, and sends the transaction after the timeout
        world.later(LATE_MS + world.below(60_000), () => this.#execute(transaction));
        return never();
      case 3:
        return new Response("", { status: 500 });
      case 4: // the transaction is sent, but the answer is broken
        this.#execute(transaction);
        return new Response('{"success":tr');
      case 5: // the transaction is sent, but the answer is lost
        this.#execute(transaction);
        await world.sleep(world.below(LATE_MS));
        throw new TypeError("Network connection lost.");
      case 6: // the transaction is sent, but the facilitator does not see it in time
        this.#execute(transaction);
        return refusal("transaction_confirmation_timed_out");
      case 7: // the facilitator does not process the request
        return new Response("", { status: 429 });
      case 8: // the simulation of the transaction fails
        return refusal("transaction_simulation_failed");
      default: // the request does not reach the facilitator
        throw new TypeError("Network connection lost.");
    }
  }

  #send(transaction: Transaction): Response {
    const amount = this.#execute(transaction);
    if (amount === undefined)
      return refusal(transaction.type === "settle" ? "nothing_to_settle" : "transaction_simulation_failed");
    const hash = `0x${(++this.#transactions).toString(16).padStart(64, "c")}`;
    const channelState =
      "channelConfig" in transaction && this.#contract.snapshot(this.#contract.idOf(transaction.channelConfig));
    return Response.json({
      success: true,
      transaction: hash,
      network: "eip155:84532",
      amount,
      ...(channelState && this.#world.chance(0.7) && { extra: { channelState } }),
    });
  }

  #execute(transaction: Transaction): string | undefined {
    switch (transaction.type) {
      case "deposit":
        return this.#contract.deposit(transaction.channelConfig, transaction.deposit);
      case "refund":
        return this.#contract.refund(transaction.channelConfig, transaction);
      case "claim":
        return this.#contract.claim(transaction);
      case "settle":
        return this.#contract.transfer(transaction.receiver.toLowerCase());
    }
  }
}

function refusal(errorReason: string): Response {
  return Response.json({ success: false, errorReason, transaction: "" });
}

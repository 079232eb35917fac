import { CHANNEL_CONTRACT } from "../../src/payments/wire/channelTypes.ts";
import { ASSET, SIGNER, STRANGER } from "./addresses.ts";
import type { ChannelContract } from "./channelContract.ts";
import type { World } from "./world.ts";

const BLOCK_MS = 2000;
const AUTHORIZATION_USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
const AUTHORIZATION_CANCELED = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/**
 * Transaction that has used an authorization on the chain: a transfer that the named party submitted, or a
 * cancellation. An authorization can be used once, before it expires.
 */
export type Consumer = "us" | "another service" | "a stranger" | "its cancellation";

/** A signed payment and its history. Times are Unix milliseconds. */
export interface Payment {
  /** The value of the X-PAYMENT header. */
  header: string;
  /** The name of the payment, as returned by `paymentKey`. */
  key: string;
  from: string;
  to: string;
  value: string;
  nonce: string;
  signature: string;
  /** Time when the authorization expires. */
  ends: number;
  /** Whether the payment's signature is forged. */
  forged: boolean;
  consumed: { by: Consumer; at: number } | undefined;
  /** Whether a transaction with the payment has been sent to the chain, where anyone can read it. */
  isPublic: boolean;
  /**
   * Whether the payment's money moved although the facilitator's answer denied it. Either the request arrived twice, or
   * the facilitator's node did not answer and the service has no other node.
   */
  doubled: boolean;
}

/** The simulated chain with all payments, and a node of the chain. */
export class Chain {
  readonly payments: Payment[] = [];
  readonly channels: ChannelContract;
  readonly #world: World;

  constructor(world: World, channels: ChannelContract) {
    this.#world = world;
    this.channels = channels;
  }

  /** Uses the authorization of a payment. Returns false if the authorization is used or has expired. */
  consume(payment: Payment, by: Consumer): boolean {
    if (payment.consumed || this.#world.now >= payment.ends) return false;
    payment.consumed = { by, at: this.#world.now };
    return true;
  }

  /** Makes a stranger submit one of the payments that are visible to everyone. */
  moveSeen(): void {
    const seen = this.payments.filter(({ isPublic, consumed }) => isPublic && !consumed);
    if (seen.length > 0) this.consume(this.#world.pick(seen), "a stranger");
  }

  withNonce(nonce: string): Payment {
    return this.payments.find((payment) => payment.nonce === nonce)!;
  }

  /** Answers a JSON-RPC call to the node. */
  rpc(method: string, params: [never, never]): unknown {
    switch (method) {
      case "eth_getBlockByNumber": {
        const number = (params[0] as string) === "latest" ? blockAt(this.#world.now) : Number(params[0]);
        return { number: hex(number), timestamp: hex(Math.floor((number * BLOCK_MS) / 1000)) };
      }
      case "eth_call": {
        const { data, to } = params[0] as { data: string; to: string };
        if (to === CHANNEL_CONTRACT) return this.#channelWords(data);
        const used = this.#shown(`0x${data.slice(-64)}`, Number(params[1]));
        return `0x${(used ? "1" : "0").padStart(64, "0")}`;
      }
      case "eth_getLogs": {
        const { topics, toBlock } = params[0] as { topics: [string[], string, string]; toBlock: string };
        const payment = this.#shown(topics[2], Number(toBlock));
        if (!payment) return [];
        const { by } = payment.consumed!;
        const topic = by === "its cancellation" ? AUTHORIZATION_CANCELED : AUTHORIZATION_USED;
        return [logOf(payment, [topic, topics[1], topics[2]], 1)];
      }
      case "eth_getTransactionReceipt": {
        // In this simulation, the nonce of a payment stands for the hash of its transaction.
        const payment = this.withNonce(params[0]);
        const { from, to, value, consumed } = payment;
        const transfer = logOf(payment, [TRANSFER, word(from), word(to)], 2, word(hex(Number(value))));
        const logs = [logOf(payment, [AUTHORIZATION_USED, word(from), payment.nonce], 1), transfer];
        return { status: "0x1", from: consumed!.by === "a stranger" ? STRANGER : SIGNER, logs };
      }
      default:
        throw new Error(`no such method: ${method}`);
    }
  }

  /** Answers a read of the payment-channel contract, by the function selector in `data`. */
  #channelWords(data: string): string {
    const { balance, totalClaimed, withdrawRequestedAt, refundNonce } = this.channels.snapshot(`0x${data.slice(10)}`);
    const words = (...numbers: (string | number)[]) =>
      `0x${numbers.map((one) => word(hex(Number(one))).slice(2)).join("")}`;
    switch (data.slice(0, 10)) {
      case "0x7a7ebd7b":
        return words(balance, totalClaimed);
      case "0xb7f06ebe":
        return words(withdrawRequestedAt === 0 ? 0 : balance, withdrawRequestedAt);
      default:
        return words(refundNonce);
    }
  }

  /** Returns the payment with this nonce if it was used in the block `block` or an earlier block. */
  #shown(nonce: string, block: number): Payment | undefined {
    const payment = this.withNonce(nonce);
    return payment.consumed && blockAt(payment.consumed.at) <= block ? payment : undefined;
  }
}

function logOf({ nonce, consumed }: Payment, topics: string[], logIndex: number, data = "0x") {
  const at = { logIndex: hex(logIndex), blockNumber: hex(blockAt(consumed!.at)), transactionHash: nonce };
  return { address: ASSET, topics, data, ...at };
}

function blockAt(ms: number): number {
  return Math.ceil(ms / BLOCK_MS); // a block contains all transactions since the previous block
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}

function word(value: string): string {
  return `0x${value.slice(2).padStart(64, "0")}`;
}

/** Payment channels, deposits and vouchers for tests, signed by the official client. */
import { computeChannelId, signVoucher } from "@x402/evm/batch-settlement/client";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { ChannelRequirements } from "../../src/payments/wire/channelOffer.ts";
import { type ChannelPayment, checkVoucher, readChannelPayment } from "../../src/payments/wire/channelPayload.ts";
import { type ChannelConfig, type Hex, ZERO_ADDRESS } from "../../src/payments/wire/channelTypes.ts";
import { NETWORKS } from "../../src/payments/wire/networks.ts";
import { type Offer, offerOf } from "../../src/payments/wire/offer.ts";
import { parsePrice } from "../../src/payments/wire/price.ts";

export const CHAIN = NETWORKS["base-sepolia"];
const CHANNEL_KEY: Hex = `0x${"c1".repeat(32)}`;
const PAY_TO: Hex = `0x${"aa".repeat(20)}`;

/** An offer of payment channels on one chain, at a price of 50,000 atomic units. */
export const CHANNEL_OFFER: Offer = offerOf(
  { url: "https://api.example.com/v1/watermark/text", description: "A watermark", outputSchema: {} },
  {
    price: parsePrice("0.05")!,
    payTo: PAY_TO,
    networks: [CHAIN],
    maxTimeoutSeconds: 300,
    channels: {
      receiverAuthorizer: privateKeyToAccount(CHANNEL_KEY).address,
      withdrawDelay: 86_400,
      minDepositCalls: 10,
      chains: [CHAIN.caip2],
    },
  },
);
export const REQUIREMENTS: ChannelRequirements = CHANNEL_OFFER.channels[0]!;
export const PRICE = 50_000;

/** A payer with one payment channel. */
export class TestPayer {
  readonly account = privateKeyToAccount(generatePrivateKey());
  readonly config: ChannelConfig;
  readonly channelId: Hex;

  constructor(change: Partial<ChannelConfig> = {}) {
    this.config = {
      payer: this.account.address,
      payerAuthorizer: this.account.address,
      receiver: PAY_TO,
      receiverAuthorizer: REQUIREMENTS.extra.receiverAuthorizer,
      token: CHAIN.asset,
      withdrawDelay: 86_400,
      salt: `0x${"0".repeat(64)}`,
      ...change,
    };
    this.channelId = computeChannelId(this.config, CHAIN.caip2);
  }

  /** Returns the payload of a voucher for the cumulative amount `max`. */
  async voucher(max: number) {
    const voucher = await signVoucher(this.account, this.channelId, String(max), CHAIN.caip2);
    return { type: "voucher", channelConfig: this.config, voucher };
  }

  /**
   * Returns the payload of a deposit and of a voucher for the cumulative amount `max`. The signature of the deposit's
   * transfer is random.
   */
  async deposit(amount: number, max: number) {
    const signature = `0x${crypto.getRandomValues(new Uint8Array(65)).toHex()}`;
    const validBefore = String(Math.floor(Date.now() / 1000) + 300);
    const erc3009Authorization = { validAfter: "0", validBefore, salt: `0x${"1".repeat(64)}`, signature };
    const deposit = { amount: String(amount), authorization: { erc3009Authorization } };
    return { ...(await this.voucher(max)), type: "deposit", deposit };
  }

  /** Returns the payload of a refund request, with a voucher for the amount charged so far. */
  async refund(charged: number, amount?: number) {
    return { ...(await this.voucher(charged)), type: "refund", ...(amount && { amount: String(amount) }) };
  }
}

/**
 * Changes the configuration of a channel to that of a contract wallet, whose vouchers only the facilitator can verify.
 */
export const CONTRACT = { payerAuthorizer: ZERO_ADDRESS };

/** Wraps the payload of a channel in an x402 payment. */
export const paymentOf = (payload: object, accepted: object = REQUIREMENTS) => ({ x402Version: 2, accepted, payload });

/** Returns a payload as parsed by the service. */
export async function readPayload(payload: object): Promise<ChannelPayment> {
  const read = readChannelPayment([paymentOf(payload)], CHANNEL_OFFER)!;
  await checkVoucher(read, CHANNEL_OFFER);
  return read;
}

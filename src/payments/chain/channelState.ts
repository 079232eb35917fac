import * as z from "zod";
import { CHANNEL_CONTRACT, type ChannelSnapshot, type Hex } from "../wire/channelTypes.ts";
import { EVIDENCE_TIMEOUT_MS, word } from "./chain.ts";
import { rpcClient } from "./rpc.ts";

/** `channels(bytes32)` returns the balance and the total claimed amount. */
const CHANNELS = "0x7a7ebd7b";
/** `pendingWithdrawals(bytes32)` returns the amount of a withdrawal request and its time. */
const PENDING_WITHDRAWALS = "0xb7f06ebe";
/** `refundNonce(bytes32)` */
const REFUND_NONCE = "0xf0dc792e";

const words = z
  .string()
  .regex(/^0x(?:[0-9a-f]{64})+$/i)
  .transform((data) =>
    data
      .slice(2)
      .match(/.{64}/g)!
      .map((digits) => BigInt(`0x${digits}`)),
  );

/**
 * Reads the state of a payment channel through a JSON-RPC node.
 * @throws Error if the node does not answer as expected
 */
export async function readChannelState(channelId: Hex, rpcUrl: string): Promise<ChannelSnapshot> {
  const rpc = rpcClient(rpcUrl, EVIDENCE_TIMEOUT_MS);
  const call = (selector: string) =>
    rpc("eth_call", [{ to: CHANNEL_CONTRACT, data: selector + word(channelId) }, "latest"], words);
  const [[balance = 0n, totalClaimed = 0n], [, requestedAt = 0n], [nonce = 0n]] = await Promise.all([
    call(CHANNELS),
    call(PENDING_WITHDRAWALS),
    call(REFUND_NONCE),
  ]);
  return {
    balance: String(balance),
    totalClaimed: String(totalClaimed),
    withdrawRequestedAt: Number(requestedAt),
    refundNonce: String(nonce),
  };
}

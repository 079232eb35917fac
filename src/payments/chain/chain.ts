/**
 * Reads from the chain, through a JSON-RPC node, whether a payment has moved its money. This file handles EVM chains
 * (EIP-3009), and `solanaChain.ts` handles Solana.
 */
import * as z from "zod";
import type { EventContext } from "../wire/events.ts";
import { isSolana } from "../wire/networks.ts";
import type { PaymentPayload } from "../wire/paymentPayload.ts";
import { askedByChain } from "./chainTime.ts";
import { type Rpc, rpcClient } from "./rpc.ts";
import { readSolana } from "./solanaChain.ts";

/**
 * Proof of the outcome of a payment that a facilitator was asked to settle.
 *
 * - `settled`: `transaction` has moved the money. `sender` is the account that sent the transaction, and is known only
 *   on EVM chains
 * - `lost`: the payment has moved no money for this request and never will. `reason` gives the cause
 */
export type Evidence =
  | { outcome: "settled"; transaction: string; sender?: string }
  | { outcome: "lost"; reason: string };

/** URL of a JSON-RPC node, by network name. Networks without a node are absent. */
export type RpcUrls = Readonly<Record<string, string>>;

/** Upper bound for the duration of {@link evidenceOf}, in milliseconds. */
export const EVIDENCE_TIMEOUT_MS = 5000;
/**
 * Evidence is read this number of blocks below the newest block, because a reorganization may still replace newer
 * blocks.
 */
const CONFIRMATIONS = 1n;
/** Tolerated error in seconds of the time that {@link askedByChain} returns. Block timestamps are whole seconds. */
const CLOCK_SKEW = 2;
/** Number of blocks over which the mean block time is measured. */
const SAMPLE_BLOCKS = 1000n;
/**
 * The log search starts this number of seconds before the first attempt. The payer may cancel the authorization while
 * the work runs, and the block number for a given time is only an estimate.
 */
const SEARCH_MARGIN = 600;

/** `authorizationState(address,bytes32)` */
const AUTHORIZATION_STATE = "0xe94a0102";
/** `AuthorizationUsed(address,bytes32)` */
const AUTHORIZATION_USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
/** `AuthorizationCanceled(address,bytes32)` */
const AUTHORIZATION_CANCELED = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";
/** `Transfer(address,address,uint256)` */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const hex = z.string().regex(/^0x[0-9a-f]+$/i);
const quantity = hex.transform(BigInt);
const block = z.object({ number: quantity, timestamp: quantity });
const log = z.object({
  address: hex,
  topics: z.array(hex),
  data: z.string(),
  logIndex: quantity,
  blockNumber: quantity,
  transactionHash: hex,
});
const receipt = z.object({ status: quantity, from: hex, logs: z.array(log) });

/**
 * Returns the chain's proof of a payment's outcome. Returns undefined while the payment is unused, or if the node does
 * not answer. Never throws.
 *
 * A transfer is proof only if it belongs to this authorization, matches its recipient and amount, and is not older than
 * `firstAsked`. An older transfer paid for something else. On Solana the same rules apply to the transaction that
 * contains the payment's message.
 * @param firstAsked start of the first settlement attempt, Unix milliseconds
 */
export async function evidenceOf(
  payment: PaymentPayload,
  firstAsked: number,
  rpcUrl: string,
  { requestId, log }: EventContext,
): Promise<Evidence | undefined> {
  try {
    const rpc = rpcClient(rpcUrl, EVIDENCE_TIMEOUT_MS);
    return await (isSolana(payment.chain) ? readSolana : readEvm)(payment, firstAsked, rpc);
  } catch (error) {
    log({ event: "chain", request_id: requestId, network: payment.network, error: String(error) });
    return undefined;
  }
}

async function readEvm({ chain, authorization }: PaymentPayload, firstAsked: number, rpc: Rpc) {
  const { asset } = chain;
  const { from, to, value, validBefore, nonce } = authorization;
  const newest = await rpc("eth_getBlockByNumber", ["latest", false], block);
  if (newest.number < CONFIRMATIONS) return undefined;
  const head = await rpc("eth_getBlockByNumber", [toHex(newest.number - CONFIRMATIONS), false], block);

  const data = AUTHORIZATION_STATE + word(from) + word(nonce);
  const consumed = await rpc("eth_call", [{ to: asset, data }, toHex(head.number)], quantity);
  if (consumed === 0n)
    return head.timestamp < BigInt(validBefore)
      ? undefined
      : lost("invalid_exact_evm_payload_authorization_valid_before: the authorization expired before it was settled");

  const asked = askedByChain(firstAsked, Number(newest.timestamp));
  const since = asked - SEARCH_MARGIN;
  const [event] = await rpc(
    "eth_getLogs",
    [
      {
        address: asset,
        fromBlock: toHex(await blockBefore(since, head, rpc)),
        toBlock: toHex(head.number),
        topics: [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], `0x${word(from)}`, nonce],
      },
    ],
    z.array(log),
  );
  if (!event) return undefined;
  if (event.topics[0] === AUTHORIZATION_CANCELED)
    return lost("authorization_canceled: the payer canceled the authorization");

  const { timestamp } = await rpc("eth_getBlockByNumber", [toHex(event.blockNumber), false], block);
  const { status, from: sender, logs } = await rpc("eth_getTransactionReceipt", [event.transactionHash], receipt);
  // reads only the token's next log, because the contract logs the transfer directly after the use of the authorization
  const next = logs
    .filter(({ address, logIndex }) => isSame(address, asset) && logIndex > event.logIndex)
    .reduce<z.output<typeof log> | undefined>((a, b) => (a && a.logIndex < b.logIndex ? a : b), undefined);
  const paid =
    status === 1n &&
    next !== undefined &&
    next.topics.length === 3 &&
    [TRANSFER, `0x${word(from)}`, `0x${word(to)}`].every((topic, at) => isSame(next.topics[at] ?? "", topic)) &&
    BigInt(next.data) === BigInt(value);
  if (!paid) return lost("nonce_already_used: the authorization's nonce was used for something else");
  if (Number(timestamp) + CLOCK_SKEW < Math.floor(asked))
    return lost("nonce_already_used: the authorization was used before this call");
  return { outcome: "settled", transaction: event.transactionHash, sender: sender.toLowerCase() } as const;
}

/** Returns an estimate of the last block before a time (Unix seconds), based on the mean time between blocks. */
async function blockBefore(time: number, head: z.output<typeof block>, rpc: Rpc): Promise<bigint> {
  const sample = head.number < SAMPLE_BLOCKS ? head.number : SAMPLE_BLOCKS;
  if (sample === 0n) return 0n;
  const earlier = await rpc("eth_getBlockByNumber", [toHex(head.number - sample), false], block);
  const secondsPerBlock = Math.max(Number(head.timestamp - earlier.timestamp), 1) / Number(sample);
  const back = BigInt(Math.ceil(Math.max(Number(head.timestamp) - time, 0) / secondsPerBlock));
  return back < head.number ? head.number - back : 0n;
}

function lost(reason: string): Evidence {
  return { outcome: "lost", reason };
}

/** Returns a hexadecimal value as an ABI word of 32 bytes, without 0x. */
export function word(value: string): string {
  return value.slice(2).toLowerCase().padStart(64, "0");
}

function toHex(number: bigint): string {
  return `0x${number.toString(16)}`;
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Reads from the chain whether a payment on Solana has moved its money. */
import * as z from "zod";
import { type PaymentPayload, SOLANA_LIFETIME_SECONDS } from "../wire/paymentPayload.ts";
import { decodeTransaction } from "../wire/solanaTransaction.ts";
import { askedByChain } from "./chainTime.ts";
import type { Rpc } from "./rpc.ts";

/**
 * Commitment level of the blocks that are read. At this level, most validators have voted for the block, and no such
 * block has ever been reverted.
 */
const COMMITMENT = "confirmed";
/**
 * Tolerance, in seconds, when a block time is compared with the time that {@link askedByChain} returns. Validators only
 * estimate block times.
 */
const CLOCK_SKEW = 10;
/**
 * Maximum number of transactions of the payer's token account that are searched, newest first. A longer search would
 * exceed the timeout.
 */
const MAX_LISTED = 100;

const validity = z.object({ context: z.object({ slot: z.int() }), value: z.boolean() });
const failure = z.string().or(z.looseObject({})).nullable();
/** Time of a block in Unix seconds. It is null if the node does not know the time. */
const time = z.number().nullable();
const listed = z.array(z.object({ signature: z.string(), err: failure, blockTime: time }));
const sent = z.object({ transaction: z.tuple([z.string(), z.literal("base64")]) });

/**
 * Returns the chain's proof of a payment's outcome. The chain accepts a message once, and only while its blockhash is
 * valid. The transaction is found through the payer's token account, because only the facilitator knows the
 * transaction's signature.
 * @see evidenceOf
 * @throws Error if the node does not answer as expected
 */
export async function readSolana({ authorization, transfer }: PaymentPayload, firstAsked: number, rpc: Rpc) {
  if (!transfer) return undefined;
  const { value: isValid, context } = await rpc(
    "isBlockhashValid",
    [transfer.blockhash, { commitment: COMMITMENT }],
    validity,
  );
  // The list is read after the blockhash check, from a node that has reached the slot of that check. If the blockhash
  // had expired at that slot, no later transaction can use it, so the list is complete.
  const bounds = { commitment: COMMITMENT, minContextSlot: context.slot, limit: MAX_LISTED };
  const [all, chainNow] = await Promise.all([
    rpc("getSignaturesForAddress", [transfer.source, bounds], listed),
    rpc("getBlockTime", [context.slot], time).catch(() => null),
  ]);
  const asked = askedByChain(firstAsked, chainNow ?? Date.now() / 1000);
  const since = asked - SOLANA_LIFETIME_SECONDS - CLOCK_SKEW;
  const recent = all.filter(({ blockTime }) => blockTime === null || blockTime > since);

  for (const { signature, err, blockTime } of recent) {
    const options = { encoding: "base64", commitment: COMMITMENT, maxSupportedTransactionVersion: 0 };
    const { transaction } = await rpc("getTransaction", [signature, options], sent);
    if (messageHashOf(transaction[0]) !== authorization.nonce) continue;
    if (err !== null) return lost("transaction_failed: the chain rejected the transaction");
    if (blockTime !== null && blockTime + CLOCK_SKEW < asked)
      return lost("duplicate_settlement: the transaction was settled before this call");
    return { outcome: "settled", transaction: signature } as const;
  }
  // A node may report a very recent blockhash as invalid because it does not know the blockhash yet.
  const isOver = !isValid && Date.now() > firstAsked + SOLANA_LIFETIME_SECONDS * 1000;
  return isOver && recent.length < MAX_LISTED
    ? lost("block_height_exceeded: the transaction's blockhash lapsed before it was settled")
    : undefined;
}

/**
 * Returns the message hash of a transaction. Returns undefined if the transaction cannot be decoded. Such a transaction
 * is never a payment.
 */
function messageHashOf(transaction: string): string | undefined {
  try {
    return decodeTransaction(transaction).messageHash;
  } catch {
    return undefined;
  }
}

function lost(reason: string) {
  return { outcome: "lost", reason } as const;
}

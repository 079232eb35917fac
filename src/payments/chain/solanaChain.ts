/** What the chain shows of a payment on Solana. */
import * as z from "zod";
import { type PaymentPayload, SOLANA_LIFETIME_SECONDS } from "../wire/paymentPayload.ts";
import { decodeTransaction } from "../wire/solanaTransaction.ts";
import type { Rpc } from "./rpc.ts";

/** What most validators have voted for. No block has been taken back after that. */
const COMMITMENT = "confirmed";
/** How far the clocks of chain and Worker may differ, in seconds: blocks carry the validators' estimate. */
const CLOCK_SKEW = 10;
/** How many transactions of the payer's token account are looked through, the newest: as many as there is time for. */
const MAX_LISTED = 100;

const validity = z.object({ context: z.object({ slot: z.int() }), value: z.boolean() });
const failure = z.string().or(z.looseObject({})).nullable();
const listed = z.array(z.object({ signature: z.string(), err: failure, blockTime: z.number().nullable() }));
const sent = z.object({ transaction: z.tuple([z.string(), z.literal("base64")]) });

/**
 * Returns what became of a payment's message, which the chain takes only once, and only while its blockhash lasts. The
 * transaction's signature is the facilitator's to make, so that it is found by the payer's token account.
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
  // asked after, of no earlier slot: whatever could be done with a blockhash that had lapsed then, is in the list
  const bounds = { commitment: COMMITMENT, minContextSlot: context.slot, limit: MAX_LISTED };
  const all = await rpc("getSignaturesForAddress", [transfer.source, bounds], listed);
  const asked = firstAsked / 1000;
  const since = asked - SOLANA_LIFETIME_SECONDS - CLOCK_SKEW;
  const recent = all.filter(({ blockTime }) => blockTime === null || blockTime > since);

  for (const { signature, err, blockTime } of recent) {
    const options = { encoding: "base64", commitment: COMMITMENT, maxSupportedTransactionVersion: 0 };
    const { transaction } = await rpc("getTransaction", [signature, options], sent);
    if (messageHashOf(transaction[0]) !== authorization.nonce) continue;
    if (err !== null) return lost("transaction_failed: the chain has refused the transaction");
    if (blockTime !== null && blockTime + CLOCK_SKEW < asked)
      return lost("duplicate_settlement: the transaction had been settled before this call");
    return { outcome: "settled", transaction: signature } as const;
  }
  // a node may not know a blockhash yet that is quite new
  const isOver = !isValid && Date.now() / 1000 > asked + SOLANA_LIFETIME_SECONDS;
  return isOver && recent.length < MAX_LISTED
    ? lost("block_height_exceeded: the transaction's blockhash lapsed before it was settled")
    : undefined;
}

/** Returns undefined for a transaction of a kind that payments are not. */
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

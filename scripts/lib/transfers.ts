/** Reads transfers to the seller from a chain. */
import { createClient, type Hex, http, publicActions } from "viem";
import type { SoldOn } from "./books.ts";

/** A transfer of the network's token to the seller. */
export interface Transfer {
  transaction: string;
  from: string;
  to: string;
  /** Amount in atomic units. */
  amount: string;
  /** Fetches the time of the transfer's block in Unix milliseconds. */
  time(): Promise<number>;
}

const TRANSFER = {
  type: "event",
  name: "Transfer",
  inputs: [
    { name: "from", type: "address", indexed: true },
    { name: "to", type: "address", indexed: true },
    { name: "value", type: "uint256" },
  ],
} as const;

/**
 * Initial number of blocks per search. Nodes have different limits. If a node refuses a range, the range is halved,
 * down to one block.
 */
const MOST_BLOCKS = 10_000n;
/** Number of the newest blocks that the search ignores, because the chain may still replace them. */
const CONFIRMATIONS = 1n;

/**
 * Returns the transfers of a network's token to the seller's addresses in a span of time (Unix milliseconds), in the
 * order of the chain.
 * @param rpcUrl address of a node of an EVM chain
 * @throws Error with a message for the operator, if the node does not answer or belongs to another chain
 */
export async function transfersTo(
  sellers: readonly string[],
  { network, chain, asset }: SoldOn,
  rpcUrl: string,
  since: number,
  until: number,
): Promise<Transfer[]> {
  const node = createClient({ transport: http(rpcUrl, { retryCount: 3 }) }).extend(publicActions);
  const silent = (error: unknown): never => {
    throw new Error(`the node of ${network} in RPC_URL does not answer: ${sentence(error)}`);
  };
  const id = await node.getChainId().catch(silent);
  if (chain !== `eip155:${id}`)
    throw new Error(`the node of ${network} in RPC_URL belongs to eip155:${id}, not ${chain}`);

  const timeOf = timesOf((blockNumber) => node.getBlock({ blockNumber }).catch(silent));
  const head = (await node.getBlockNumber({ cacheTime: 0 }).catch(silent)) - CONFIRMATIONS;
  const last = (await firstBlockAt(until, head, timeOf)) - 1n;
  const found: Transfer[] = [];
  let step = MOST_BLOCKS;
  for (let from = await firstBlockAt(since, head, timeOf); from <= last; ) {
    const to = from + step - 1n < last ? from + step - 1n : last;
    const args = { to: sellers as Hex[] };
    const logs = await node
      .getLogs({ address: asset as Hex, event: TRANSFER, args, fromBlock: from, toBlock: to, strict: true })
      .catch((error: unknown) => {
        if (to === from) throw new Error(`the node of ${network} in RPC_URL refuses the search: ${sentence(error)}`);
      });
    if (!logs) {
      step = (to - from + 1n) / 2n;
      continue;
    }
    for (const { transactionHash, blockNumber, args } of logs)
      if (args.value > 0n)
        // skips transfers of zero, which anyone can send, for example as advertising
        found.push({
          transaction: transactionHash,
          from: args.from,
          to: args.to,
          amount: String(args.value),
          time: () => timeOf(blockNumber),
        });
    from = to + 1n;
  }
  return found;
}

/**
 * Returns a function that returns the time of a block in Unix milliseconds. The function fetches each block only once.
 */
function timesOf(read: (block: bigint) => Promise<{ timestamp: bigint }>): (block: bigint) => Promise<number> {
  const known = new Map<bigint, number>();
  return async (blockNumber) => {
    const time = known.get(blockNumber) ?? Number((await read(blockNumber)).timestamp) * 1000;
    known.set(blockNumber, time);
    return time;
  };
}

/** Returns the first block that is not older than `time`, or the block after `head` if all blocks are older. */
async function firstBlockAt(time: number, head: bigint, timeOf: (block: bigint) => Promise<number>): Promise<bigint> {
  let [low, high] = [0n, head + 1n];
  while (low < high) {
    const middle = (low + high) / 2n;
    if ((await timeOf(middle)) < time) low = middle + 1n;
    else high = middle;
  }
  return low;
}

/** Returns an error's message without the node's address, which often contains a key. */
function sentence(error: unknown): string {
  return String((error as { shortMessage?: string }).shortMessage ?? (error as Error).message).replace(
    /https?:\S+/g,
    "…",
  );
}

/**
 * Buys 101 times through a payment channel, on a chain with a block every two seconds. `npm run check:channels` runs
 * this test and prints durations, facilitator requests and gas. The contract is this project's own implementation, so
 * its gas only approximates that of the real contract.
 */
import { generatePrivateKey } from "viem/accounts";
import { expect, test, vi } from "vitest";
import { type Chain, startChain } from "../e2e/chain/anvil.ts";
import { callsCharged, channelBuyer, PRICE } from "../e2e/chain/channelBuyer.ts";
import { installChannels } from "../e2e/chain/channels.ts";
import { startFacilitator } from "../e2e/chain/facilitator.ts";
import { startWorker } from "../support/worker.ts";

const PAY_TO = "0x00000000000000000000000000000000c0ffee47";
const VOUCHERS = 100;
const TOTAL = BigInt(VOUCHERS + 1) * PRICE;

/** Names of the channel contract's functions, by function selector. */
const FUNCTIONS: Record<string, string> = {
  "0x140f1e75": "deposit",
  "0xe43ce1f2": "claimWithSignature",
  "0x9db32a8f": "settle",
  "0xac9650d8": "multicall of claim and refund",
};

test("a channel pays for a hundred calls without a transaction per call, until claims and a refund collect the sum", async () => {
  const chain = await startChain({ blockSeconds: 2 });
  const contract = await installChannels(chain);
  const facilitator = await startFacilitator(chain);
  const settings = { FACILITATOR_URL: facilitator.url, PAY_TO, CHANNEL_KEY: generatePrivateKey(), RPC_URL: chain.url };
  const worker = await startWorker({ ...settings, CHANNEL_MIN_DEPOSIT_CALLS: String(VOUCHERS + 2) });
  try {
    const payer = await chain.payerWith(2n * TOTAL);
    const { buy, refund, state } = await channelBuyer(chain, contract, worker, payer, { largeDeposits: true });
    const timed = async (calls: number) => {
      const began = performance.now();
      const answer = await buy();
      const ms = performance.now() - began;
      expect(callsCharged(answer)).toBe(calls);
      return ms;
    };
    const first = await timed(1);
    const { verify } = facilitator.calls;
    const later: number[] = [];
    for (let call = 0; call < VOUCHERS; call++) later.push(await timed(call + 2));
    await vi.waitUntil(async () => (await state()).totalClaimed > 0n, { timeout: 60_000, interval: 100 });
    expect(facilitator.calls.verify).toBe(verify);
    await vi.waitUntil(() => facilitator.settled.includes("settle"), { timeout: 60_000, interval: 100 });
    // The refund also claims the outstanding calls.
    const closed = await refund().catch((error: Error) => error.message);
    await vi.waitUntil(async () => (await state()).totalClaimed === TOTAL, { timeout: 60_000, interval: 100 });

    later.sort((a, b) => a - b);
    const at = (part: number) => later[Math.floor(part * (VOUCHERS - 1))]!.toFixed(0);
    const row = (...cells: (string | number)[]) => process.stdout.write(`| ${cells.join(" | ")} |\n`);
    row("step", "milliseconds");
    row("first call, with the deposit", first.toFixed(0));
    row(`${VOUCHERS} later calls: median (5th to 95th percentile)`, `${at(0.5)} (${at(0.05)} to ${at(0.95)})`);
    row("requests to the facilitator", `${facilitator.calls.verify} verify; settle: ${facilitator.settled.join(", ")}`);
    for (const [name, gas] of await gasByFunction(chain, facilitator.account.address))
      row(`gas: ${name}`, gas.join(", "));
    row("refund", typeof closed === "string" ? closed : (closed.amount ?? ""));
  } finally {
    await worker.stop();
    await facilitator.stop();
    await chain.stop();
  }
});

/** Returns the gas used by an account's transactions, grouped by contract function. */
async function gasByFunction({ client }: Chain, sender: string): Promise<Map<string, bigint[]>> {
  const found = new Map<string, bigint[]>();
  const head = await client.getBlockNumber({ cacheTime: 0 });
  for (let blockNumber = 0n; blockNumber <= head; blockNumber++) {
    const { transactions } = await client.getBlock({ blockNumber, includeTransactions: true });
    for (const { hash, from, input } of transactions) {
      if (from.toLowerCase() !== sender.toLowerCase()) continue;
      const name = FUNCTIONS[input.slice(0, 10)] ?? input.slice(0, 10);
      const { gasUsed } = await client.getTransactionReceipt({ hash });
      found.set(name, [...(found.get(name) ?? []), gasUsed]);
    }
  }
  return found;
}

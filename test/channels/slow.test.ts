/**
 * Slow tests of payment channels, run by `npm run check:channels`. They cover restarts, lost state, claims through
 * unavailable facilitators, and many programs that use one channel.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Chain, startChain } from "../e2e/chain/anvil.ts";
import { callsCharged, channelBuyer, DEPOSIT, PRICE, patiently, refusedReason } from "../e2e/chain/channelBuyer.ts";
import { type ChannelContract, installChannels } from "../e2e/chain/channels.ts";
import { startFacilitator } from "../e2e/chain/facilitator.ts";
import { storageFolder } from "../support/storageFolder.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

const CHANNEL_KEY = generatePrivateKey();
const PAY_TO = "0x00000000000000000000000000000000c0ffee46";

let chain: Chain;
let contract: ChannelContract;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
let second: Awaited<ReturnType<typeof startFacilitator>>;
const workers: StartedWorker[] = [];
beforeAll(async () => {
  chain = await startChain();
  contract = await installChannels(chain);
  [facilitator, second] = await Promise.all([startFacilitator(chain), startFacilitator(chain)]);
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  await Promise.all([facilitator?.stop(), second?.stop()]);
  await chain?.stop();
});

/** Starts a Worker. The Worker stops after the tests of this file. */
async function start(vars: Record<string, string> = {}, keptState?: string): Promise<StartedWorker> {
  const own = { FACILITATOR_URL: facilitator.url, PAY_TO, CHANNEL_KEY, RPC_URL: chain.url, ...vars };
  const worker = await startWorker(own, keptState === undefined ? {} : { keptState });
  workers.push(worker);
  return worker;
}
/** Returns a buyer with money for 40 calls through a payment channel. */
const richBuyer = async (worker: { url: string }) =>
  channelBuyer(chain, contract, worker, await chain.payerWith(4n * DEPOSIT));
const claimedFrom = async ({ state }: Awaited<ReturnType<typeof channelBuyer>>) => (await state()).totalClaimed;
const LONG = { timeout: 150_000, interval: 200 };

describe("slow cases of payment channels", () => {
  test("the Worker claims one dollar of sales in one transaction, and the dollar reaches the seller's wallet", async () => {
    const buyer = await richBuyer(await start());
    const asked = facilitator.settled.length;
    for (let calls = 1; calls <= 20; calls++) expect(callsCharged(await buyer.buy())).toBe(calls);
    await vi.waitUntil(async () => (await chain.balanceOf(PAY_TO)) === 20n * PRICE, LONG);
    expect(await claimedFrom(buyer)).toBe(20n * PRICE);
    expect(facilitator.settled.slice(asked).sort()).toEqual(["claim", "deposit", "deposit", "settle"]);
  });

  test("the Worker claims sales through a second facilitator if the first fails, and waits for the facilitator if there is only one", async () => {
    const [both, one] = [await start({ FACILITATOR_URL: `${facilitator.url},${second.url}` }), await start()];
    const buyers = [await richBuyer(both), await richBuyer(one)] as const;
    facilitator.interpose("", async () => "cut"); // The empty address selects claims, which have no payer.
    for (const { buy } of buyers)
      for (let calls = 1; calls <= 20; calls++) expect(callsCharged(await buy())).toBe(calls);
    await vi.waitUntil(async () => (await claimedFrom(buyers[0])) === 20n * PRICE, LONG);
    expect(await claimedFrom(buyers[1])).toBe(0n);
    facilitator.interpose("", undefined);
    await vi.waitUntil(async () => (await claimedFrom(buyers[1])) === 20n * PRICE, LONG);
  });

  test("a restarted Worker continues a payment channel, even at another price", async () => {
    const state = await mkdtemp(join(storageFolder(), "overprint-"));
    const address = { url: "" };
    const restart = async (vars?: Record<string, string>) => {
      await workers.at(-1)?.stop();
      workers.pop();
      const { url } = await start(vars, state);
      address.url = url;
    };
    await start();
    await restart();
    const { buy } = await channelBuyer(chain, contract, address);
    for (const calls of [1, 2]) expect(callsCharged(await buy())).toBe(calls);
    await restart({ PRICE: "0.10" });
    expect(callsCharged(await buy())).toBe(4);
    await rm(state, { recursive: true, force: true });
  });

  test("a Worker that has lost a channel's state takes the charged amount from the client, and later claims the calls", async () => {
    const address = { url: (await start()).url };
    const buyer = await richBuyer(address);
    for (const calls of [1, 2, 3]) expect(callsCharged(await buyer.buy())).toBe(calls);
    address.url = (await start()).url;
    for (let calls = 4; calls <= 23; calls++) expect(callsCharged(await buyer.buy())).toBe(calls);
    await vi.waitUntil(async () => (await claimedFrom(buyer)) >= 20n * PRICE, LONG);
  });

  test("the Worker counts a channel's calls from the claimed amount if the Worker and the client have lost the state", async () => {
    const address = { url: (await start()).url };
    const first = await channelBuyer(chain, contract, address);
    for (const calls of [1, 2, 3]) expect(callsCharged(await first.buy())).toBe(calls);
    address.url = (await start()).url;
    const { buy } = await channelBuyer(chain, contract, address, first.account);
    expect(callsCharged(await buy())).toBe(1);
  });

  test("a Worker that has lost a channel's state still refuses the channel while a withdrawal is pending", async () => {
    const address = { url: (await start()).url };
    const { buy, sign, config, account } = await channelBuyer(chain, contract, address);
    expect(callsCharged(await buy())).toBe(1);
    await contract.requestWithdrawal(account, await config(), DEPOSIT);
    address.url = (await start()).url;
    const call = await sign();
    expect(refusedReason(await call())).toContain("withdraw");
  });

  test("the Worker charges each call once if twenty programs use one payment channel in parallel", async () => {
    const worker = await start();
    const { account: payer, buy } = await richBuyer(worker);
    expect(callsCharged(await buy())).toBe(1);
    const programs = await Promise.all(Array.from({ length: 20 }, () => channelBuyer(chain, contract, worker, payer)));
    const answers = await Promise.all(programs.map((program) => patiently(() => program.buy(), 60)));
    const charged = answers.map(callsCharged).sort((a, b) => a - b);
    expect(charged).toEqual(Array.from({ length: 20 }, (_, call) => call + 2));
  });
});

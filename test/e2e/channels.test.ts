/** Tests payment channels of the real Worker with the unmodified official client and facilitator on a local chain. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { channels as runChannels } from "../../scripts/channels/channels.ts";
import { runCli } from "../support/cli.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { type Chain, startChain } from "./chain/anvil.ts";
import {
  callsCharged,
  channelBuyer,
  channelReceipt,
  DEPOSIT,
  PRICE,
  patiently,
  refusedReason,
  soldUrl,
} from "./chain/channelBuyer.ts";
import { type ChannelContract, installChannels } from "./chain/channels.ts";
import { startFacilitator } from "./chain/facilitator.ts";

const CHANNEL_KEY = generatePrivateKey();
const OPERATOR_TOKEN = "operators-only-operators-only-0123";
const PAY_TO = "0x00000000000000000000000000000000c0ffee45";

let chain: Chain;
let contract: ChannelContract;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
let worker: StartedWorker;
beforeAll(async () => {
  chain = await startChain();
  contract = await installChannels(chain);
  facilitator = await startFacilitator(chain);
  worker = await startWorker({
    FACILITATOR_URL: facilitator.url,
    PAY_TO,
    CHANNEL_KEY,
    RPC_URL: chain.url,
    OPERATOR_TOKEN,
  });
});
afterAll(async () => {
  await worker?.stop();
  await facilitator?.stop();
  await chain?.stop();
});
const buyer = (...more: Tail<Parameters<typeof channelBuyer>>) => channelBuyer(chain, contract, worker, ...more);
type Tail<List extends unknown[]> = List extends [unknown, unknown, unknown, ...infer Rest] ? Rest : never;

describe("payment channels through the official client and facilitator", () => {
  test("a 402 lists the offer of the scheme `exact` before the payment-channel offer", async () => {
    const { accepts } = await (await buyer()).terms();
    expect(accepts.map(({ scheme }) => scheme)).toEqual(["exact", "batch-settlement"]);
    expect(accepts[1]!.extra).toMatchObject({ withdrawDelay: 86_400, minDeposit: String(DEPOSIT) });
  });

  test("a channel pays for the first call with a deposit and for later calls with vouchers, and refunds the rest", async () => {
    const { buy, refund, state, account } = await buyer();
    const first = await buy();
    expect(channelReceipt(first)).toMatchObject({
      transaction: expect.stringMatching(/^0x/),
      amount: String(DEPOSIT),
    });
    await soldUrl(first);
    const asked = { ...facilitator.calls };
    for (const calls of [2, 3]) {
      const later = await buy();
      const extra = { chargedAmount: String(PRICE) };
      expect(channelReceipt(later)).toMatchObject({ transaction: "", amount: "", extra });
      expect(callsCharged(later)).toBe(calls);
      await soldUrl(later);
    }
    expect(facilitator.calls).toEqual(asked);
    expect(await refund()).toMatchObject({ success: true, amount: String(DEPOSIT - 3n * PRICE) });
    expect(await state()).toMatchObject({ balance: 3n * PRICE, totalClaimed: 3n * PRICE });
    expect(await chain.balanceOf(account.address)).toBe(2n * DEPOSIT - 3n * PRICE);
  });

  test("a call after a refund reopens the channel with a new deposit", async () => {
    const { buy, refund, state } = await buyer();
    expect(callsCharged(await buy())).toBe(1);
    await refund();
    expect(callsCharged(await buy())).toBe(2);
    expect(await state()).toMatchObject({ balance: PRICE + DEPOSIT, totalClaimed: PRICE });
  });

  test("a channel call repeated with its idempotency key gets the lost answer again and is charged once", async () => {
    const { buy, sign } = await buyer();
    await buy();
    const call = await sign({ "Idempotency-Key": crypto.randomUUID() });
    const [lost, again] = [await call("LOST"), await call("LOST")];
    expect(again.headers.get("PAYMENT-RESPONSE")).toBe(lost.headers.get("PAYMENT-RESPONSE"));
    expect(await soldUrl(again)).toBe(await soldUrl(lost));
  });

  test("a channel call repeated without an idempotency key gets the lost answer again if the request is the same", async () => {
    const { buy, sign } = await buyer();
    await buy();
    const call = await sign();
    const [lost, again] = [await call("LOST"), await call("LOST")];
    expect(again.headers.get("PAYMENT-RESPONSE")).toBe(lost.headers.get("PAYMENT-RESPONSE"));
    expect(await soldUrl(again)).toBe(await soldUrl(lost));
  });

  test("a channel call repeated with its idempotency key and a new voucher is not charged, and its receipt has the current channel state", async () => {
    const { buy } = await buyer();
    await buy();
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const [first, again] = [await buy("SAME", key), await buy("SAME", key)];
    expect(channelReceipt(again).extra.chargedAmount).toBe("0");
    expect([callsCharged(first), callsCharged(again)]).toEqual([2, 2]);
    expect(await soldUrl(again)).toBe(await soldUrl(first));
    expect(callsCharged(await buy())).toBe(3);
  });

  test("a voucher that is sent again with a different request gets no result", async () => {
    const { buy, sign } = await buyer();
    await buy();
    const call = await sign();
    expect(callsCharged(await call())).toBe(2);
    expect(refusedReason(await call())).toMatch(/^invalid_batch_settlement_evm_cumulative_amount_mismatch/);
  });

  test("the voucher of a failed call can pay for the next call", async () => {
    const { buy, sign } = await buyer();
    await buy();
    const call = await sign();
    expect((await call("X", new Uint8Array(Buffer.from("no PDF")))).status).toBe(422);
    expect(callsCharged(await call())).toBe(2);
  });

  test("a client that has lost a channel's state recovers it from the Worker's answers", async () => {
    const { buy, account } = await buyer();
    for (const calls of [1, 2, 3]) expect(callsCharged(await buy())).toBe(calls);
    expect(callsCharged(await (await buyer(account)).buy())).toBe(4);
  });

  test("the Worker charges each call once if two programs use one payment channel in parallel", async () => {
    const first = await buyer();
    await first.buy();
    const programs = await Promise.all([buyer(first.account), buyer(first.account)]);
    const answers = await Promise.all(programs.map(({ buy }) => patiently(() => buy(), 10)));
    expect(answers.map(callsCharged).sort()).toEqual([2, 3]);
  });

  test("a payer can pay through several channels in parallel", async () => {
    const payer = await chain.payerWith(3n * DEPOSIT);
    const programs = await Promise.all(
      ["1", "2", "3"].map((salt) => buyer(payer, { salt: `0x${salt.padStart(64, "0")}` })),
    );
    const answers = await Promise.all(programs.map(({ buy }) => buy()));
    const ids = answers.map((answer) => channelReceipt(answer).extra.channelState.channelId);
    expect(new Set(ids).size).toBe(3);
    expect(answers.map(callsCharged)).toEqual([1, 1, 1]);
  });

  test("a deposit is charged only once if the answer to its settlement is lost", async () => {
    const { sign, state, account } = await buyer();
    const call = await sign({ "Idempotency-Key": crypto.randomUUID() });
    facilitator.loseNextAnswer("cut");
    const answer = await patiently(() => call("DEPOSIT"), 50);
    await soldUrl(answer);
    expect(callsCharged(answer)).toBe(1);
    expect(await state()).toMatchObject({ balance: DEPOSIT });
    expect(await chain.balanceOf(account.address)).toBe(DEPOSIT);
  });

  test("a refund of a channel never returns money that a simultaneous call spends", async () => {
    const { buy, refund, state, account } = await buyer();
    await buy();
    const [sold, refunded] = await Promise.all([buy(), refund().catch((error: Error) => error)]);
    const { balance, totalClaimed } = await state();
    const spent = 2n * DEPOSIT - (await chain.balanceOf(account.address)) - (balance - totalClaimed);
    if (refunded instanceof Error) expect([spent, balance]).toEqual([0n, DEPOSIT]);
    const { status } = sold;
    // A call after the refund makes another deposit.
    const added = status === 200 ? BigInt(channelReceipt(sold).amount || 0) : 0n;
    if (!(refunded instanceof Error)) expect(balance - totalClaimed).toBe(added);
    const calls = status === 200 ? BigInt(callsCharged(sold)) : 1n;
    expect(balance).toBeGreaterThanOrEqual(calls * PRICE);
  });

  test("the Worker refuses calls through a channel during a withdrawal, and claims the money of earlier calls", async () => {
    const { buy, sign, config, state, account } = await buyer();
    for (let calls = 1; calls <= 10; calls++) expect(callsCharged(await buy())).toBe(calls);
    await contract.requestWithdrawal(account, await config(), DEPOSIT);
    // Makes a call with a second deposit, which makes the Worker ask the facilitator about the channel.
    const call = await sign();
    expect((await call()).status).toBe(402);
    await vi.waitUntil(async () => (await state()).totalClaimed === DEPOSIT, { timeout: 20_000, interval: 100 });
  });
});

test("overprint buy --channel buys twice from the Worker, and overprint channel refunds the rest", async () => {
  const folder = await mkdtemp(join(tmpdir(), "overprint-channels-"));
  const key = generatePrivateKey();
  const { address } = privateKeyToAccount(key);
  await chain.mint(address, DEPOSIT);
  const env = { PRIVATE_KEY: key, RPC_URL: chain.url, XDG_STATE_HOME: folder };
  const cli = (...args: string[]) => runCli([...args, "--url", worker.url], { env });
  for (const file of ["a.pdf", "b.pdf"]) {
    const mark = ["buy", "examples/contract.pdf", "--text", "X", "-o", join(folder, file)];
    const { code, stdout } = await cli(...mark, "--channel");
    expect([code, stdout]).toEqual([0, expect.stringContaining("Paid 0.05 USDC on base-sepolia")]);
  }
  expect((await cli("channel", "status")).stdout).toContain("0.4 USDC left for 8 calls, of 0.5 USDC. Spent 0.1 USDC");
  expect((await cli("channel", "refund")).stdout).toContain("Refunded 0.4 USDC on base-sepolia");
  expect(await chain.balanceOf(address)).toBe(DEPOSIT - 2n * PRICE);
  await rm(folder, { recursive: true, force: true });
});

describe("npm run channels", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "overprint-channels-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  /** Runs the command in this process. Returns the exit code and the output. */
  async function channels(args: string[], env: Record<string, string> = {}) {
    const [printed, complaints]: [string[], string[]] = [[], []];
    const code = await runChannels(["--url", worker.url, ...args], {
      settingsFile: join(folder, "missing"),
      env: { OPERATOR_TOKEN, CHANNEL_KEY, RPC_URL: chain.url, ...env },
      print: (text) => printed.push(text),
      complain: (text) => complaints.push(text),
    });
    return { code, stdout: printed.join("\n"), stderr: complaints.join("\n") };
  }

  test("npm run channels lists sales that are not yet claimed, and claims them with the operator's key", async () => {
    const { buy, state, config } = await buyer();
    for (let calls = 1; calls <= 3; calls++) expect(callsCharged(await buy())).toBe(calls);
    const id = await contract.idOf(await config());
    const own = await vi.waitUntil(
      async () => {
        const { stdout } = await channels(["--json"]);
        const found = (JSON.parse(stdout) as { channels: { channel: string; outstanding: string }[] }).channels;
        const listed = found.find(({ channel }) => channel === id);
        return listed?.outstanding === "0.15" && listed;
      },
      { timeout: 40_000, interval: 500 },
    );
    expect(own).toMatchObject({ claimed: "0", balance: "0.5", claim_before: null });

    const key = generatePrivateKey();
    const file = join(folder, "operator.key");
    await writeFile(file, key, { mode: 0o600 });
    await chain.client.setBalance({ address: privateKeyToAccount(key).address, value: 10n ** 18n });
    const { code, stdout } = await channels(["--claim", "--key-file", file]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^transaction 0x[\s\S]*Everything that was sold/)]);
    expect((await state()).totalClaimed).toBe(3n * PRICE);
    const { claimed, settled } = await contract.totalsOf(PAY_TO);
    expect(settled).toBe(claimed);
    expect(callsCharged(await buy())).toBe(4);
  });

  test.each([
    [["--claim"], {}, "--claim and --key-file need each other"],
    [[], { OPERATOR_TOKEN: "" }, "OPERATOR_TOKEN is not set"],
    [[], { RPC_URL: "" }, "RPC_URL is not set"],
    [[], { OPERATOR_TOKEN: "another-token-of-another-operator" }, "has another OPERATOR_TOKEN"],
    [[], { RPC_URL: "http://127.0.0.1:1" }, "RPC_URL has no node of base-sepolia that answers"],
  ])("npm run channels rejects the arguments %j with the settings %j", async (args, env, words) => {
    const { code, stderr } = await channels(args, env as Record<string, string>);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

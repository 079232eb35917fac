/** Tests `overprint buy --channel` and `overprint channel` with the official server code on a local chain. */
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../support/cli.ts";
import { type Chain, startChain } from "./chain/anvil.ts";
import { type ChannelContract, installChannels } from "./chain/channels.ts";
import { startFacilitator } from "./chain/facilitator.ts";
import { startOfficialSeller } from "./chain/officialSeller.ts";

const PAY_TO = "0x00000000000000000000000000000000c0ffee44";
const SOLD = { operation: "watermark.text", cost: "0.05 USDC" };

let chain: Chain;
let contract: ChannelContract;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
let seller: Awaited<ReturnType<typeof startOfficialSeller>>;
beforeAll(async () => {
  chain = await startChain();
  contract = await installChannels(chain);
  facilitator = await startFacilitator(chain);
  const authorizer = privateKeyToAccount(generatePrivateKey());
  seller = await startOfficialSeller(facilitator.url, PAY_TO, authorizer, (url) => ({
    ...SOLD,
    output: { url: `${url}/file`, expires_at: "2026-12-01T00:00:00.000Z", pages: 4, bytes: 9 },
  }));
});
afterAll(async () => {
  await seller?.stop();
  await facilitator?.stop();
  await chain?.stop();
});

let dir: string;
let key: `0x${string}`;
let payer: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "overprint-channel-"));
  await copyFile(join(import.meta.dirname, "../../examples/contract.pdf"), join(dir, "contract.pdf"));
  key = generatePrivateKey();
  payer = privateKeyToAccount(key).address;
  await chain.mint(payer, 1_000_000n);
  return () => rm(dir, { recursive: true, force: true });
});
const cli = (args: string[], env: Record<string, string> = {}) =>
  runCli([...args, "--url", seller.url], {
    cwd: dir,
    env: { PRIVATE_KEY: key, RPC_URL: chain.url, XDG_STATE_HOME: dir, ...env },
  });
const buy = (...args: string[]) => cli(["buy", "contract.pdf", "--text", "X", "--channel", ...args]);
const status = async (env?: Record<string, string>) =>
  JSON.parse((await cli(["channel", "status", "--json"], env)).stdout) as Record<string, string>;

describe("overprint buy --channel", () => {
  test("overprint buy --channel deposits at the first purchase and pays for later purchases with vouchers", async () => {
    const first = await buy();
    expect([first.code, first.stderr]).toEqual([
      0,
      `0.05 USDC on base-sepolia (a test network), with a deposit of 0.5 USDC, from ${payer} to ${PAY_TO}\n`,
    ]);
    expect(first.stdout).toMatch(/Paid 0\.05 USDC on base-sepolia by 0x\w+, transaction 0x/);
    const settled = facilitator.calls.settle;
    const second = await buy("--overwrite");
    expect(second.stderr).toContain("(a test network), from the channel, from 0x");
    expect(second.stdout).toMatch(/Paid 0\.05 USDC on base-sepolia by 0x\w+, with a voucher of the channel/);
    expect(facilitator.calls.settle).toBe(settled);
    expect(await chain.balanceOf(payer)).toBe(500_000n);
  });

  test("overprint buy --channel continues a channel without its local state file and without a second deposit", async () => {
    for (let call = 0; call < 2; call++) expect((await buy("--overwrite")).code).toBe(0);
    const settled = facilitator.calls.settle;
    const env = { XDG_STATE_HOME: join(dir, "elsewhere") };
    const { code, stderr } = await cli(["buy", "contract.pdf", "--text", "X", "--channel", "--overwrite"], env);
    expect([code, stderr]).toEqual([0, expect.stringContaining("from the channel")]);
    expect(facilitator.calls.settle).toBe(settled);
    expect(await status(env)).toMatchObject({ balance: "500000", spent: "150000", left: "350000" });
  });

  test("overprint buy --channel deposits again when the channel's balance is used up", async () => {
    for (let call = 0; call < 10; call++) expect((await buy("--overwrite")).code).toBe(0);
    expect(await status()).toMatchObject({ balance: "500000", left: "0" });
    expect((await buy("--overwrite")).stderr).toContain("with a deposit of 0.5 USDC");
    expect(await status()).toMatchObject({ balance: "1000000", spent: "550000" });
  });

  test("overprint buy --channel --each deposits once for all rows", async () => {
    const names = Array.from({ length: 11 }, (_, at) => `n${at}`);
    await writeFile(join(dir, "names.csv"), ["name", ...names].join("\n"));
    const settled = facilitator.calls.settle;
    const series = ["--channel", "--each", "names.csv", "--text", "{name}", "-o", "{name}.pdf"];
    const { code, stderr } = await cli(["buy", "contract.pdf", ...series]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^0\.55 USDC for 11 files on base-sepolia .*with a deposit of 0\.55 USDC, from .*\n$/),
    ]);
    expect(facilitator.calls.settle).toBe(settled + 1);
    expect(await status()).toMatchObject({ balance: "550000", spent: "550000", left: "0" });
  });

  test("overprint buy --channel pays nothing if the deposit is more than --max-deposit", async () => {
    const { code, stderr } = await buy("--max-deposit", "0.49");
    expect([code, stderr]).toEqual([1, "overprint: the deposit of 0.5 USDC is more than --max-deposit 0.49\n"]);
    expect(await chain.balanceOf(payer)).toBe(1_000_000n);
  });

  test.each([
    [["--max-deposit", "x"], "--max-deposit must be an amount of USDC"],
    [["--network", "base"], "offers no payment channel on base that this program can use: buy without --channel"],
  ])("overprint buy --channel rejects the arguments %j", async (args, words) => {
    expect((await buy(...args)).stderr).toContain(words);
  });

  test("overprint buy --channel names the setting RPC_URL in the error if the node cannot be read", async () => {
    const { code, stderr } = await cli(["buy", "contract.pdf", "--text", "X", "--channel"], {
      RPC_URL: "http://127.0.0.1:1",
    });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^overprint: the node of base-sepolia cannot be read.*RPC_URL/),
    ]);
  });
});

describe("overprint channel", () => {
  test("overprint channel status shows the channel's balance and its spent, remaining and claimed amounts", async () => {
    expect((await cli(["channel", "status"])).stdout).toContain("Not open.");
    await buy();
    await buy("--overwrite");
    await seller.channels.claim();
    await buy("--overwrite");
    const { channel_id: id, ...state } = await status();
    expect(state).toEqual({
      network: "base-sepolia",
      payer,
      receiver: PAY_TO,
      balance: "500000",
      spent: "150000",
      left: "350000",
      claimed: "100000",
      withdraw_requested_at: null,
    });
    const { stdout } = await cli(["channel", "status"]);
    expect(stdout).toBe(
      `Channel ${id} on base-sepolia, from ${payer} to ${PAY_TO}\n0.35 USDC left for 7 calls, of 0.5 USDC. Spent 0.15 USDC\nThe deployment has claimed 0.1 USDC\n`,
    );
  });

  test("overprint channel refund returns the unspent amount, and a second refund finds nothing to return", async () => {
    await buy();
    const { stdout, code } = await cli(["channel", "refund"]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Refunded 0\.45 USDC on base-sepolia, transaction 0x[0-9a-f]{64}\n$/),
    ]);
    expect(await chain.balanceOf(payer)).toBe(950_000n);
    expect(await status()).toMatchObject({ balance: "50000", spent: "50000", left: "0" });
    const again = await cli(["channel", "refund"]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("overprint: the channel was not refunded")]);
    expect(await contract.totalsOf(PAY_TO)).toMatchObject({ claimed: expect.any(BigInt) });
  });

  test("overprint channel rejects an unknown action", async () => {
    const { code, stderr } = await cli(["channel", "open"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("'open' is invalid")]);
  });
});

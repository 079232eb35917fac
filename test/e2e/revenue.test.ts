/**
 * Tests `npm run revenue`, which compares the sales in the ledger with the transfers on the chain, on a local chain.
 * The tests cover sales with matching transfers, sales without transfers, and transfers without sales.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Sale } from "../../scripts/lib/books.ts";
import { callPaid, type Offer, signPayment } from "../../scripts/lib/pay.ts";
import { reconcile, type Span } from "../../scripts/lib/reconcile.ts";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import type { Transfer } from "../../scripts/lib/transfers.ts";
import { revenue as runRevenue } from "../../scripts/revenue/revenue.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { type Chain, startChain } from "./chain/anvil.ts";
import { startFacilitator } from "./chain/facilitator.ts";

const PAY_TO = "0x00000000000000000000000000000000c0ffee17";
const OPERATOR_TOKEN = "operators-only-operators-only-0123";

let folder: string;
let chain: Chain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
let worker: StartedWorker;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "overprint-revenue-"));
  chain = await startChain();
  facilitator = await startFacilitator(chain);
  worker = await startWorker({ FACILITATOR_URL: facilitator.url, PAY_TO, OPERATOR_TOKEN, PRICE: "0.052501" });
});
afterAll(async () => {
  await worker?.stop();
  await facilitator?.stop();
  await chain?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Creates a payer with enough tokens for one call, and signs a payment. */
async function payment() {
  const key = generatePrivateKey();
  const { address } = privateKeyToAccount(key);
  await chain.mint(address, 52_501n);
  const { accepts } = (await (await fetch(`${worker.url}/v1/watermark/text`, { method: "POST" })).json()) as {
    accepts: Offer[];
  };
  return { address, header: await signPayment(accepts[0]!, key) };
}

async function buy(): Promise<void> {
  const form = new FormData();
  form.set("file", new File([new Uint8Array(await samplePdf())], "sample.pdf"));
  form.set("text", "PAID");
  const { header } = await payment();
  expect((await callPaid(`${worker.url}/v1/watermark/text`, form, header)).status).toBe(200);
}

/**
 * Runs `npm run revenue` in this process. Returns its output and exit code. `inFile` is the text of .env.production.
 */
async function revenue(args: string[], env: Record<string, string> = {}, inFile = "") {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const settingsFile = join(folder, ".env.production");
  await writeFile(settingsFile, inFile);
  const code = await runRevenue(["--url", worker.url, ...args], {
    settingsFile,
    env: { OPERATOR_TOKEN, RPC_URL: chain.url, ...env },
    print: (text) => stdout.push(`${text}\n`),
    complain: (text) => stderr.push(`${text}\n`),
  });
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}

/** Adds a block to the chain, because the command ignores the newest block, which may still be replaced. */
const oneBlockMore = () => chain.mint("0x00000000000000000000000000000000000000bb", 1n);

interface Report {
  even: boolean | null;
  networks: {
    network: string;
    sales: number;
    sold: string;
    moved: string | null;
    unchecked?: string;
    book: { request_id: string; payer: string; amount: string; transaction: string }[];
    sold_not_moved: { request_id: string; payer: string; amount: string; transaction: string }[];
    moved_not_sold: { from: string; amount: string; transaction: string }[];
  }[];
}
/**
 * Runs the command repeatedly until the ledger has recorded this number of sales. Returns the report of the last run.
 */
async function reportOf(sales: number, args: string[] = [], env?: Record<string, string>) {
  return vi.waitUntil(
    async () => {
      const { code, stdout } = await revenue(["--json", "--grace", "0s", ...args], env);
      const report = JSON.parse(stdout) as Report;
      return report.networks[0]!.sales === sales && { code, even: report.even, ...report.networks[0]! };
    },
    { timeout: 20_000, interval: 300 },
  );
}

describe("npm run revenue", () => {
  test("npm run revenue reports no difference if each sale has a transfer on the chain", async () => {
    await Promise.all([buy(), buy(), buy()]);
    await oneBlockMore();
    const even = { code: 0, even: true, sold: "0.157503", moved: "0.157503", sold_not_moved: [], moved_not_sold: [] };
    const { book, ...report } = await reportOf(3);
    expect(report).toMatchObject(even);
    expect(book).toEqual(
      Array(3).fill(
        expect.objectContaining({
          amount: "0.052501",
          request_id: expect.any(String),
          payer: expect.stringMatching(/^0x/),
        }),
      ),
    );
    const { code, stdout } = await revenue([]);
    expect(stdout).toMatch(/base-sepolia {2}3 sales {2}0\.157503 USDC sold, 0\.157503 USDC transferred/);
    expect(code).toBe(0);
  });

  test("npm run revenue lists a transfer without a sale, with its payer and transaction, after the grace period", async () => {
    const { address, header } = await payment();
    const { transactionHash } = await chain.send(JSON.parse(atob(header)).payload);
    await oneBlockMore();
    expect(await revenue([])).toMatchObject({ code: 0 });
    expect(await reportOf(3)).toMatchObject({
      ...{ code: 1, even: false, sold: "0.157503", moved: "0.210004", sold_not_moved: [] },
      moved_not_sold: [{ from: address, amount: "0.052501", transaction: transactionHash }],
    });
    const { stdout } = await revenue(["--grace", "0s"]);
    expect(stdout).toContain("transfer without a sale: 0.052501 USDC on base-sepolia");
    expect(stdout).toContain(transactionHash);
  });

  test("npm run revenue lists a sale whose transfer is not on the chain", async () => {
    await buy();
    await chain.reorganize(facilitator.account);
    await oneBlockMore();
    const { code, sold_not_moved } = await reportOf(4);
    expect([code, sold_not_moved.length]).toEqual([1, 1]);
    expect(sold_not_moved[0]).toMatchObject({ amount: "0.052501", transaction: expect.stringMatching(/^0x/) });
  });

  test("npm run revenue counts only the sales in the requested time span", async () => {
    const until = new Date(Date.now() - 3_600_000).toISOString();
    expect(await revenue(["--since", "7d", "--until", until])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("0 sales  0 USDC sold, 0 USDC transferred"),
    });
  });

  test("npm run revenue counts sales but does not reconcile them if RPC_URL has no node for their network", async () => {
    const counted = { code: 0, even: null, sales: 4, moved: null, unchecked: "RPC_URL has no node for it" };
    expect(await reportOf(4, [], { RPC_URL: "" })).toMatchObject(counted);
    const { stdout } = await revenue([], { RPC_URL: "" });
    expect(stdout).toContain("4 sales  0.210004 USDC sold, not reconciled: RPC_URL has no node for it");
  });

  test("npm run revenue reads the deployed settings, but prefers settings from the environment", async () => {
    const inFile = `OPERATOR_TOKEN="${OPERATOR_TOKEN}" # a comment\nRPC_URL=${chain.url}\n`;
    const empty = { OPERATOR_TOKEN: "", RPC_URL: "" };
    const { networks } = JSON.parse((await revenue(["--json"], empty, inFile)).stdout) as Report;
    expect(networks[0]!.moved).toMatch(/^0\.\d+$/);
    const { stderr } = await revenue([], { OPERATOR_TOKEN: "another".repeat(6) }, inFile);
    expect(stderr).toContain("another OPERATOR_TOKEN");
  });

  test("npm run revenue exits with code 1 if it finds differences", async () => {
    const env = { PATH: process.env.PATH, OPERATOR_TOKEN, RPC_URL: chain.url };
    const command = [join(import.meta.dirname, "../../scripts/revenue.ts"), "--url", worker.url, "--grace", "0s"];
    const uneven = promisify(execFile)(process.execPath, command, { cwd: folder, env });
    await expect(uneven).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining("transfer without a sale") });
  });
});

test("npm run revenue finds every transfer through a node that searches few blocks per request", async () => {
  let searches = 0;
  const limited = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    const { id, method, params } = JSON.parse(body);
    const range = method === "eth_getLogs" ? Number(params[0].toBlock) - Number(params[0].fromBlock) + 1 : 0;
    if (range > 0) searches++;
    const answer =
      range > 3
        ? JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32005, message: "too many blocks" } })
        : await (
            await fetch(chain.url, { method: "POST", body, headers: { "Content-Type": "application/json" } })
          ).text();
    response.writeHead(200, { "Content-Type": "application/json" }).end(answer);
  });
  await new Promise<void>((resolve) => limited.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = limited.address() as { port: number };
    const found = await reportOf(4, [], { RPC_URL: `http://127.0.0.1:${port}` });
    expect(found).toEqual(await reportOf(4));
    expect(searches).toBeGreaterThan(3);
  } finally {
    await new Promise((resolve) => limited.close(resolve));
  }
});

test.each([
  [["--since", "yesterday"], {}, "'yesterday' is not a time"],
  [["--since", "1d", "--until", "2d"], {}, "--since must be before --until"],
  [["--sinse", "1d"], {}, "--sinse"],
  [[], { OPERATOR_TOKEN: "" }, "OPERATOR_TOKEN is not set"],
  [[], { OPERATOR_TOKEN: "another".repeat(6) }, "another OPERATOR_TOKEN"],
  [["--url", "http://127.0.0.1:1"], {}, "cannot be reached"],
  [["--url", "http://pdf.example.com"], {}, "--url must begin with https://"],
  [["--url", "data:application/json,{}"], {}, "--url must be a URL that begins with https://"],
  [[], { RPC_URL: "http://127.0.0.1:1" }, "the node of base-sepolia in RPC_URL does not answer"],
])(
  "npm run revenue with the arguments %j and the settings %j reports the error and exits with code 2",
  async (args, env, what) => {
    const { code, stdout, stderr } = await revenue(args, env);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(what);
  },
);

test("npm run revenue reports errors of other servers in one line, without the API key of the node's URL", async () => {
  const answers: Record<string, unknown> = { eth_chainId: "0x14a34" };
  const other = createServer(async (request, response) => {
    response.setHeader("Content-Type", "application/json");
    const { id, method } = JSON.parse((await text(request)) || "{}") as { id?: number; method?: string };
    if (method && !answers[method]) return response.writeHead(403).end("no");
    return response.end(JSON.stringify(method ? { jsonrpc: "2.0", id, result: answers[method] } : { sales: {} }));
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(other.address() as { port: number }).port}`;
    const { stderr: ofBooks } = await revenue(["--url", url]);
    expect(ofBooks).toBe(`${url} did not answer with the sales of an Overprint deployment\n`);
    for (const block of [undefined, "0x10"]) {
      answers.eth_blockNumber = block;
      const { code, stderr } = await revenue([], { RPC_URL: `${url}/node-key` });
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^the node of base-sepolia in RPC_URL does not answer/),
      ]);
      expect(stderr).not.toContain("node-key");
    }
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

describe("a sale and its transfer", () => {
  const HOUR = 3_600_000;
  const span: Span = { since: 100 * HOUR, until: 200 * HOUR, judged: 199 * HOUR };
  const sale = (hour: number, transaction: string, payer = "0xA", amount = "5") =>
    ({ settled_at: new Date(hour * HOUR).toISOString(), transaction, payer, pay_to: "0xB", amount }) as Sale;
  const moved = (hour: number, transaction: string, from = "0xa", amount = "5") =>
    ({ transaction, from, to: "0xb", amount, time: async () => hour * HOUR }) as Transfer;
  const found = async (sales: Sale[], transfers: Transfer[]) => {
    const { soldNotMoved, movedNotSold, ...all } = await reconcile(sales, transfers, span);
    return [all.sales.length, all.transfers.length, soldNotMoved.length, movedNotSold.length];
  };

  test.each([
    ["match in the same transaction", [sale(150, "0x1")], [moved(150, "0x1")], [1, 1, 0, 0]],
    ["do not match in different transactions", [sale(150, "0x1")], [moved(150, "0x2")], [1, 1, 1, 1]],
    ["do not match with different payers", [sale(150, "0x1")], [moved(150, "0x1", "0xc")], [1, 1, 1, 1]],
    ["do not match with different amounts", [sale(150, "0x1")], [moved(150, "0x1", "0xa", "6")], [1, 1, 1, 1]],
    [
      "match only once if two sales name the same transaction",
      [sale(150, "0x1"), sale(151, "0x1")],
      [moved(150, "0x1")],
      [2, 1, 1, 0],
    ],
    [
      "match only once if the transaction contains two equal transfers",
      [sale(150, "0x1")],
      [moved(150, "0x1"), moved(150, "0x1")],
      [1, 2, 0, 1],
    ],
    ["match by payer and amount if the transaction is unknown", [sale(150, "")], [moved(150, "0x1")], [1, 1, 0, 0]],
    [
      "match by payer and amount only after sales with a known transaction have matched",
      [sale(150, ""), sale(151, "0x1")],
      [moved(150, "0x1")],
      [2, 1, 1, 0],
    ],
    ["match if the transfer is shortly before the time span", [sale(101, "0x1")], [moved(99, "0x1")], [1, 1, 0, 0]],
    ["match if the sale is shortly after the time span", [sale(201, "0x1")], [moved(199, "0x1")], [0, 0, 0, 0]],
    ["are ignored outside of the time span", [sale(99, "0x1")], [moved(201, "0x2")], [0, 0, 0, 0]],
    ["are not compared while the settlement may be under way", [sale(199, "0x1")], [moved(199, "0x2")], [1, 0, 0, 0]],
  ])("a sale and a transfer in the revenue report %s", async (_, sales, transfers, expected) => {
    expect(await found(sales, transfers)).toEqual(expected);
  });
});

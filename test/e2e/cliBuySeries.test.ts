/** Tests `overprint buy --each` with the real Worker. */
import { once } from "node:events";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { samePages } from "../../bench/inputs.ts";
import { startProxy } from "../browser/proxy.ts";
import { runCli, startCli } from "../support/cli.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

const root = join(import.meta.dirname, "../..");
const PAYER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

let worker: StartedWorker;
let mainnet: StartedWorker;
let proxy: Awaited<ReturnType<typeof startProxy>>;
beforeAll(async () => {
  [worker, mainnet] = await Promise.all([startWorker(), startWorker({ NETWORKS: "base" })]);
  proxy = await startProxy(worker.url);
});
afterAll(async () => {
  await proxy?.stop();
  await Promise.all([worker?.stop(), mainnet?.stop()]);
});

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "overprint-series-"));
  await copyFile(join(root, "examples/contract.pdf"), join(dir, "contract.pdf"));
  await writeFile(join(dir, "names.csv"), "name\nAnna\nBen\nCleo\n");
  return () => rm(dir, { recursive: true, force: true });
});
const SERIES = ["--each", "names.csv", "--text", "For {name}", "-o", "out/{name}.pdf"];
const buy = (args: string[] = [], url = worker.url) =>
  runCli(["buy", "contract.pdf", "--url", url, ...SERIES, ...args], { cwd: dir });
const results = () => readdir(join(dir, "out")).catch(() => []);
const read = (name: string) => readFile(join(dir, name));
/** Returns the last line of stderr. */
const lastLine = ({ stderr }: { stderr: string }) => stderr.trim().split("\n").at(-1);

describe("overprint buy --each", () => {
  test("overprint buy --each buys a copy for each row, and prints one line about the total price", async () => {
    const { code, stdout, stderr } = await buy();
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^0\.15 USDC for 3 files on base-sepolia \(a test network\), from \S+ to \S+\n$/),
    ]);
    expect(stdout.match(/^out\/\w+\.pdf: 4 pages/gm)).toEqual(
      ["Anna", "Ben", "Cleo"].map((name) => `out/${name}.pdf: 4 pages`),
    );
    const marked = await runCli(["mark", "contract.pdf", "--text", "For Ben", "-o", "-"], { cwd: dir });
    expect(Buffer.compare(await read("out/Ben.pdf"), marked.bytes)).toBe(0);
  });

  test("overprint buy --each --json prints the purchase of each row with its own idempotency key", async () => {
    const { files, idempotency_key: key } = JSON.parse((await buy(["--json"])).stdout);
    expect(files).toMatchObject([{ file: "out/Anna.pdf", cost: "0.05 USDC" }, { file: "out/Ben.pdf" }, {}]);
    const keys = files.map((file: { idempotency_key: string }) => file.idempotency_key);
    expect(new Set([...keys, key]).size).toBe(4);
  });

  test("overprint buy --each stops with exit code 4 at a failed row, and can resume without paying twice", async () => {
    proxy.loseNextAnswer({ status: 422, headers: {}, problem: { code: "too_complex", detail: "No." } }, 1);
    const first = await buy(["--json"], proxy.url);
    expect([first.code, await results()]).toEqual([4, ["Anna.pdf"]]);
    const { files, idempotency_key: key } = JSON.parse(first.stdout);
    expect(files).toMatchObject([{ file: "out/Anna.pdf" }, { error: { code: "too_complex" } }]);
    expect(lastLine(first)).toBe(
      `overprint: names.csv, row 2: No; 1 of 3 files are here: run the same command with --idempotency-key ${key} to get the other files without paying twice`,
    );
    await rm(join(dir, "out"), { recursive: true });
    // Before the command is repeated, rows may be reordered and added.
    await writeFile(join(dir, "names.csv"), "name\nBen\nDora\nAnna\nCleo\n");
    const second = await buy(["--json", "--idempotency-key", key]);
    expect([second.code, await results()]).toEqual([0, ["Anna.pdf", "Ben.pdf", "Cleo.pdf", "Dora.pdf"]]);
    const again = JSON.parse(second.stdout).files as { output: { url: string }; notices: string[] }[];
    expect(again[2]!.output.url.replace(/.*\/v1/, "")).toBe(files[0].output.url.replace(/.*\/v1/, ""));
    const paid = ["payment-not-settled"];
    // The Worker sold Ben's copy in the first run, but the proxy lost the answer.
    expect(again.map(({ notices }) => notices)).toEqual([paid, [], paid, []]);
  });

  test("overprint buy --each says how to continue when Ctrl-C stops it", async () => {
    const busy = { status: 503, headers: { "Retry-After": "60" }, problem: { code: "too_busy", detail: "Wait." } };
    proxy.loseNextAnswer(busy, 1);
    const child = startCli(["buy", "contract.pdf", "--url", proxy.url, ...SERIES], { cwd: dir });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk;
      if (stderr.includes("retrying")) child.kill("SIGINT");
    });
    const [code] = await once(child, "close");
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /stopped\. You may have paid: run the same command with --idempotency-key [0-9a-f-]{36} to get/,
    );
    expect(await results()).toEqual(["Anna.pdf"]);
  });

  test("overprint buy --each exits with code 1 if the first row fails and nothing was charged", async () => {
    proxy.loseNextAnswer({ status: 422, headers: {}, problem: { code: "too_complex", detail: "No." } });
    const run = await buy([], proxy.url);
    expect([run.code, lastLine(run), await results()]).toEqual([1, "overprint: names.csv, row 1: No", []]);
  });

  test("overprint buy --each pays nothing if a price exceeds --max-price or the total exceeds --max-total", async () => {
    proxy.posted.length = 0;
    const total = await buy(["--max-total", "0.149999"], proxy.url);
    const words = "overprint: the total price of 0.15 USDC is more than --max-total 0.149999";
    expect([total.code, lastLine(total)]).toEqual([1, words]);
    const price = await buy(["--max-total", "1", "--max-price", "0.01"], proxy.url);
    expect([price.code, lastLine(price)]).toEqual([1, expect.stringContaining("more than --max-price 0.01")]);
    expect([proxy.posted.length, await results()]).toEqual([2, []]);
  });

  test("overprint buy --each without a terminal pays on a mainnet only with --max-total or --yes", async () => {
    expect(lastLine(await buy([], mainnet.url))).toContain("base is a main network, with real money: add --yes");
    for (const flags of [["--max-total", "0.15"], ["--yes"]]) expect((await buy(flags, mainnet.url)).code).toBe(0);
  });

  test("overprint buy --dry-run prints the price and the planned results, and pays nothing", async () => {
    proxy.posted.length = 0;
    const series = await buy(["--dry-run"], proxy.url);
    expect([series.code, series.stdout]).toEqual([
      0,
      "out/Anna.pdf (not bought)\nout/Ben.pdf (not bought)\nout/Cleo.pdf (not bought)\n",
    ]);
    expect(series.stderr).toContain("0.15 USDC for 3 files on base-sepolia");
    const flags = ["--url", proxy.url, "--text", "X", "--dry-run", "--json"];
    const one = await runCli(["buy", "contract.pdf", ...flags], { cwd: dir });
    const terms = { price: "0.05 USDC", total: "0.05 USDC", network: "base-sepolia", from: PAYER };
    expect(JSON.parse(one.stdout)).toMatchObject({ dry_run: true, files: ["contract-watermarked.pdf"], ...terms });
    expect([proxy.posted.length, await readdir(dir)]).toEqual([2, ["contract.pdf", "names.csv"]]);
  });

  test("overprint buy --each checks every row and every path before it requests the price", async () => {
    proxy.posted.length = 0;
    await writeFile(join(dir, "names.csv"), `name\nAnna\n${"x".repeat(600)}\n`);
    const run = await buy([], proxy.url);
    expect([run.code, lastLine(run)]).toEqual([2, expect.stringMatching(/^overprint: names\.csv, row 2: --text must/)]);
    await writeFile(join(dir, "names.csv"), `name\nAnna\n${"x".repeat(300)}\n`);
    const long = await buy([], worker.url);
    expect([long.code, lastLine(long)]).toEqual([1, expect.stringContaining("the name is too long")]);
    expect([proxy.posted, await results()]).toEqual([[], []]);
  });

  test("overprint buy --each uploads a large file once for all rows", async () => {
    await writeFile(join(dir, "contract.pdf"), samePages(30, 400_000));
    proxy.posted.length = 0;
    expect((await buy([], proxy.url)).code).toBe(0);
    expect(proxy.posted.filter(({ path }) => path === "/v1/uploads")).toHaveLength(1);
    expect(await results()).toHaveLength(3);
  });
});

/**
 * Runs the examples and the commands in the documentation. A test is skipped if this machine lacks its runtime, and its
 * name then states the reason.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { samePages } from "../../bench/inputs.ts";
import { paymentFor } from "../../scripts/lib/pay.ts";
import { sampleContract } from "../../scripts/lib/sampleContract.ts";
import { payableNetworks } from "../../src/payments/wire/payableOffer.ts";
import { result } from "../../src/service/request/schemas.ts";
import { startProxy } from "../browser/proxy.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { render } from "./render.ts";

const run = promisify(execFile);
const cwd = join(import.meta.dirname, "../..");
const CONTRACT = join(cwd, "examples/contract.pdf");

/** Returns whether a Python package is installed. */
function pythonHas(name: string): boolean {
  try {
    execFileSync("python3", ["-c", `import ${name}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

let worker: StartedWorker;
let dir: string;
let output: string;
beforeAll(async () => {
  worker = await startWorker();
  dir = await mkdtemp(join(tmpdir(), "overprint-"));
  output = join(dir, "marked.pdf");
});
afterAll(async () => {
  await worker?.stop();
  await rm(dir, { recursive: true, force: true });
});

/**
 * Runs an example on the sample contract, and expects a mark on each page of the output. Returns what the example
 * printed.
 */
async function expectMarks(command: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  await rm(output, { force: true });
  const all = { ...process.env, ...env, SERVICE: worker.url };
  const { stdout } = await run(command, [...args, CONTRACT, output, "SECRET"], { cwd, env: all });
  const [before, after] = await Promise.all([CONTRACT, output].map(async (path) => render(await readFile(path))));
  const nowhere = { left: 0, top: 0, right: 0, bottom: 0 };
  expect(after).toHaveLength(4);
  for (const [page, marked] of after!.entries())
    expect(marked.changedOutside(nowhere, before![page]!)).toBeGreaterThan(500);
  return stdout;
}

test("the example engine.mjs marks a file with the built engine and without a service", async () => {
  await run(process.execPath, ["scripts/buildPackages.ts", "engine"], { cwd });
  expect(await expectMarks(process.execPath, ["examples/engine.mjs"])).toContain("4 pages marked");
});

test.each(["fetch.mjs", "mcp.mjs"])("the example %s pays with the official x402 client", async (name) => {
  expect(await expectMarks(process.execPath, [`examples/${name}`])).toContain("4 pages marked for 0.05 USDC");
});

test.each(["fetch.mjs", "mcp.mjs"])(
  "the header comment of the example %s names exactly the packages that the example imports",
  (name) => {
    const text = readFileSync(join(cwd, "examples", name), "utf8");
    const [, named = ""] = /^ \* {3}npm install (.*)$/m.exec(text)!;
    const imported = Array.from(text.matchAll(/ from "((?:@[^/]+\/)?[^/"]+)/g), ([, from]) => from!);
    expect(named.split(" ")).toEqual([...new Set(imported)].filter((from) => !from.startsWith("node:")).sort());
  },
);

test("the example curl.sh pays with a payment signed in advance", async () => {
  expect(await expectMarks("sh", ["examples/curl.sh"])).toContain('"cost":"0.05 USDC"');
});

const noPython = pythonHas("sys") ? "" : " (skipped: this machine has no python3)";
describe.skipIf(noPython)(`Python examples${noPython}`, () => {
  test("the example overprint.py pays with Python's standard library", async () => {
    const printed = await expectMarks("python3", ["examples/python/overprint.py"], await signer());
    expect(printed).toContain("4 pages marked for 0.05 USDC");
  });

  const lacking = pythonHas("x402") ? "" : " (skipped: this machine's Python has no package x402)";
  test.skipIf(lacking)(`the example client.py pays with the official x402 client for Python${lacking}`, async () => {
    expect(await expectMarks("python3", ["examples/client.py"])).toContain("4 pages marked for 0.05 USDC");
  });

  test("overprint.py repeats a call whose answer was lost, and gets the result of the original payment", async () => {
    const proxy = await startProxy(worker.url);
    try {
      proxy.loseNextAnswer({ status: 502, headers: {}, problem: {} });
      const [sold, again] = await inPython(`
client = Overprint("${proxy.url}", DEVELOPMENT_KEY)
first = client.watermark_text("examples/contract.pdf", "LOST")
again = client.watermark_text("examples/contract.pdf", "LOST", first.idempotency_key)
print(first.url, first.receipt["payer"], first.notices)
print(again.url, again.receipt["payer"], again.notices)`);
      expect(sold).toMatch(/^http\S+ 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 \[\]$/);
      expect(again).toMatch(/^http\S+ 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 \['payment-not-settled'\]$/);
      expect(again!.split(" ")[0]).toBe(sold!.split(" ")[0]);
    } finally {
      await proxy.stop();
    }
  });

  test("overprint.py uploads a file that is too large for the call", async () => {
    const path = join(dir, "large.pdf");
    await writeFile(path, samePages(30, 400_000));
    const printed = await inPython(`
client = Overprint("${worker.url}", DEVELOPMENT_KEY)
marked = client.watermark_image(${JSON.stringify(path)}, "examples/logo.png", scale=0.2)
print(marked.pages, len(marked.download()) == marked.bytes)`);
    expect(printed).toEqual(["30 True"]);
  });

  test("overprint.py raises errors with the service's codes, and never pays more than max_price", async () => {
    const printed = await inPython(`
def code(**options):
    try:
        fields = {"opacity": options.pop("opacity", 1)}
        Overprint("${worker.url}", DEVELOPMENT_KEY, **options).watermark_text("examples/contract.pdf", "X", **fields)
    except OverprintError as error:
        return error.code, error.status, [wrong["path"] for wrong in error.errors], error.may_be_paid
print(code(opacity=50))
print(code(max_price="0.049"))`);
    expect(printed).toEqual(["('invalid_request', 400, ['opacity'], False)", "('not_payable', None, [], False)"]);
  });

  test("the example client.py is syntactically valid", async () => {
    await run("python3", ["-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", "examples/client.py"], { cwd });
  });
});

test("overprint.py knows the payment token of each EVM network", () => {
  const text = readFileSync(join(cwd, "examples/python/overprint.py"), "utf8");
  const known = Array.from(text.matchAll(/^ {4}"(eip155:\d+)": "(0x\w+)", {2}# (\S+)$/gm), ([, ...row]) => row);
  expect(known).toEqual(payableNetworks().map(({ caip2, asset, name }) => [caip2, asset, name]));
});

/** Returns an environment in which Python finds a signing package: eth-account, or a fake of it. */
async function signer(): Promise<Record<string, string>> {
  return pythonHas("eth_account") ? {} : { PYTHONPATH: await standIn() };
}

/** Runs a Python program that uses the client in overprint.py. Returns the lines that it printed. */
async function inPython(program: string): Promise<string[]> {
  const { PYTHONPATH = "" } = await signer();
  const env = { ...process.env, PYTHONPATH: [join(cwd, "examples/python"), PYTHONPATH].join(delimiter) };
  const imports = "from overprint import DEVELOPMENT_KEY, Overprint, OverprintError";
  const { stdout } = await run("python3", ["-c", `${imports}\n${program}`], { cwd, env });
  return stdout.trim().split("\n");
}

/**
 * Documentation pages for callers. The test runs their commands except those in `NOT_RUN`, with its own addresses,
 * paths and payments.
 */
const PAGES = [
  "README.md",
  ...["quick-start", "http", "mcp", "errors", "payments", "files", "text-marks", "image-marks", "pdf"].map(
    (name) => `docs/${name}.md`,
  ),
];
/**
 * Commands that the test does not run. They install packages, start servers, call a nonexistent deployment, or send a
 * large file.
 */
const NOT_RUN =
  /^(git clone|npm ci|npm run dev|npm run demo|npx @modelcontextprotocol)|https:\/\/pdf\.example\.com|big\.pdf/m;
const commands = PAGES.flatMap((page) => {
  const blocks = readFileSync(join(cwd, page), "utf8").matchAll(/^```sh\n(.*?)^```$/gms);
  return Array.from(blocks, ([, block]) => ({ page, block: block!, line: block!.split("\n")[0]! }));
}).filter(({ block }) => !NOT_RUN.test(block));

test("the documented commands send a file as a form, raw body or upload handle, delete a file, and mark a file locally", () => {
  const all = commands.map(({ block }) => block).join("\n");
  for (const way of ["-F file=", "--data-binary", '"file\\": \\"$HANDLE', "-X DELETE", "overprint.js mark"])
    expect(all).toContain(way);
  for (const page of ["README.md", "docs/quick-start.md", "docs/http.md", "docs/payments.md", "docs/files.md"])
    expect(commands.filter((command) => command.page === page && /X-PAYMENT: \$/.test(command.block))).not.toEqual([]);
});

test.each(commands)("the commands in $page run as documented: $line", async ({ page, block }) => {
  await rm(output, { force: true });
  // The test signs each payment itself, because starting npm takes a second. Only the call in README.md runs `npm run
  // pay`.
  const payment = await paymentFor(`${worker.url}/v1/watermark/text`);
  const signed =
    page === "README.md" ? block : block.replaceAll(/npm run -s pay -- \S+?(?=\))/g, `printf %s '${payment}'`);
  const script = signed
    .replaceAll("http://127.0.0.1:8787", worker.url)
    .replaceAll("node cli/overprint.js", `"${process.execPath}" cli/overprint.js`)
    .replaceAll("marked.pdf", `"${output}"`);
  const { stdout } = await run("sh", ["-ec", script], { cwd });
  const answers = Array.from(stdout.matchAll(/\{"output":.*?"cost":"[^"]*"\}/g), ([text]) =>
    result.parse(JSON.parse(text)),
  );
  for (const answer of answers) expect([answer.output.pages, answer.cost]).toEqual([4, "0.05 USDC"]);
  if (/X-PAYMENT: \$/.test(block) && !block.includes("ANSWER=")) expect(answers).not.toEqual([]);
  if (block.includes("for attempt in 1 2")) {
    expect(answers).toHaveLength(2);
    expect(new Set(answers.map((answer) => answer.output.url)).size).toBe(1);
  }
  // If a block of the document shows an error, its command must return the same error code.
  const expected = /"code":"\w+"/.exec(block)?.[0];
  expect(/"code":"\w+"/.exec(stdout)?.[0]).toBe(expected);
  if (/^# HTTP\/1\.1 402/m.test(block)) expect(stdout).toMatch(/^HTTP\/1\.1 402/);
  if (block.includes("marked.pdf")) expect((await readFile(output, "latin1")).slice(0, 5)).toBe("%PDF-");
});

test("a clone made with README.md's command contains everything that README.md's later commands need", async (context) => {
  if (!existsSync(join(cwd, ".git"))) context.skip("this checkout has no .git folder");
  const [clone = "", then = ""] = /^git clone .*\n.*$/m
    .exec(await readFile(join(cwd, "README.md"), "utf8"))![0]
    .split("\n");
  const script = `${clone.replace("<this repository>", `"${cwd}"`)} && cat package.json`;
  const { stdout } = await run("sh", ["-ec", script], { cwd: await mkdtemp(join(dir, "clone-")) });
  const { scripts } = JSON.parse(stdout) as { scripts: Record<string, string> };
  expect(then).toBe("npm ci && npm run demo");
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["demo", "dev", "pay", "test"]));
});

test("examples/contract.pdf is identical to the website's sample", async () => {
  expect(Buffer.compare(await readFile(CONTRACT), await sampleContract())).toBe(0);
  const sample = await (await fetch(`${worker.url}/assets/sample.pdf`)).arrayBuffer();
  expect(Buffer.compare(await readFile(CONTRACT), new Uint8Array(sample))).toBe(0);
});

/**
 * Creates a fake of the Python package `eth_account` that has only the parts used by `overprint.py`. The fake signs
 * with viem.
 */
async function standIn(): Promise<string> {
  const sign = `import { privateKeyToAccount } from "viem/accounts";
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { key, domain, types, message } = JSON.parse(text);
const account = privateKeyToAccount(key);
const primaryType = Object.keys(types ?? {})[0];
const signature = types && (await account.signTypedData({ domain, types, primaryType, message }));
console.log(JSON.stringify({ address: account.address, signature }));`;
  const python = `import json, subprocess
from types import SimpleNamespace

def viem(**asked):
    done = subprocess.run([${JSON.stringify(process.execPath)}, "--input-type=module", "-e", ${JSON.stringify(sign)}],
        input=json.dumps(asked, default=lambda value: "0x" + value.hex()), text=True, capture_output=True, check=True)
    return json.loads(done.stdout)

class Account:
    @staticmethod
    def from_key(key):
        return SimpleNamespace(address=viem(key=key)["address"])

    @staticmethod
    def sign_typed_data(key, domain, types, message):
        signature = viem(key=key, domain=domain, types=types, message=message)["signature"]
        return SimpleNamespace(signature=bytes.fromhex(signature[2:]))
`;
  const packages = join(dir, "packages");
  await mkdir(packages, { recursive: true });
  await writeFile(join(packages, "eth_account.py"), python);
  return packages;
}

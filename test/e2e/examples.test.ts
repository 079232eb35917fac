/** The examples and the commands of the documents, run as they say; those whose runtime is not on this machine are skipped, with the reason. */
import { execFile, execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleContract } from "../../scripts/lib/sampleContract.ts";
import { result } from "../../src/service/request/schemas.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { render } from "./render.ts";

const run = promisify(execFile);
const cwd = join(import.meta.dirname, "../..");
const CONTRACT = join(cwd, "examples/contract.pdf");

/** Whether a Python here has a package. */
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

/** Runs an example over the contract; each page of its output must be marked. */
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

test("engine.ts marks a file without a service", async () => {
  expect(await expectMarks(process.execPath, ["examples/engine.ts"])).toContain("4 pages marked");
});

test.each(["fetch.ts", "mcp.ts"])("%s pays with the official client", async (name) => {
  expect(await expectMarks(process.execPath, [`examples/${name}`])).toContain("4 pages marked for 0.05 USDC");
});

test("curl.sh pays with a payment that was signed for it", async () => {
  expect(await expectMarks("sh", ["examples/curl.sh"])).toContain('"cost":"0.05 USDC"');
});

const noPython = pythonHas("sys") ? "" : " (skipped: there is no python3 here)";
describe.skipIf(noPython)(`in Python${noPython}`, () => {
  test("plain.py pays with the standard library", async () => {
    const env = pythonHas("eth_account") ? {} : { PYTHONPATH: await standIn() };
    expect(await expectMarks("python3", ["examples/plain.py"], env)).toContain("4 pages marked for 0.05 USDC");
  });

  const lacking = pythonHas("x402") ? "" : " (skipped: this machine's Python has no package x402)";
  test.skipIf(lacking)(`client.py pays with x402's own client${lacking}`, async () => {
    expect(await expectMarks("python3", ["examples/client.py"])).toContain("4 pages marked for 0.05 USDC");
  });

  test("client.py is well-formed", async () => {
    await run("python3", ["-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())", "examples/client.py"], { cwd });
  });
});

test.each([
  ["README.md", "-F file="],
  ["docs/calling.md", "-F file="],
  ["docs/calling.md", "--data-binary"],
])("the call of %s with %s, as it can be copied, is paid", async (name, way) => {
  const document = await readFile(join(cwd, name), "utf8");
  const blocks = Array.from(document.matchAll(/^```sh\n(.*?)^```$/gms), ([, block]) => block!);
  const call = blocks.find((block) => block.includes(way))!;
  const { stdout } = await run("sh", ["-c", call.replaceAll("http://127.0.0.1:8787", worker.url)], { cwd });
  const { output, ...rest } = result.parse(JSON.parse(stdout));
  expect([output.pages, rest]).toEqual([4, { operation: "watermark.text", cost: "0.05 USDC" }]);
});

test("contract.pdf is the page's sample, as it is drawn", async () => {
  expect(Buffer.compare(await readFile(CONTRACT), await sampleContract())).toBe(0);
  const sample = await (await fetch(`${worker.url}/assets/sample.pdf`)).arrayBuffer();
  expect(Buffer.compare(await readFile(CONTRACT), new Uint8Array(sample))).toBe(0);
});

/** Makes a Python package with as much of `eth_account` as `plain.py` uses; viem signs for it. */
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

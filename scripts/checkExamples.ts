/**
 * `npm run check:examples` runs the examples for Node.js with Node.js 20.19 against a local Worker. Examples that name
 * their packages run in an empty folder, with only these packages installed. The agents run with the packages of
 * `examples/agents`, and the Worker with wrangler. The script prints a line for each example, and exits with 1 if an
 * example fails. With arguments, it runs only the examples whose names contain one of the arguments.
 */
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { postToWorker } from "./lib/postToWorker.ts";
import { startWorker } from "./lib/worker.ts";

const root = join(import.meta.dirname, "..");
const examples = join(root, "examples");
const CONTRACT = join(examples, "contract.pdf");
const NODE_20 = join(root, "scripts/packages/node_modules/node20/bin/node");
const asked = process.argv.slice(2);
const run = promisify(execFile);

await run(process.execPath, [join(root, "scripts/buildPackages.ts"), "engine", "client"], { cwd: root });
const service = await startWorker();
const folder = await mkdtemp(join(tmpdir(), "overprint-examples-"));
try {
  for (const name of ["fetch.mjs", "mcp.mjs"]) await check(name, () => runAlone(name));
  for (const name of ["engine.mjs", "agents/aiSdk.mjs", "agents/langChain.mjs"])
    await check(name, () => runProgram(join(examples, name), root));
  await check("worker/worker.mjs", async () => ({
    marked: await postToWorker(join(examples, "worker/wrangler.toml"), new Uint8Array(await readFile(CONTRACT))),
  }));
} finally {
  await service.stop();
  await rm(folder, { recursive: true });
}

/** Runs an example and prints its outcome. `act` returns the marked PDF. */
async function check(name: string, act: () => Promise<{ marked: Uint8Array; note?: string }>): Promise<void> {
  if (asked.length > 0 && !asked.some((word) => name.includes(word))) return;
  try {
    const { marked, note = "" } = await act();
    if (Buffer.from(marked.subarray(0, 5)).toString() !== "%PDF-") throw new Error("the result is not a PDF");
    console.log(`✓ ${name}${note}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`✗ ${name}: ${(error as Error).message.slice(-1500)}`);
  }
}

/** Runs a program with Node.js 20.19. */
async function runProgram(path: string, cwd: string): Promise<{ marked: Uint8Array }> {
  const output = join(folder, "marked.pdf");
  await rm(output, { force: true });
  const env = { ...process.env, SERVICE: service.url };
  await run(NODE_20, [path, CONTRACT, output, "DRAFT"], { cwd, env });
  return { marked: await readFile(output) };
}

/** Runs a program in an empty folder with the packages that its first lines name. */
async function runAlone(name: string): Promise<{ marked: Uint8Array; note: string }> {
  const alone = await mkdtemp(join(folder, "alone-"));
  await copyFile(join(examples, name), join(alone, name));
  const [, packages = ""] = /npm install (.*)/.exec(await readFile(join(alone, name), "utf8"))!;
  await writeFile(join(alone, "package.json"), "{}");
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages.split(" ")], { cwd: alone });
  const { stdout } = await run("du", ["-sm", "node_modules"], { cwd: alone });
  return { ...(await runProgram(join(alone, name), alone)), note: `: ${Number.parseInt(stdout, 10)} MB of packages` };
}

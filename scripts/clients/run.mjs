/**
 * `npm run check:clients` starts the Worker with the development facilitator, and uses it with unmodified clients of
 * x402, MPP and MCP. The script prints what each client can do, and why it cannot do the rest. The script exits with 1
 * if a client can do more or less than `clients.ts` says, if `mppx validate` finds a fault, or if a request body to a
 * model differs from the recorded one (`bodies/`). With arguments, the script runs only the parts whose names contain
 * one of the arguments. `--update` records the request bodies.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startWorker } from "../lib/worker.ts";
import { changedBodies } from "./bodies.mjs";
import { BUYERS, mppx, request } from "./buyers.mjs";
import { ABILITIES, CLIENTS } from "./clients.ts";
import { HOSTS } from "./hosts.mjs";
import { provenBy } from "./proofs.mjs";

const LOGO = join(import.meta.dirname, "../../examples/logo.png");

/** Uses a client, and returns what it can do. @param {import("./clients.ts").KnownClient} client @param {URL} origin */
async function check({ name, can, reason }, origin) {
  const use = { ...BUYERS, ...HOSTS }[name];
  const proven = await provenBy(await use(origin));
  const wrong = ABILITIES.filter((ability) => proven.includes(ability) !== can.includes(ability));
  const shown = `${proven.join(", ") || "nothing"}${reason ? `. ${reason}` : ""}`;
  if (wrong.length > 0) throw new Error(`clients.ts is wrong about ${wrong.join(", ")}. It can: ${shown}`);
  return shown;
}

/**
 * Runs `mppx validate`, which checks the challenges, errors, payments and receipts of each paid URL. @param {URL}
 * origin
 */
async function validateWithMppx(origin) {
  const image = `data:image/png;base64,${(await readFile(LOGO)).toString("base64")}`;
  const bodies = { "/v1/watermark/text": request, "/v1/watermark/image": { file: request.file, image } };
  const { summary } = await mppx("validate", origin.origin, "--output-json", "--body", JSON.stringify(bodies));
  if (summary.failed > 0 || summary.skipped > 0) throw new Error(JSON.stringify(summary));
  return `${summary.passed} checks`;
}

const args = process.argv.slice(2);
const words = args.filter((word) => word !== "--update");
const isUpdate = args.includes("--update");

/** Compares the request bodies with the recorded ones, or records them. @param {URL} origin */
async function compareBodies(origin) {
  const changed = await changedBodies(origin, isUpdate);
  if (changed.length > 0)
    throw new Error(
      `${changed.join(", ")} changed. Run \`npm run check:clients -- bodies --update\`, and read the difference`,
    );
  return isUpdate ? "recorded" : "as recorded";
}

/** The parts of the check by name. @type {[string, (origin: URL) => Promise<string>][]} */
const PARTS = [
  ...CLIENTS.map(
    (client) =>
      /** @type {[string, (origin: URL) => Promise<string>]} */ ([client.name, (origin) => check(client, origin)]),
  ),
  ["mppx validate", validateWithMppx],
  ["bodies of requests to models", compareBodies],
];

const worker = await startWorker();
try {
  for (const [name, part] of PARTS) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
    try {
      console.log(`✓ ${name}: ${await part(new URL(worker.url))}`);
    } catch (error) {
      console.log(`✗ ${name}: ${String(error).slice(0, 1000)}`);
      process.exitCode = 1;
    }
  }
} finally {
  await worker.stop();
}

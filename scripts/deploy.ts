/**
 * Deploys the Worker to Cloudflare and buys a first result. `docs/deploy.md` is the guide.
 *
 *   npm run deploy                          uses the settings of .env.production and of the environment
 *   npm run deploy -- --dry-run             runs the steps that need no account, and lists the other steps
 *   npm run deploy -- --key-file test.key   buys with the private key of a wallet with test money; PRIVATE_KEY works as well
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { deploy } from "./deploy/deploy.ts";
import { wranglerAt } from "./deploy/wrangler.ts";
import { isDryRun } from "./lib/dryRun.ts";

const USAGE = "usage: npm run deploy -- [--dry-run] [--key-file FILE]";
const root = join(import.meta.dirname, "..");

function flags() {
  const options = {
    "dry-run": { type: "boolean" },
    "key-file": { type: "string" },
    help: { type: "boolean", short: "h" },
  } as const;
  return parseArgs({ options }).values;
}

async function main(): Promise<number> {
  const { "dry-run": dryRun, "key-file": keyFile, help } = flags();
  if (help) {
    console.log(USAGE);
    return 0;
  }
  const { PRIVATE_KEY, ...env } = process.env;
  const key = keyFile === undefined ? PRIVATE_KEY : (await readFile(keyFile, "utf8")).trim();
  const manifest = createRequire(import.meta.url).resolve("wrangler/package.json");
  const { engines } = JSON.parse(await readFile(manifest, "utf8")) as { engines: { node: string } };
  // imports wrangler late, because loading it takes more than a second
  const { unstable_readConfig } = await import("wrangler");
  const { r2_buckets: buckets, account_id: account } = unstable_readConfig({ config: join(root, "wrangler.toml") }) as {
    r2_buckets: { binding: string; bucket_name: string }[];
    account_id?: string;
  };
  const isDone = await deploy({
    settingsFile: join(root, ".env.production"),
    env,
    wrangler: (more) => wranglerAt(join(manifest, "../bin/wrangler.js"), root, { ...more, ...env }),
    engine: engines.node,
    bucket: buckets.find(({ binding }) => binding === "RESULTS")!.bucket_name,
    account,
    key,
    isDry: isDryRun(dryRun),
    print: console.log,
    patienceMs: 180_000,
    pauseMs: 2000,
  });
  return isDone ? 0 : 1;
}

process.exitCode = await main().catch((error: Error) => {
  console.error(`${error.message}\n${USAGE}`);
  return 2;
});

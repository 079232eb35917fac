import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../../package.json" with { type: "json" };
import { Failure } from "../deploy/failure.ts";
import { readEnvFile, readSettings, withoutEmpty } from "../deploy/settings.ts";
import { runCommand, type Surroundings } from "../lib/command.ts";
import { compatibilityOf } from "../lib/compatibility.ts";
import { deploymentFrom } from "../lib/operatorApi.ts";
import { sourceHash } from "../lib/sourceHash.ts";
import { compare, type Finding } from "./compare.ts";
import { type Deployed, readDeployed } from "./deployed.ts";

const USAGE = `usage: npm run upgrade -- [--check] [--url https://…] [--settings FILE]
FILE contains the settings of the deployment: .env.production by default`;

const OPTIONS = {
  check: { type: "boolean", default: false },
  url: { type: "string" },
  settings: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

const STEPS = `npm run upgrade deploys nothing. To upgrade a deployment to this checkout, run:
  npm ci
  npm run backup -- FILE
  npm run upgrade -- --check
  npm run deploy                                  # on Cloudflare
  npm run build:server, and restart npm run serve # on your own workerd
docs/operate.md, "Upgrade", has the details.`;

const root = join(import.meta.dirname, "../..");

/**
 * Prints what changes if a deployment is upgraded to this checkout, and what the operator must do first. Changes
 * nothing. Without `--check`, prints the steps of an upgrade.
 * @returns the exit code: 0 if the upgrade is safe now, 1 if something must be done first, 2 if the command fails
 */
export function upgrade(args: string[], surroundings: Surroundings): Promise<0 | 1 | 2> {
  const { print, env } = surroundings;
  return runCommand(
    surroundings,
    USAGE,
    async () => readAsked(args, surroundings),
    async ({ check, file, url }) => {
      if (!check) {
        print(STEPS);
        return 0;
      }
      const inFile = await readEnvFile(file);
      const deployed = await readDeployed(deploymentFrom(url, { ...inFile, ...withoutEmpty(env) }));
      const source = await sourceHash(root);
      const { version = "an unknown version", source: running = "" } = deployed.health;
      print(
        `The deployment runs ${version} (${shown(running)}). This checkout is ${manifest.version} (${shown(source)}).`,
      );
      if (running === source) {
        print("✓ The deployment already runs the sources of this checkout.");
        return 0;
      }
      const { findings, set } = await checkSettings(file, env, Object.keys(inFile));
      const all = [...findings, ...compare(deployed, await compatibilityOf(root), set, Date.now())];
      for (const { line, next } of all) print(next === undefined ? `✓ ${line}.` : `✗ ${line}. Next: ${next}.`);
      const isSafe = all.every(({ next }) => next === undefined);
      print(isSafe ? `The upgrade is safe now. ${backupStep(deployed)}` : "Do not upgrade yet.");
      return isSafe ? 0 : 1;
    },
  );
}

function readAsked(args: string[], { settingsFile }: Surroundings) {
  const { values } = parseArgs({ args, options: OPTIONS });
  if (values.help) return undefined;
  return { check: values.check, url: values.url, file: values.settings ? resolve(values.settings) : settingsFile };
}

/**
 * Validates the operator's settings with the rules of this checkout. Also returns the names of all settings that are
 * set.
 */
async function checkSettings(
  file: string,
  env: NodeJS.ProcessEnv,
  inFile: string[],
): Promise<{ findings: Finding[]; set: string[] }> {
  try {
    const { vars, secrets, warnings, summary } = await readSettings(file, env);
    const set = [...inFile, ...Object.keys(vars), ...Object.keys(secrets)];
    return { findings: [{ line: `Settings: ${summary}` }, ...warnings.map((line) => ({ line }))], set };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { findings: [{ line: `${basename(file)}: ${error.message}`, next: error.next }], set: inFile };
  }
}

/** Returns the sentence about the backup. A build that does not list its open payments has no routes for backups. */
function backupStep({ openPayments }: Deployed): string {
  return openPayments
    ? "Make a backup first: npm run backup -- FILE"
    : "The running build cannot be backed up, so make the first backup after the upgrade: npm run backup -- FILE";
}

/** Returns the first digits of a source hash. */
function shown(hash: string): string {
  return hash === "" ? "unknown sources" : `sources ${hash.slice(0, 12)}`;
}

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LocalAccount } from "viem";
import { settings as known } from "../../src/config.ts";
import type { Network } from "../../src/payments/networks.ts";
import { bucketCommands, prepareBucket } from "./bucket.ts";
import { checkAccount, checkFacilitators, checkNode, type Found, unforeseen } from "./checks.ts";
import { Failure, refusedBy } from "./failure.ts";
import { waitUntilHealthy } from "./health.ts";
import { namesInForce } from "./inForce.ts";
import { lifecycleRules } from "./lifecycle.ts";
import { type DeploySettings, readSettings } from "./settings.ts";
import { buyFrom, payableNetworks, payerWith } from "./testSale.ts";
import { commandLine, type Wrangler } from "./wrangler.ts";

/** What a deployment is made of. */
export interface Deployment {
  /** The file of settings; there need not be one. */
  settingsFile: string;
  env: NodeJS.ProcessEnv;
  /** Makes the runner of wrangler, given variables for it. */
  wrangler: (env: Record<string, string>) => Wrangler;
  /** What wrangler asks of Node: `>=22.0.0`. */
  engine: string;
  bucket: string;
  /** The private key of a wallet with test money, to buy with. */
  key?: string | undefined;
  /** Whether nothing is to be changed, and nothing asked of Cloudflare. */
  isDry: boolean;
  print: (line: string) => void;
  /** How long a new deployment may take to be healthy, and how often it is asked. */
  patienceMs: number;
  pauseMs: number;
}

/** Something that is done to the account. */
interface Step {
  /** As in "left to do: …". */
  name: string;
  /** What a dry run prints instead. */
  commands: string[];
  run: () => Promise<Found>;
}

/**
 * Deploys: checks everything first, then prepares the bucket, puts the secrets, deploys, waits until the deployment is
 * healthy, and buys from it. It can be run again at any time: what is done already is left as it is.
 * @returns whether all of it went well
 */
export async function deploy(deployment: Deployment): Promise<boolean> {
  const { print, isDry } = deployment;
  const ready = await check(deployment);
  if (!ready) {
    print("Nothing was changed.");
    return false;
  }
  const steps = stepsOf(deployment, ready);
  for (const [at, step] of steps.entries()) {
    if (isDry) for (const command of step.commands) print(`→ ${command}`);
    if (isDry && step.name !== "the build") continue;
    try {
      tell(print, await step.run());
    } catch (error) {
      complain(print, unforeseen(error));
      const names = steps.map(({ name }) => name);
      print(`Done: ${names.slice(0, at).join(", ") || "nothing"}. Left: ${names.slice(at).join(", ")}.`);
      print("Run `npm run deploy` again once that is mended: what is done is left as it is.");
      return false;
    }
  }
  if (isDry) print("A dry run: nothing was changed, and Cloudflare was not asked.");
  return true;
}

interface Ready {
  settings: DeploySettings;
  wrangler: Wrangler;
  sale: { payer: LocalAccount; networks: Network[] } | undefined;
}

/** Makes all checks, so that all that is wrong is told at once; undefined if something is. */
async function check(deployment: Deployment): Promise<Ready | undefined> {
  const { print, env, isDry } = deployment;
  let isGood = true;
  const attempt = async <T>(act: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await act();
    } catch (error) {
      isGood = false;
      complain(print, unforeseen(error));
      return undefined;
    }
  };
  const tellFound = async (act: () => Found | Promise<Found>) => {
    const found = await attempt(act);
    if (found) tell(print, found);
  };

  await tellFound(() => checkNode(process.versions.node, deployment.engine));
  const settings = await attempt(() => readSettings(deployment.settingsFile, env));
  if (settings) {
    tell(print, { line: `Settings: ${settings.summary}`, warnings: settings.warnings });
    if (!settings.areElsewhere) await tellFound(() => checkFacilitators(settings.config));
  }
  const wrangler = deployment.wrangler(settings?.cloudflare ?? {});
  const account = env.CLOUDFLARE_ACCOUNT_ID ?? settings?.cloudflare.CLOUDFLARE_ACCOUNT_ID;
  if (isDry) print(`→ ${commandLine(["whoami", "--json"])}`);
  else await tellFound(() => checkAccount(wrangler, account));
  if (!isDry && isGood && settings && !settings.areElsewhere)
    for (const warning of await leftOver(wrangler, settings)) print(`! ${warning}`);
  const sale = await attempt(() => saleOf(deployment, settings));
  return isGood && settings ? { settings, wrangler, sale } : undefined;
}

/** Warns of settings that are in force already, and that nothing here sets anew. */
async function leftOver(wrangler: Wrangler, { vars, secrets }: DeploySettings): Promise<string[]> {
  const names = (await namesInForce(wrangler)).filter((name) => name in known.shape);
  return names
    .filter((name) => !(name in vars) && !(name in secrets))
    .map((name) => `${name} is not set here, and stays in force as it is at Cloudflare until you delete it there`);
}

/** @throws Failure if there is a key that is none */
function saleOf({ key, print }: Deployment, settings: DeploySettings | undefined): Ready["sale"] {
  if (!settings || settings.areElsewhere) return undefined;
  const networks = payableNetworks(settings.config.networks);
  if (key) {
    const payer = payerWith(key);
    if (networks.length > 0) return { payer, networks };
    print("! No test sale: it pays on EVM test networks alone, and NETWORKS names none");
  } else if (networks.length > 0) print("! No test sale: PRIVATE_KEY or --key-file names no wallet with test money");
  return undefined;
}

function stepsOf({ bucket, isDry, patienceMs, pauseMs }: Deployment, { settings, wrangler, sale }: Ready): Step[] {
  const rules = lifecycleRules(settings.config);
  const variables = Object.entries(settings.vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  let url = "https://…";
  const put = async (name: string, value: string) => {
    const { ok, reason } = await wrangler(["secret", "put", name], { input: value });
    if (!ok) throw refusedBy(commandLine(["secret", "put", name]), reason);
  };

  const prepare: Step = {
    name: "the bucket",
    commands: [
      commandLine(bucketCommands.rules(bucket)),
      `${commandLine(bucketCommands.create(bucket))}   # if there is none`,
      ...rules.map((rule) => `${commandLine(bucketCommands.addRule(bucket, rule))}   # if it is not there`),
      commandLine(bucketCommands.localUploads(bucket)),
      `${commandLine(bucketCommands.enableLocalUploads(bucket))}   # if they are not`,
    ],
    run: async () => {
      const { done, warnings } = await prepareBucket(wrangler, bucket, rules);
      return { line: `Bucket ${bucket}: ${done.join(", ") || "there, with its rules"}`, warnings };
    },
  };
  const names = Object.keys(settings.secrets);
  const secrets: Step = {
    name: "the secrets",
    commands: names.map((name) => `${commandLine(["secret", "put", name])}   # its value from standard input`),
    run: async () => {
      for (const [name, value] of Object.entries(settings.secrets)) await put(name, value);
      return { line: `Secrets: ${names.join(", ")}` };
    },
  };
  const build: Step = {
    name: "the build",
    commands: [],
    run: async () => {
      const { ok, reason } = await wrangler(["deploy", ...variables, "--dry-run"]);
      if (!ok) throw refusedBy(commandLine(["deploy", "--dry-run"]), reason);
      return { line: "The Worker builds" };
    },
  };
  const upload: Step = {
    name: "the deployment",
    commands: [commandLine(["deploy", ...variables])],
    run: async () => {
      url = await upLoad(wrangler, variables);
      return { line: `Deployed: ${url}` };
    },
  };
  const health: Step = {
    name: "its health",
    commands: [`GET ${url}/healthz   # until it passes`],
    run: async () => {
      if (settings.areElsewhere) return { line: `${url}/healthz says whether they are right` };
      const warnings = await waitUntilHealthy(url, patienceMs, pauseMs);
      return { line: `Healthy: ${url}/healthz`, warnings };
    },
  };
  const buy: Step[] = sale
    ? [
        {
          name: "the test sale",
          commands: [`POST ${url}/v1/watermark/text   # paid on ${sale.networks.map(({ name }) => name).join(" or ")}`],
          run: async () => ({ line: (await buyFrom(url, sale.payer, sale.networks)).join("\n  ") }),
        },
      ]
    : [];
  return [prepare, ...(names.length > 0 ? [secrets] : []), ...(isDry ? [build] : []), upload, health, ...buy];
}

/**
 * Deploys the Worker, and returns where it is.
 * @throws Failure if Cloudflare refuses, or it is nowhere to be reached
 */
async function upLoad(wrangler: Wrangler, variables: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "overprint-deploy-"));
  try {
    const told = join(folder, "output.ndjson");
    const { ok, reason } = await wrangler(["deploy", ...variables], { env: { WRANGLER_OUTPUT_FILE_PATH: told } });
    if (!ok) throw refusedBy("npx wrangler deploy", reason);
    const lines = (await readFile(told, "utf8")).trim().split("\n");
    const { targets = [] } = lines
      .map((line) => JSON.parse(line) as { type: string; targets?: string[] })
      .findLast(({ type }) => type === "deploy")!;
    const [at] = targets.flatMap((target) => originOf(target) ?? []);
    if (at) return at;
    throw new Failure("It is deployed, but no address leads to it", "Set workers_dev or a route in wrangler.toml");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The origin of a target as wrangler names it: a URL, or a host, with a note behind it; none for a pattern. */
function originOf(target: string): string | undefined {
  const [place = ""] = target.split(" ");
  if (!place.includes(".") || place.replace(/\/\*$/, "").includes("*")) return undefined;
  return URL.parse(/^https?:/.test(place) ? place : `https://${place}`)?.origin;
}

function tell(print: Deployment["print"], { line, warnings = [] }: Found): void {
  print(`✓ ${line}`);
  for (const warning of warnings) print(`! ${warning}`);
}

function complain(print: Deployment["print"], { message, next }: Failure): void {
  print(`✗ ${message}. Next: ${next}.`);
}

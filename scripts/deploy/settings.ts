import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { parseEnv } from "node:util";
import { isSolana } from "../../src/payments/wire/networks.ts";
import { type Config, readConfig, settings } from "../../src/settings/config.ts";
import { settingsIn } from "../../src/settings/settingNames.ts";
import { Failure } from "./failure.ts";
import { isTestNetwork } from "./testNetworks.ts";

/** Settings that whoever reads a deployment's variables is not to see: `wrangler secret put` has them from its input. */
export const SECRETS: readonly string[] = [
  "CDP_API_KEY_ID",
  "CDP_API_KEY_SECRET",
  "FACILITATOR_AUTHORIZATION",
  "OPERATOR_TOKEN",
  "RECEIPT_KEY",
  "RPC_URL",
] satisfies (keyof typeof settings.shape)[];

/** What is deployed, as text, by name. */
export interface DeploySettings {
  config: Config;
  vars: Record<string, string>;
  secrets: Record<string, string>;
  /** For wrangler itself, such as CLOUDFLARE_ACCOUNT_ID. */
  cloudflare: Record<string, string>;
  /** Whether they are at Cloudflare already, and unknown here. */
  areElsewhere: boolean;
  /** In one line. */
  summary: string;
  warnings: string[];
}

/**
 * Reads the settings from a file of NAME=value lines and from the environment, which has the last word, and checks them as
 * the Worker will.
 * @throws Failure if one is wrong or missing
 */
export async function readSettings(file: string, env: NodeJS.ProcessEnv): Promise<DeploySettings> {
  const inFile = await readEnvFile(file);
  const all = { ...inFile, ...withoutEmpty(settingsIn(env, [...Object.keys(settings.shape), "WORKERS_CI"])) };
  const name = basename(file);
  const config = configOf(all, name);

  const known = Object.keys(settings.shape).filter((setting) => all[setting] !== undefined);
  const pick = (names: string[]) => Object.fromEntries(names.map((setting) => [setting, all[setting]!]));
  const cloudflare = pick(Object.keys(inFile).filter((setting) => setting.startsWith("CLOUDFLARE_")));
  const unknown = Object.keys(inFile).filter((setting) => !known.includes(setting) && !(setting in cloudflare));
  const isLeftThere = areElsewhere(all);
  return {
    config,
    vars: pick(known.filter((setting) => !SECRETS.includes(setting))),
    secrets: pick(known.filter((setting) => SECRETS.includes(setting))),
    cloudflare,
    areElsewhere: isLeftThere,
    summary: isLeftThere ? "those that the Worker has at Cloudflare" : summaryOf(config),
    warnings: [
      ...unknown.map((setting) => `${setting} in ${name} is no setting: it is not deployed`),
      ...(isLeftThere ? [] : warningsOf(config)),
    ],
  };
}

function summaryOf(config: Config): string {
  const paid = new Set(config.networks.map((network) => (isSolana(network) ? config.payToSolana : config.payTo)));
  const names = config.networks.map((network) => network.name);
  return `${config.price.label} a call, to ${[...paid].join(" and ")}, on ${names.join(", ")}`;
}

/** What is odd about settings, and may be meant. */
function warningsOf({ networks, payTo, facilitators, rpcUrls, selling }: Config): string[] {
  const tests = networks.filter(isTestNetwork).map(({ name }) => name);
  const hasNoChecksum = /^0x([^A-F]*|[^a-f]*)$/.test(payTo) && !networks.every(isSolana);
  const unproved = networks
    .filter((network) => !isTestNetwork(network) && !rpcUrls[network.name])
    .map(({ name }) => name);
  const rules: [boolean, string][] = [
    [!selling, "SELLING is false: nothing new is sold"],
    [hasNoChecksum, "PAY_TO has no checksum, so that a mistyped one goes unnoticed: compare it, letter by letter"],
    [
      facilitators.some(({ url }) => url.startsWith("http:")),
      "FACILITATOR_URL is not https: whoever is in between can change what it says",
    ],
    [tests.length === networks.length, "Test networks alone: whoever pays there pays with nothing of worth"],
    [
      tests.length > 0 && tests.length < networks.length,
      `Real work is sold for test money on ${tests.join(", ")}: name real networks alone in NETWORKS`,
    ],
    [
      unproved.length > 0,
      `RPC_URL has no node of ${unproved.join(", ")}: where a facilitator's answer is lost, nothing proves that you were paid`,
    ],
  ];
  return rules.filter(([applies]) => applies).map(([, warning]) => warning);
}

/**
 * Reads the settings as the Worker does, and asks for what it needs to sell anything.
 * @throws Failure as {@link readSettings}
 */
function configOf(all: Record<string, string>, file: string): Config {
  let config: Config;
  try {
    config = readConfig(all);
  } catch (error) {
    const said = (error as Error).message.replace(/\s+/g, " ");
    throw new Failure(said, `Mend it in ${file} or in the environment; .dev.vars.example has every setting`);
  }
  const missing = [
    ...(all.PAY_TO === undefined && all.PAY_TO_SOLANA === undefined ? ["PAY_TO"] : []),
    ...(all.FACILITATOR_URL === undefined ? ["FACILITATOR_URL"] : []),
  ];
  if (missing.length === 0 || areElsewhere(all)) return config;
  throw new Failure(
    `Nothing can be sold without ${missing.join(" and ")}`,
    `Copy .env.production.example to ${file}, and fill in what it asks for; docs/deploy.md names facilitators`,
  );
}

/**
 * Returns whether the settings are at Cloudflare alone: where it builds by itself what is pushed (Workers Builds), as
 * after the button "Deploy to Cloudflare".
 */
function areElsewhere(all: Record<string, string>): boolean {
  return all.WORKERS_CI !== undefined && Object.keys(settings.shape).every((setting) => all[setting] === undefined);
}

/** Reads the variables in a file of NAME=value lines that are not empty: none if it is not there. */
export async function readEnvFile(file: string): Promise<Record<string, string>> {
  try {
    return withoutEmpty(parseEnv(await readFile(file, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

/** Returns variables without the empty ones: they count as not set. */
export function withoutEmpty(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

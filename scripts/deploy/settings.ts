import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { parseEnv } from "node:util";
import { isSolana } from "../../src/payments/wire/networks.ts";
import { type Config, readConfig } from "../../src/settings/config.ts";
import { settings } from "../../src/settings/schema.ts";
import { settingsIn, unknownNames } from "../../src/settings/settingNames.ts";
import { Failure } from "./failure.ts";
import { isTestNetwork } from "./testNetworks.ts";

/**
 * Settings that readers of a deployment's variables must not see. `wrangler secret put` reads them from standard input.
 */
export const SECRETS: readonly string[] = [
  "CDP_API_KEY_ID",
  "CDP_API_KEY_SECRET",
  "CHANNEL_KEY",
  "FACILITATOR_AUTHORIZATION",
  "OPERATOR_TOKEN",
  "RECEIPT_KEY",
  "RPC_URL",
] satisfies (keyof typeof settings.shape)[];

/**
 * The settings of a deployment, and remarks about them. `config` contains the validated settings. `vars` and `secrets` contain
 * the same settings as text, by name.
 */
export interface DeploySettings {
  config: Config;
  vars: Record<string, string>;
  secrets: Record<string, string>;
  /** Variables for wrangler itself, by name, such as CLOUDFLARE_ACCOUNT_ID. */
  cloudflare: Record<string, string>;
  /** Whether the settings exist only at Cloudflare. Their values are then unknown on this machine. */
  areElsewhere: boolean;
  /** Summary of the settings in one line. */
  summary: string;
  warnings: string[];
}

/**
 * Reads the settings from the environment and from a file of NAME=value lines. The environment takes precedence. The
 * settings are validated as the Worker validates them.
 * @throws Failure if a setting is wrong or missing
 */
export async function readSettings(file: string, env: NodeJS.ProcessEnv): Promise<DeploySettings> {
  const inFile = await readEnvFile(file);
  const all = { ...inFile, ...withoutEmpty(settingsIn(env, [...Object.keys(settings.shape), "WORKERS_CI"])) };
  const name = basename(file);
  const config = configOf(all, name);

  const known = Object.keys(settings.shape).filter((setting) => all[setting] !== undefined);
  const pick = (names: string[]) => Object.fromEntries(names.map((setting) => [setting, all[setting]!]));
  const cloudflare = pick(Object.keys(inFile).filter((setting) => setting.startsWith("CLOUDFLARE_")));
  const unknown = unknownNames(inFile, Object.keys(settings.shape)).filter((setting) => !(setting in cloudflare));
  const isLeftThere = areElsewhere(all);
  return {
    config,
    vars: pick(known.filter((setting) => !SECRETS.includes(setting))),
    secrets: pick(known.filter((setting) => SECRETS.includes(setting))),
    cloudflare,
    areElsewhere: isLeftThere,
    summary: isLeftThere ? "the settings that the Worker has at Cloudflare" : summaryOf(config),
    warnings: [
      ...unknown.map((setting) => `${setting} in ${name} is not a setting and is not deployed`),
      ...config.warnings,
      ...(isLeftThere ? [] : warningsOf(config)),
    ],
  };
}

function summaryOf(config: Config): string {
  const paid = new Set(config.networks.map((network) => (isSolana(network) ? config.payToSolana : config.payTo)));
  const names = config.networks.map((network) => network.name);
  return `${config.price.label} a call, to ${[...paid].join(" and ")}, on ${names.join(", ")}`;
}

/** Returns warnings about settings that are unusual, but may be intended. */
function warningsOf({ networks, payTo, facilitators, rpcUrls, selling }: Config): string[] {
  const tests = networks.filter(isTestNetwork).map(({ name }) => name);
  const hasNoChecksum = /^0x([^A-F]*|[^a-f]*)$/.test(payTo) && !networks.every(isSolana);
  const unproved = networks
    .filter((network) => !isTestNetwork(network) && !rpcUrls[network.name])
    .map(({ name }) => name);
  const rules: [boolean, string][] = [
    [!selling, "SELLING is false: no new orders are accepted"],
    [hasNoChecksum, "PAY_TO has no checksum, so a typing error goes unnoticed. Compare it letter by letter"],
    [
      facilitators.some(({ url }) => url.startsWith("http:")),
      "FACILITATOR_URL is not https: anyone on the network path can change the answers",
    ],
    [tests.length === networks.length, "NETWORKS has only test networks: callers pay with worthless test money"],
    [
      tests.length > 0 && tests.length < networks.length,
      `Callers can pay with worthless test money on ${tests.join(", ")}. Remove test networks from NETWORKS`,
    ],
    [
      unproved.length > 0,
      `RPC_URL has no node of ${unproved.join(", ")}: if a facilitator's answer is lost, nothing proves that you were paid`,
    ],
  ];
  return rules.filter(([applies]) => applies).map(([, warning]) => warning);
}

/**
 * Parses the settings as the Worker does, and requires the settings that selling needs.
 * @throws Failure if a setting is wrong or missing
 */
function configOf(all: Record<string, string>, file: string): Config {
  let config: Config;
  try {
    config = readConfig(all);
  } catch (error) {
    const said = (error as Error).message.replace(/\s+/g, " ");
    throw new Failure(said, `Correct it in ${file} or in the environment. .dev.vars.example lists every setting`);
  }
  const missing = [
    ...(all.PAY_TO === undefined && all.PAY_TO_SOLANA === undefined ? ["PAY_TO"] : []),
    ...(all.FACILITATOR_URL === undefined ? ["FACILITATOR_URL"] : []),
  ];
  if (missing.length === 0 || areElsewhere(all)) return config;
  throw new Failure(
    `The deployment needs ${missing.join(" and ")}`,
    `Copy .env.production.example to ${file} and fill it in. docs/deploy.md lists facilitators`,
  );
}

/**
 * Returns whether the settings exist only at Cloudflare. The button "Deploy to Cloudflare" creates deployments with
 * such settings, and Workers Builds then deploys each push.
 */
function areElsewhere(all: Record<string, string>): boolean {
  return all.WORKERS_CI !== undefined && Object.keys(settings.shape).every((setting) => all[setting] === undefined);
}

/** Reads the non-empty variables of a file of NAME=value lines. A missing file yields no variables. */
export async function readEnvFile(file: string): Promise<Record<string, string>> {
  try {
    return withoutEmpty(parseEnv(await readFile(file, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

/** Returns a copy without empty variables, which count as not set. */
export function withoutEmpty(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

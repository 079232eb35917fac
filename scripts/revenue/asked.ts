import { parseArgs } from "node:util";
import { readEnvFile, withoutEmpty } from "../deploy/settings.ts";
import { deploymentFrom } from "../lib/operatorApi.ts";
import type { Span } from "../lib/reconcile.ts";

/** Usage of the command. */
export const USAGE = `usage: npm run revenue -- [--url https://…] [--since 7d] [--until 2026-11-22] [--grace 10m] [--json]
times are durations before now, such as 30m, 12h or 7d, or dates; differences in the last ten minutes (--grace) are not reported yet`;

const OPTIONS = {
  url: { type: "string" },
  since: { type: "string", default: "7d" },
  until: { type: "string", default: "0s" },
  grace: { type: "string", default: "10m" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The arguments of the command. */
export interface Asked extends Span {
  url: string;
  token: string;
  /** URLs of the nodes, in the order of NETWORKS. The URL of a network without a node is empty. */
  rpcUrls: string[];
  json: boolean;
}

/**
 * Parses the arguments of a command line. Settings come from the environment or a file. Returns undefined if the user
 * asks for help.
 * @throws Error if an argument is wrong or missing
 */
export async function readAsked(
  args: string[],
  settingsFile: string,
  env: NodeJS.ProcessEnv,
): Promise<Asked | undefined> {
  const { values } = parseArgs({ args, options: OPTIONS });
  if (values.help) return undefined;
  const settings = { ...(await readEnvFile(settingsFile)), ...withoutEmpty(env) };
  const { RPC_URL: nodes = "" } = settings;
  const { url, token } = deploymentFrom(values.url, settings);
  const [since, until] = [timeOf("--since", values.since), timeOf("--until", values.until)];
  if (since >= until) throw new Error("--since must be before --until");
  const rpcUrls = nodes.split(",").map((node) => node.trim());
  const judged = timeOf("--grace", values.grace);
  return { url, token, rpcUrls, since, until, judged, json: values.json };
}

/**
 * Returns a date, or a duration before now, in Unix milliseconds.
 * @throws Error if the text is neither a date nor a duration
 */
function timeOf(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const time = unit ? Date.now() - Number(count) * UNITS[unit as keyof typeof UNITS] : Date.parse(text);
  if (Number.isNaN(time)) throw new Error(`${option}: '${text}' is not a time`);
  return time;
}

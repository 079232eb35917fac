import { parseArgs } from "node:util";
import { readEnvFile, withoutEmpty } from "../deploy/settings.ts";
import type { Surroundings } from "../lib/command.ts";
import { type Deployment, deploymentFrom } from "../lib/operatorApi.ts";

const OPTIONS = { url: { type: "string" }, help: { type: "boolean", short: "h", default: false } } as const;

/**
 * Parses the arguments of `npm run backup` and `npm run restore`: a file, and the deployment. Returns undefined if the
 * user asks for help.
 * @throws Error if an argument is wrong or missing
 */
export async function fileAndDeployment(
  args: string[],
  { settingsFile, env }: Surroundings,
): Promise<{ file: string; deployment: Deployment } | undefined> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) return undefined;
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new Error("Name one file");
  const settings = { ...(await readEnvFile(settingsFile)), ...withoutEmpty(env) };
  return { file, deployment: deploymentFrom(values.url, settings) };
}

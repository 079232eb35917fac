import { parseArgs } from "node:util";
import { type Takedown, takedownAnswer } from "../../src/service/account/takedown.ts";
import { linkOf } from "../../src/storage/link.ts";
import { readEnvFile, withoutEmpty } from "../deploy/settings.ts";
import { runCommand, type Surroundings } from "../lib/command.ts";
import { askDeployment, deploymentFrom } from "../lib/operatorApi.ts";

const USAGE = `usage: npm run takedown -- [--url https://…] [--json] LINK | --payer ADDRESS
LINK is a download link, with or without its token, or the id in its path`;

const OPTIONS = {
  url: { type: "string" },
  payer: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Records that a takedown leaves in place, with the reason. docs/operate.md, "Takedown", has the same list. */
const RETAINED = `retained: the record of each payment, until a day after its link has expired, because it prevents a second sale
retained: the row of each sale in the daybook, for 400 days, because it belongs to your accounts
Uploads and payment links are not linked to results. They expire within an hour.`;

/**
 * Deletes the result of a link, or all results of a payer, and prints what was deleted and what remains.
 * @returns the exit code: 1 if nothing was deleted, 2 if the command fails, otherwise 0
 */
export function takedown(args: string[], surroundings: Surroundings): Promise<0 | 1 | 2> {
  const { settingsFile, env, print } = surroundings;
  return runCommand(
    surroundings,
    USAGE,
    async () => readAsked(args, { ...(await readEnvFile(settingsFile)), ...withoutEmpty(env) }),
    async ({ deployment, what, json }) => {
      const path = `/v1/operator/results?${new URLSearchParams({ ...what })}`;
      const { removed } = takedownAnswer().parse(await askDeployment(deployment, path, { method: "DELETE" }));
      if (json) print(JSON.stringify({ removed }));
      else print([...removed.map((id) => `removed: the result ${id}`), summaryOf(removed)].join("\n"));
      return removed.length > 0 ? 0 : 1;
    },
  );
}

function readAsked(args: string[], settings: Record<string, string | undefined>) {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) return undefined;
  const { url, payer, json } = values;
  const [link] = positionals;
  if (positionals.length > 1 || (link === undefined) === (payer === undefined))
    throw new Error("Name either one link or --payer");
  const what: Takedown = payer === undefined ? { id: URL.canParse(link!) ? linkOf(link!).id : link! } : { payer };
  return { deployment: deploymentFrom(url, settings), what, json };
}

function summaryOf(removed: string[]): string {
  if (removed.length === 0) return "Nothing was removed: no link works. It has expired, or was revoked before.";
  return RETAINED;
}

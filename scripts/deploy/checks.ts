import { settles } from "../../src/payments/facilitators/supported.ts";
import { NETWORKS } from "../../src/payments/wire/networks.ts";
import { settledNetworks } from "../../src/service/about/settledNetworks.ts";
import type { Config } from "../../src/settings/config.ts";
import { Failure, inOneLine, refusedBy } from "./failure.ts";
import type { Found } from "./report.ts";
import type { Wrangler } from "./wrangler.ts";

/**
 * Checks that this version of Node.js can run wrangler.
 * @param engine the Node.js versions that wrangler supports, as in its package.json: `>=22.0.0`
 * @throws Failure if this version is too old
 */
export function checkNode(version: string, engine: string): Found {
  const [needed, major] = [engine, version].map((text) => Number(/\d+/.exec(text)?.[0]));
  if (major! >= needed!) return { line: `Node.js ${version}` };
  throw new Failure(
    `Node.js ${version} is too old: wrangler needs ${needed} or newer`,
    "Run `npm rebuild node` to restore the version of the lock file, or install a newer one from https://nodejs.org",
  );
}

/**
 * Asks the facilitators on which networks they settle payments.
 * @throws Failure if no facilitator answers, or if no facilitator settles payments on a network of the settings
 */
export async function checkFacilitators(config: Config): Promise<Found> {
  const { config: settled, problems, errors } = await settledNetworks(config);
  const hosts = config.facilitators.map(({ url }) => new URL(url).host).join(", ");
  const answers = settled.facilitators.flatMap(({ supported }) => supported ?? []);
  if (answers.length === 0)
    throw new Failure(
      `No facilitator lists the networks that it settles (${errors.map(inOneLine).join("; ")})`,
      errors.some((error) => /answered 40[13]/.test(error))
        ? "It requires authentication: set FACILITATOR_AUTHORIZATION, or CDP_API_KEY_ID and CDP_API_KEY_SECRET"
        : "Check FACILITATOR_URL, and the network",
    );
  if (settled.networks.length === 0) {
    const others = Object.values(NETWORKS).filter((network) =>
      answers.some((answer) => settles(answer, network, 1) || settles(answer, network, 2)),
    );
    throw new Failure(
      `${hosts} settles nothing on ${config.networks.map(({ name }) => name).join(", ")}`,
      `Choose another facilitator (docs/deploy.md), or set NETWORKS to networks that this one settles: ${others.map(({ name }) => name).join(", ") || "no known network"}`,
    );
  }
  const offered = settled.networks.map(({ name }) => name).join(", ");
  return { line: `Facilitator: ${hosts} settles ${offered}`, warnings: [...problems, ...errors.map(inOneLine)] };
}

/**
 * Finds the Cloudflare account to deploy to.
 * @param chosen the account's id, if the settings or the environment contain one
 * @throws Failure if no user is logged in, or if the login does not determine one account
 */
export async function checkAccount(wrangler: Wrangler, chosen: string | undefined): Promise<Found> {
  const { ok, stdout, reason } = await wrangler(["whoami", "--json"]);
  const login = /\{[\s\S]*\}/.exec(stdout)?.[0];
  if (!ok && login)
    throw new Failure(
      "You are not logged in to Cloudflare",
      "Run `npx wrangler login`. Without a browser, set CLOUDFLARE_API_TOKEN to a token that may edit Workers Scripts and R2 Storage",
    );
  if (!ok && chosen !== undefined && /retrieve account IDs/.test(reason))
    return { line: `Cloudflare account: ${chosen}. The token may not read its name` };
  if (!ok) throw refusedBy("npx wrangler whoami", reason);
  const { accounts } = JSON.parse(login ?? "{}") as { accounts?: { id: string; name: string }[] };
  const named = (accounts ?? []).filter(({ id }) => chosen === undefined || id === chosen);
  const [account] = named;
  if (named.length === 1 && account) return { line: `Cloudflare account: ${account.name} (${account.id})` };
  const listed = (accounts ?? []).map(({ name, id }) => `${id} (${name})`).join(", ") || "none";
  throw new Failure(
    chosen === undefined ? "The login has several accounts, or no account" : `The login has no account ${chosen}`,
    `Set CLOUDFLARE_ACCOUNT_ID to one of these: ${listed}`,
  );
}

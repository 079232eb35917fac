import * as z from "zod";
import { recentFailures } from "../../payments/facilitators/failures.ts";
import { isSolana } from "../../payments/wire/networks.ts";
import type { Config } from "../../settings/config.ts";
import { log } from "../../shared/log.ts";
import { once } from "../../shared/once.ts";
import { bucketOf } from "../../storage/bucket.ts";
import { fontLoader } from "../../storage/fonts.ts";
import { claimProblems } from "../account/channels.ts";
import { oncePerConfig } from "../request/oncePerConfig.ts";
import { receiptSigner } from "../sale/proof.ts";
import { build } from "./build.ts";
import { type SettledNetworks, settledNetworks } from "./settledNetworks.ts";

/**
 * Minimum time before the service asks the facilitators again on which networks they settle payments, in milliseconds.
 */
const ASK_AGAIN_MS = 60_000;
/**
 * Maximum age of the facilitators' answers, in milliseconds, in deployments that depend on the facilitators' accounts.
 * These accounts may change.
 */
const ACCOUNTS_MS = 600_000;

/**
 * The last result and its time (Unix milliseconds). The cache holds values, not promises, because a promise belongs to
 * one request.
 */
const lastCheck = oncePerConfig((): { checked?: SettledNetworks; at: number } => ({ at: 0 }));

/**
 * Returns the settings without each network and x402 version in which no facilitator settles payments, because these
 * payments would fail. The first request of an isolate asks the facilitators. A facilitator that has never answered is
 * asked again after `ASK_AGAIN_MS`. Until then, it counts as settling payments on every network except Solana.
 */
export async function settledConfig(config: Config): Promise<Config> {
  if (config.facilitators.length === 0) return config;
  const { checked, at } = lastCheck(config);
  const isKnown = checked?.config.facilitators.every(({ supported }) => supported);
  const haveAccounts = config.networks.some((network) => isSolana(network) || config.rpcUrls[network.name]);
  const freshMs = haveAccounts ? ACCOUNTS_MS : Number.POSITIVE_INFINITY;
  if (checked && Date.now() < at + (isKnown ? freshMs : ASK_AGAIN_MS)) return checked.config;
  return (await check(config)).config;
}

/**
 * Schema of a deployment's health. The status is `fail` if the deployment sells nothing, and `warn` if it sells less
 * than its settings allow.
 */
export const healthSchema = once(() =>
  z.strictObject({
    ...build().partial().shape,
    status: z.enum(["pass", "warn", "fail"]),
    problems: z
      .array(z.string())
      .describe("Problems as sentences. They name settings and networks, but contain no values of settings."),
  }),
);

/** The health of a deployment, without the build that {@link healthSchema} also contains. */
export type Health = Pick<z.output<ReturnType<typeof healthSchema>>, "status" | "problems">;

/** Bindings that the Worker requires; `wrangler.toml` defines them. */
const NEEDED = ["RESULTS", "ASSETS", "LEDGER", "BUDGETS"] as const;
/** Optional bindings of the rate limits. Without these bindings, request rates are not limited. */
const LIMITERS = ["UNPAID_CALLS", "WRONG_TOKENS"] as const;

/** The problems of the bindings at the last check, and the time of this check (Unix milliseconds). */
const lastBindings = oncePerConfig(() => ({ problems: [] as string[], at: 0 }));

/**
 * Checks the bindings and the facilitators, at most once a minute, and returns the deployment's health.
 * @param allowLocal whether the local facilitator may be used if none is configured
 */
export async function healthOf(config: Config, env: Env, allowLocal: boolean): Promise<Health> {
  const bound = lastBindings(config);
  if (Date.now() >= bound.at + ASK_AGAIN_MS) Object.assign(bound, { at: Date.now(), problems: await unbound(env) });
  if (bound.problems.length > 0) return { status: "fail", problems: bound.problems };
  if (config.facilitators.length === 0 && !allowLocal)
    return { status: "fail", problems: ["FACILITATOR_URL is not set: nothing can be sold"] };
  const { checked, at } = lastCheck(config);
  const found = checked && Date.now() < at + ASK_AGAIN_MS ? checked : await check(config);
  const closed = config.selling ? [] : ["SELLING is false: no new orders are accepted, and paid ones are delivered"];
  const claims = config.channelKey === undefined ? [] : await claimProblems(env);
  const keys = await sharedKeys(found.config);
  const problems = [...closed, ...config.warnings, ...found.problems, ...failures(config), ...claims, ...keys];
  if (found.config.networks.length === 0) return { status: "fail", problems };
  return { status: problems.length === 0 ? "pass" : "warn", problems };
}

/** Returns a problem for each facilitator that has recently given no verdict on a payment. */
function failures({ facilitators }: Config): string[] {
  return facilitators.flatMap(({ url }, at) =>
    recentFailures(url, Date.now()).map(({ call, status, isRejection, at: failedAt }) => {
      const name = `facilitator ${at + 1} of FACILITATOR_URL`;
      const time = new Date(failedAt).toISOString();
      if (isRejection)
        return `${name} rejected a payment with HTTP status ${status} on ${call} at ${time}: the caller got a 402 with its text`;
      const answer = status === undefined ? "no answer" : `HTTP status ${status}`;
      return `${name} gave no verdict on ${call} at ${time} (${answer})`;
    }),
  );
}

/**
 * Returns a problem for each signing key that can also move money. Receipts and claims must be signed with separate keys.
 */
async function sharedKeys(config: Config): Promise<string[]> {
  const seller = config.payTo.toLowerCase();
  const isSeller = (address: string | undefined) => address?.toLowerCase() === seller;
  return [
    ...(isSeller((await receiptSigner(config))?.address) ? ["RECEIPT_KEY"] : []),
    ...(isSeller(config.channels?.receiverAuthorizer) ? ["CHANNEL_KEY"] : []),
  ].map((name) => `${name} is the key of PAY_TO. Use a key without access to the money`);
}

/** Returns a problem for each missing binding that selling requires. */
export function missingBindings(env: Env): string[] {
  return missing(env, NEEDED);
}

function missing(env: Env, names: readonly (keyof Env)[]): string[] {
  return names.filter((name) => !env[name]).map((name) => `the binding ${name} is missing`);
}

/** Returns a problem for each binding that is missing or does not answer. */
async function unbound(env: Env): Promise<string[]> {
  const absent = missing(env, [...NEEDED, ...LIMITERS]);
  if (absent.length > 0) return absent;
  const answers = await Promise.allSettled([
    bucketOf(env).head("health"),
    fontLoader(env.ASSETS)("noto-sans-regular.ttf"),
  ]);
  return answers.flatMap(({ status }, at) =>
    status === "rejected" ? [`the binding ${["RESULTS", "ASSETS"][at]} does not respond correctly`] : [],
  );
}

async function check(config: Config): Promise<SettledNetworks> {
  const last = lastCheck(config);
  last.at = Date.now();
  const facilitators = last.checked?.config.facilitators ?? config.facilitators;
  last.checked = await settledNetworks({ ...config, facilitators });
  const { problems, errors } = last.checked;
  if (problems.length > 0) log({ event: "settings", problems, errors });
  return last.checked;
}

import * as z from "zod";
import { isSolana } from "../../payments/wire/networks.ts";
import type { Config } from "../../settings/config.ts";
import { log } from "../../shared/log.ts";
import { once } from "../../shared/once.ts";
import { bucketOf } from "../../storage/bucket.ts";
import { fontLoader } from "../../storage/fonts.ts";
import { oncePerConfig } from "../request/oncePerConfig.ts";
import { receiptSigner } from "../sale/proof.ts";
import { build } from "./build.ts";
import { type SettledNetworks, settledNetworks } from "./settledNetworks.ts";

/** For so long, facilitators are not asked again what they settle. */
const ASK_AGAIN_MS = 60_000;
/** For so long, the accounts of facilitators that matter are taken to be the same. */
const ACCOUNTS_MS = 600_000;

/** What was found last, and when (Unix milliseconds). Values, not promises: those belong to one request. */
const lastCheck = oncePerConfig((): { checked?: SettledNetworks; at: number } => ({ at: 0 }));

/**
 * Returns the settings without the networks, and the versions of x402, that no facilitator says it settles, so that
 * payers are not asked for what would fail. The facilitators are asked at the first request of an isolate, and those
 * that gave no answer again after a while; until they do, they are taken to settle everything.
 */
export async function settledConfig(config: Config): Promise<Config> {
  if (config.facilitators.length === 0) return config;
  const { checked, at } = lastCheck(config);
  const isKnown = checked?.config.facilitators.every(({ supported }) => supported);
  const haveAccounts = config.networks.some((network) => isSolana(network) || config.rpcUrls[network.name]);
  const isGood = haveAccounts ? ACCOUNTS_MS : Number.POSITIVE_INFINITY;
  if (checked && Date.now() < at + (isKnown ? isGood : ASK_AGAIN_MS)) return checked.config;
  return (await check(config)).config;
}

/** What is wrong with a deployment: it sells nothing (`fail`), or not all that its settings say (`warn`). */
export const healthSchema = once(() =>
  z.strictObject({
    ...build().partial().shape,
    status: z.enum(["pass", "warn", "fail"]),
    problems: z
      .array(z.string())
      .describe("In words. They name settings and networks, and hold no values of settings."),
  }),
);

/** A value of {@link healthSchema}, without what was built. */
export type Health = Pick<z.output<ReturnType<typeof healthSchema>>, "status" | "problems">;

/** What the Worker has to be bound to; `wrangler.toml` says to what. */
const NEEDED = ["RESULTS", "ASSETS", "LEDGER", "BUDGETS"] as const;
/** Without these it sells, to as many as call. */
const LIMITERS = ["UNPAID_CALLS", "WRONG_TOKENS"] as const;

/** What was wrong with the bindings last, and when (Unix milliseconds). */
const lastBindings = oncePerConfig(() => ({ problems: [] as string[], at: 0 }));

/**
 * Asks the bindings and the facilitators, once a minute at most, and returns how a deployment is.
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
  const closed = config.selling ? [] : ["SELLING is false: nothing new is sold, and what is paid for is delivered"];
  const problems = [...closed, ...found.problems, ...(await sharedKeys(config))];
  if (found.config.networks.length === 0) return { status: "fail", problems };
  return { status: problems.length === 0 ? "pass" : "warn", problems };
}

/** Returns what is wrong if the key that signs receipts can move the money: it is to be one that can do nothing else. */
async function sharedKeys(config: Config): Promise<string[]> {
  const address = (await receiptSigner(config))?.address.toLowerCase();
  return address === config.payTo.toLowerCase()
    ? ["RECEIPT_KEY is PAY_TO's own: signing needs no key to the money"]
    : [];
}

/** Returns what is missing of the bindings that nothing can be sold without, in words. */
export function missingBindings(env: Env): string[] {
  return missing(env, NEEDED);
}

function missing(env: Env, names: readonly (keyof Env)[]): string[] {
  return names.filter((name) => !env[name]).map((name) => `the binding ${name} is not there`);
}

/** Returns what is missing of the Worker's bindings, or does not answer. */
async function unbound(env: Env): Promise<string[]> {
  const absent = missing(env, [...NEEDED, ...LIMITERS]);
  if (absent.length > 0) return absent;
  const answers = await Promise.allSettled([
    bucketOf(env).head("health"),
    fontLoader(env.ASSETS)("noto-sans-regular.ttf"),
  ]);
  return answers.flatMap(({ status }, at) =>
    status === "rejected" ? [`the binding ${["RESULTS", "ASSETS"][at]} does not answer as it should`] : [],
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

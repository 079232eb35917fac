import * as z from "zod";
import type { Config } from "../config.ts";
import { describeError, log } from "../log.ts";
import { isSolana, type Network } from "../payments/networks.ts";
import { askSupported, type RemoteFacilitator } from "../payments/remoteFacilitator.ts";
import { feePayersOn, settles } from "../payments/supported.ts";
import { bucketOf } from "../storage/bucket.ts";
import { fontLoader } from "../storage/fonts.ts";
import { oncePerConfig } from "./oncePerConfig.ts";
import { receiptSigner } from "./proof.ts";

/** For so long, facilitators are not asked again what they settle. */
const ASK_AGAIN_MS = 60_000;
/** For so long, the accounts of facilitators that matter are taken to be the same. */
const ACCOUNTS_MS = 600_000;

/** A deployment's settings as far as its facilitators settle what they ask for, and what they do not. */
interface Checked {
  config: Config;
  /** For the operator, in words. They name settings and networks, and hold no values of settings. */
  problems: string[];
}

/** What was found last, and when (Unix milliseconds). Values, not promises: those belong to one request. */
const lastCheck = oncePerConfig((): { checked?: Checked; at: number } => ({ at: 0 }));

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
export const healthSchema = z.strictObject({
  status: z.enum(["pass", "warn", "fail"]),
  problems: z.array(z.string()).describe("In words. They name settings and networks, and hold no values of settings."),
});

/** A value of {@link healthSchema}. */
export type Health = z.output<typeof healthSchema>;

/** What the Worker has to be bound to; `wrangler.toml` says to what. */
const BINDINGS = ["RESULTS", "ASSETS", "LEDGER", "BUDGETS", "UNPAID_CALLS", "WRONG_TOKENS"] as const;

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

/** Returns what is missing of the Worker's bindings, or does not answer. */
async function unbound(env: Env): Promise<string[]> {
  const missing = BINDINGS.filter((name) => !env[name]);
  if (missing.length > 0) return missing.map((name) => `the binding ${name} is not there`);
  const answers = await Promise.allSettled([
    bucketOf(env).head("health"),
    fontLoader(env.ASSETS)("noto-sans-regular.ttf"),
  ]);
  return answers.flatMap(({ status }, at) =>
    status === "rejected" ? [`the binding ${["RESULTS", "ASSETS"][at]} does not answer as it should`] : [],
  );
}

async function check(config: Config): Promise<Checked> {
  const last = lastCheck(config);
  last.at = Date.now();
  const known = last.checked?.config.facilitators ?? config.facilitators;
  const answers = await Promise.all(known.map(ask));
  const facilitators = answers.map(({ facilitator }) => facilitator);
  const isSettled = (network: Network) => (version: 1 | 2) =>
    (facilitators.length === 0 && !isSolana(network)) ||
    facilitators.some(({ supported }) => settles(supported, network, version));
  const networks = config.networks.map((network) => {
    const versions = network.versions.filter(isSettled(network));
    if (!isSolana(network)) return { ...network, versions };
    const feePayers = (version: 1 | 2) =>
      facilitators.flatMap(({ supported }) => feePayersOn(supported, network, version));
    return { ...network, versions, feePayers: { 1: feePayers(1), 2: feePayers(2) } };
  });
  const problems = [
    ...answers.flatMap(({ error }, at) =>
      error === undefined ? [] : `facilitator ${at + 1} of FACILITATOR_URL does not say what it settles`,
    ),
    ...networks.flatMap((network, at) =>
      config.networks[at]!.versions.filter((version) => !network.versions.includes(version)).map((version) => {
        const lacks = isSolana(network) ? "says who pays the fee on" : "settles";
        return `no facilitator ${lacks} ${network.name} in version ${version} of x402: it is not offered there`;
      }),
    ),
  ];
  if (problems.length > 0) log({ event: "settings", problems, errors: answers.flatMap(({ error }) => error ?? []) });
  last.checked = {
    config: { ...config, facilitators, networks: networks.filter(({ versions }) => versions.length > 0) },
    problems,
  };
  return last.checked;
}

async function ask(facilitator: RemoteFacilitator): Promise<{ facilitator: RemoteFacilitator; error?: string }> {
  try {
    return { facilitator: { ...facilitator, supported: await askSupported(facilitator) } };
  } catch (error) {
    return { facilitator, error: `${new URL(facilitator.url).host}: ${describeError(error)}` };
  }
}

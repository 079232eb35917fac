import type * as z from "zod";
import type { RpcUrls } from "../payments/chain/chain.ts";
import type { FacilitatorSettings } from "../payments/facilitators/facilitators.ts";
import type { ChannelTerms } from "../payments/wire/channelOffer.ts";
import type { Network } from "../payments/wire/networks.ts";
import type { Price } from "../payments/wire/price.ts";
import { log } from "../shared/log.ts";
import { type BlockList, blockListOf } from "../shared/net/blockList.ts";
import { networksOf } from "./chosenNetworks.ts";
import { contradictionsOf } from "./contradictions.ts";
import { authFor } from "./credentials.ts";
import { DEVELOPMENT_PAY_TO, publicAccount } from "./payTo.ts";
import { NAMES, type Settings, settings } from "./schema.ts";
import { isQuoted, misspelledNames, nearMisses, type SettingProblem, textsOf, unknownNames } from "./settingNames.ts";
import { SettingsError } from "./settingsError.ts";

/** Time in seconds for marking the PDF and storing the result, in addition to fetching the file and the image. */
const COMPUTING_SECONDS = 60;

/** Maximum time that a body may lag behind its minimum rate, in milliseconds. */
const BODY_GRACE_MS = 10_000;

/** Settings that the service only shows to callers. An invalid value causes a warning and counts as unset. */
const COSMETIC: readonly string[] = [
  "CONTACT_EMAIL",
  "REPOSITORY_URL",
  "TERMS_URL",
  "PRIVACY_URL",
  "IMPRINT_URL",
  "STATUS_URL",
] satisfies (keyof Settings)[];

/**
 * Settings whose defaults would sell on wrong terms. If such a setting is not set, a variable with a similar name stops
 * sales.
 */
const TERMS: readonly string[] = [
  "PAY_TO",
  "PAY_TO_SOLANA",
  "SELLING",
  "PRICE",
  "NETWORKS",
] satisfies (keyof Settings)[];

/** URLs that the operator publishes. Each is undefined if its setting is missing. */
export interface OperatorLinks {
  source: string | undefined;
  terms: string | undefined;
  privacy: string | undefined;
  imprint: string | undefined;
  status: string | undefined;
}

/** The validated settings of the Worker: every limit and default of the service. */
export interface Config extends FacilitatorSettings {
  /** Whether new calls are sold. */
  selling: boolean;
  /** Whether calls without an idempotency key are charged once for the same content. */
  defaultKey: boolean;
  /** Whether calls can also be paid over MPP. */
  mpp: boolean;
  price: Price;
  networks: Network[];
  payTo: string;
  payToSolana: string | undefined;
  rpcUrls: RpcUrls;
  /** The key that signs offers and receipts. Undefined if RECEIPT_KEY is not set. */
  receiptKey: `0x${string}` | undefined;
  /** The key that signs claims and refunds of payment channels. Undefined if CHANNEL_KEY is not set. */
  channelKey: `0x${string}` | undefined;
  channelWithdrawDelaySeconds: number;
  channelMinDepositCalls: number;
  /**
   * The terms of payment channels. Undefined if the deployment offers no channels, or before the facilitators have been
   * asked.
   */
  channels?: ChannelTerms | undefined;
  /** The operator's token for reading the sales. Undefined if OPERATOR_TOKEN is not set. */
  operatorToken: string | undefined;
  /** Maximum duration of a call's work, in seconds. */
  workSeconds: number;
  /** Maximum duration of a call before settlement, in milliseconds. This duration includes receiving the body. */
  callMs: number;
  /**
   * Requested validity of the payer's authorization, in seconds. It exceeds the time for the work and the settlement.
   */
  maxTimeoutSeconds: number;
  allowedHosts: string[];
  blocked: BlockList;
  contactEmail: string | undefined;
  links: OperatorLinks;
  linkTtlSeconds: number;
  /** The only host that serves files. Undefined if the API's host serves them. */
  fileHost: string | undefined;
  maxBodyBytes: number;
  maxJsonBytes: number;
  bodyPace: { bytesPerSecond: number; graceMs: number; deadlineMs: number };
  maxSourceBytes: number;
  spoolThresholdBytes: number;
  maxLargeFiles: number;
  maxCallsPerPayer: number;
  /**
   * Maximum number of concurrent requests per payer. Requests that wait for another request with the same payment
   * count, too.
   */
  maxRequestsPerPayer: number;
  unchargedMsPerHour: number;
  unchargedBytesPerHour: number;
  maxImageBytes: number;
  maxImagePixels: number;
  maxPages: number;
  /**
   * Problems that do not stop sales: variables whose names resemble the name of a setting, an invalid contact address
   * or operator link ({@link COSMETIC}), and a PAY_TO that is a test account or the burn address.
   */
  warnings: string[];
  fetchTimeoutMs: number;
  allowLoopbackSources: boolean;
  dnsCheckUrl: string | undefined;
}

/**
 * Reads and validates the settings in the Worker's environment. An empty string counts as unset.
 * @throws SettingsError with all problems
 */
export function readConfig(env: object): Config {
  const given = textsOf(env);
  const issues = settings.safeParse(given).error?.issues ?? [];
  const inQuotes = NAMES.filter((name) => isQuoted(given[name]));
  const found: SettingProblem[] = [
    ...misspelledNames(given, NAMES),
    ...inQuotes.map((setting) => ({ setting, problem: `${setting}: has quotes around its value. Remove them` })),
    ...issues
      .map((issue) => ({ setting: String(issue.path[0]), problem: formatted(issue) }))
      .filter(({ setting }) => !inQuotes.includes(setting)),
  ];
  const near = nearMisses(given, NAMES);
  const isCosmetic = ({ setting }: SettingProblem) => COSMETIC.includes(setting);
  const isFatal = ({ setting }: SettingProblem) => TERMS.includes(setting) && given[setting] === undefined;
  const warnings = [...found.filter(isCosmetic), ...near.filter((one) => !isFatal(one))].map(({ problem }) => problem);
  const problems = [...found.filter((one) => !isCosmetic(one)), ...near.filter(isFatal)].map(({ problem }) => problem);
  const texts = Object.fromEntries(
    Object.entries(given).filter(([name]) => !COSMETIC.includes(name) || !issues.some(({ path }) => path[0] === name)),
  );
  const parsed = settings.safeParse(texts);
  if (!parsed.success || problems.length > 0) throw new SettingsError([...problems, ...warnings]);

  const { PAY_TO, PAY_TO_SOLANA, FACILITATOR_URL, ...rest } = parsed.data;
  const networks = networksOf(parsed.data);
  const timeoutMs = rest.FACILITATOR_TIMEOUT_SECONDS * 1000;
  const workSeconds = 2 * rest.FETCH_TIMEOUT_SECONDS + COMPUTING_SECONDS;
  const maxTimeoutSeconds = Math.max(300, workSeconds + 3 * rest.FACILITATOR_TIMEOUT_SECONDS);
  const contradictions = contradictionsOf(parsed.data, networks, maxTimeoutSeconds);
  if (contradictions.length > 0) throw new SettingsError([...contradictions, ...warnings]);
  const account = FACILITATOR_URL && publicAccount(PAY_TO);
  if (account) warnings.unshift(account);
  return {
    selling: rest.SELLING,
    defaultKey: rest.DEFAULT_KEY,
    mpp: rest.MPP,
    price: rest.PRICE,
    networks,
    payTo: PAY_TO ?? DEVELOPMENT_PAY_TO,
    payToSolana: PAY_TO_SOLANA,
    rpcUrls: Object.fromEntries(
      rest.NETWORKS.flatMap((network, at) => (rest.RPC_URL?.[at] ? [[network, rest.RPC_URL[at]]] : [])),
    ),
    receiptKey: rest.RECEIPT_KEY,
    channelKey: rest.CHANNEL_KEY,
    channelWithdrawDelaySeconds: rest.CHANNEL_WITHDRAW_DELAY_SECONDS,
    channelMinDepositCalls: rest.CHANNEL_MIN_DEPOSIT_CALLS,
    operatorToken: rest.OPERATOR_TOKEN,
    facilitators: (FACILITATOR_URL ?? []).map((url, at) => ({ url, timeoutMs, ...authFor(url, at, parsed.data) })),
    facilitatorTimeoutMs: timeoutMs,
    workSeconds,
    callMs: (rest.BODY_TIMEOUT_SECONDS + workSeconds) * 1000,
    maxTimeoutSeconds,
    allowedHosts: rest.ALLOWED_HOSTS ?? [],
    blocked: blockListOf(rest.BLOCKED ?? []),
    contactEmail: rest.CONTACT_EMAIL,
    links: {
      source: rest.REPOSITORY_URL,
      terms: rest.TERMS_URL,
      privacy: rest.PRIVACY_URL,
      imprint: rest.IMPRINT_URL,
      status: rest.STATUS_URL,
    },
    linkTtlSeconds: rest.LINK_TTL_SECONDS,
    fileHost: rest.FILE_HOST,
    maxBodyBytes: rest.MAX_BODY_BYTES,
    maxJsonBytes: rest.MAX_JSON_BYTES,
    bodyPace: {
      bytesPerSecond: rest.MIN_BODY_BYTES_PER_SECOND,
      graceMs: BODY_GRACE_MS,
      deadlineMs: rest.BODY_TIMEOUT_SECONDS * 1000,
    },
    maxSourceBytes: rest.MAX_SOURCE_BYTES,
    spoolThresholdBytes: rest.SPOOL_THRESHOLD_BYTES,
    maxLargeFiles: rest.MAX_LARGE_FILES,
    maxCallsPerPayer: rest.MAX_CALLS_PER_PAYER,
    maxRequestsPerPayer: Math.max(100, rest.MAX_CALLS_PER_PAYER),
    unchargedMsPerHour: rest.UNCHARGED_SECONDS_PER_HOUR * 1000,
    unchargedBytesPerHour: rest.UNCHARGED_BYTES_PER_HOUR,
    maxImageBytes: rest.MAX_IMAGE_BYTES,
    maxImagePixels: rest.MAX_IMAGE_PIXELS,
    maxPages: rest.MAX_PAGES,
    warnings,
    fetchTimeoutMs: rest.FETCH_TIMEOUT_SECONDS * 1000,
    allowLoopbackSources: rest.ALLOW_LOOPBACK_SOURCES,
    dnsCheckUrl: rest.DNS_CHECK_URL,
  };
}

/** Formats a validation error, as in `FACILITATOR_URL[1]: …`. */
function formatted({ path, message }: z.core.$ZodIssue): string {
  const [name, ...rest] = path.map(String);
  return `${name}${rest.map((key) => `[${key}]`).join("")}: ${message}`;
}

/** Cache of validated settings, or of their errors, by environment. */
const loaded = new WeakMap<object, Config | SettingsError>();

/**
 * Returns the settings of this environment. Validates them on first use, and then logs their problems and the unknown
 * variables.
 * @throws SettingsError
 */
export function configOf(env: object): Config {
  const found = loaded.get(env) ?? loadSettings(env);
  loaded.set(env, found);
  if (found instanceof SettingsError) throw found;
  return found;
}

/**
 * Returns the host that serves files, even if other settings are invalid. Returns undefined if FILE_HOST is unset or
 * invalid.
 */
export function fileHostOf(env: object): string | undefined {
  const { FILE_HOST } = textsOf(env);
  return settings.shape.FILE_HOST.safeParse(FILE_HOST).data;
}

/**
 * Validates the settings of this environment, and logs problems, warnings and unknown variables. The Worker calls this
 * function at start-up, so that developers see the problems at once. Cloudflare stores log lines only from the first
 * request on.
 */
export function loadSettings(env: object): Config | SettingsError {
  const unknown = unknownNames(textsOf(env), NAMES).map((name) => `${name} is not a setting`);
  if (unknown.length > 0) log({ event: "settings", problems: unknown, errors: [] });
  try {
    const config = readConfig(env);
    if (config.warnings.length > 0) log({ event: "settings", problems: config.warnings, errors: [] });
    return config;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    log({ event: "settings", problems: error.problems, errors: [] });
    return error;
  }
}

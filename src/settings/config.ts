import { getAddress } from "viem/utils";
import * as z from "zod";
import type { RpcUrls } from "../payments/chain/chain.ts";
import { isCdpSecret } from "../payments/facilitators/cdpToken.ts";
import type { RemoteFacilitator } from "../payments/facilitators/facilitatorHttp.ts";
import type { FacilitatorSettings } from "../payments/facilitators/facilitators.ts";
import type { ChannelTerms } from "../payments/wire/channelOffer.ts";
import { isSolana, NETWORKS, type Network, TEST_NETWORKS } from "../payments/wire/networks.ts";
import { atomicUnits, type Price, parsePrice } from "../payments/wire/price.ts";
import { isSolanaAddress } from "../payments/wire/solanaTransaction.ts";
import { log } from "../shared/log.ts";
import { isQuoted, misspelledNames, nearMisses, textsOf, unknownNames } from "./settingNames.ts";
import {
  count,
  credentials,
  endpoint,
  evmAddress,
  facilitatorUrl,
  flag,
  inJson,
  link,
  list,
  privateKey,
} from "./settingValues.ts";

/**
 * Default PAY_TO for development: the address of the second well-known development key. It receives no money, because
 * only the local facilitator uses it.
 */
const DEVELOPMENT_PAY_TO = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/**
 * Well-known addresses whose private keys are public: the first twelve digits of the ten accounts of Hardhat and Anvil,
 * in their order. Their money can be taken by anyone.
 */
const PUBLIC_ACCOUNTS =
  "f39fd6e51aad 70997970c518 3c44cdddb6a9 90f79bf6eb2c 15d34aaf5426 9965507d1a55 976ea74026e7 14dc79964da2 23618e81e3f5 a0ee7a142d26".split(
    " ",
  );
/** Address to which tokens are sent to destroy them: its last digits. No private key is known. */
const BURN_ADDRESS = /^0x0+dead$/i;

/** Time for marking the PDF and storing the result, in addition to fetching the file and the image. */
const COMPUTING_SECONDS = 60;

/** Maximum time that a body may lag behind its minimum rate, in milliseconds. */
const BODY_GRACE_MS = 10_000;

/** Rate limits per address and minute. wrangler.toml must have the same values. */
export const RATE_LIMITS = { unpaidCalls: 120, wrongTokens: 30 } as const;
/**
 * Limit of refused payments per address, as a leaky bucket. `capacity` is the number of refused payments after which
 * the address is throttled. One refused payment is forgotten every `leakMs` milliseconds.
 */
export const REFUSED_PAYMENTS = { capacity: 10, leakMs: 5000 } as const;
/** Limit of verified but unused payments per payer, as a leaky bucket. A payment is unused if its call failed. */
export const UNUSED_PAYMENTS = { capacity: 30, leakMs: 2000 } as const;

/**
 * Limits of uploads. An upload counts until it expires after an hour, so each limit on simultaneous uploads is also a
 * limit per hour.
 */
export const UPLOADS = {
  /** Lifetime of an upload, in seconds. */
  seconds: 3600,
  /** Maximum size of a free upload, in bytes. */
  freeBytes: 10_000_000,
  /** Limits of the free uploads that an address has at the same time: their number and their total size in bytes. */
  free: { slots: 5, bytes: 50_000_000 },
  /** Maximum number of uploads that a payer has at the same time. */
  payerSlots: 100,
  /** Maximum number of bytes received in failed attempts to send a file, as a multiple of the upload's size. */
  maxFailedSizes: 2,
} as const;

/** Limits of payment links. */
export const PAYMENT_LINKS = {
  /** Lifetime of a payment link, in seconds. */
  seconds: 3600,
  /** Maximum size of the request for a payment link, in bytes. */
  requestBytes: 16 * 1024,
  /** Limits of the payment links that an address has at the same time: their number and their total size in bytes. */
  free: { slots: 20, bytes: 1_000_000 },
  /** Maximum size of an uploaded file that a payment page reads for its preview, in bytes. */
  previewBytes: 10_000_000,
  /** Number of times that the pages of payment links can read one upload. */
  previewReads: 5,
} as const;

/** Maximum number of bytes of a request or message that are read before its payer is known. */
export const UNPAID_MESSAGE_BYTES = 256 * 1024;

/** The environment variables that configure the service; `.dev.vars.example` lists them for operators. */
export const settings = z.object({
  /** The address that receives payments on EVM chains. Required for EVM chains if FACILITATOR_URL is set. */
  PAY_TO: evmAddress.optional(),
  /**
   * The wallet that receives payments on Solana. Required for Solana if FACILITATOR_URL is set. The wallet must already
   * have a token account for USDC, because payers do not create that account.
   */
  PAY_TO_SOLANA: z.string().refine(isSolanaAddress, "must be the base58 of 32 bytes").optional(),
  /** Whether new calls are sold. If false, calls that are already paid are still settled and delivered. */
  SELLING: flag.default(true),
  /**
   * Whether calls without an idempotency key are charged once for the same content within ten minutes. Set this to
   * false if many people share one payer, such as a hosted wallet.
   */
  DEFAULT_KEY: flag.default(true),
  /**
   * Whether calls over HTTP can also be paid over MPP (the HTTP authentication scheme "Payment"). With FACILITATOR_URL,
   * this needs RECEIPT_KEY, from which the secret of the challenges is derived.
   */
  MPP: flag.default(true),
  /** The price of one call in USDC, with at most six decimals. */
  PRICE: z
    .string()
    .prefault("0.05")
    .transform((amount, context) => {
      const price = parsePrice(amount);
      if (!price) context.addIssue("must be an amount of USDC above zero, such as 0.05, with at most six decimals");
      return price ?? z.NEVER;
    }),
  /** The chains that accept payments. */
  NETWORKS: list(z.string()).prefault("base-sepolia"),
  /**
   * Additional chains for NETWORKS: a JSON object with chain names as keys. The token must be worth one dollar and have
   * `transferWithAuthorization` (EIP-3009). These chains are offered only in x402 version 2. Clients of version 1 know
   * only a fixed list of chain names.
   */
  EXTRA_NETWORKS: inJson(
    z.record(
      z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "must have names of lower-case letters, digits and hyphens"),
      z.strictObject({
        chainId: z.int().min(1),
        asset: evmAddress.transform((asset) => getAddress(asset)), // signatures include the address, which must therefore be in its checksum form
        /** Name and version of the token's EIP-712 domain. */
        name: z.string().min(1).max(100),
        version: z.string().min(1).max(20),
        decimals: z.int().min(0).max(36),
      }),
    ),
  ).default({}),
  /**
   * The x402 facilitators that verify and settle payments, in order of preference. Without one, payments are verified
   * locally, for development on loopback only.
   */
  FACILITATOR_URL: list(facilitatorUrl).optional(),
  /**
   * The facilitators' `Authorization` headers, in the order of FACILITATOR_URL. The entry of a facilitator without one
   * is empty.
   */
  FACILITATOR_AUTHORIZATION: list(credentials.or(z.literal(""))).optional(),
  /** The API key for facilitators under cdp.coinbase.com. */
  CDP_API_KEY_ID: z
    .string()
    .regex(/^[\x21-\x7e]+$/, "must be a key id without spaces")
    .optional(),
  CDP_API_KEY_SECRET: z.string().refine(isCdpSecret, "must be 64 bytes of base64 or a PEM key").optional(),
  /**
   * A JSON-RPC node for each network, in the order of NETWORKS. The entry of a network without a node is empty. The
   * service asks the node whether a payment has settled if the facilitator's response was lost, or if a third party may
   * have submitted the payment.
   */
  RPC_URL: list(endpoint.or(z.literal(""))).optional(),
  /**
   * A private key (secp256k1) that is used only to sign offers and receipts (x402 extension "offer-receipt"). Without
   * this key, the service signs no offers and receipts.
   */
  RECEIPT_KEY: privateKey.optional(),
  /**
   * A private key (secp256k1) that is used only to sign claims and refunds of payment channels (x402 scheme
   * "batch-settlement"). It holds no money. Without this key, channels are not offered.
   */
  CHANNEL_KEY: privateKey.optional(),
  /**
   * Time between a payer's request to withdraw from a channel and the withdrawal. The service must claim the channel's
   * charges within this time.
   */
  CHANNEL_WITHDRAW_DELAY_SECONDS: count(86_400, 30 * 86_400, 3600),
  /**
   * Minimum deposit into a channel, as a multiple of the price of a call. Each deposit costs the facilitator a
   * transaction.
   */
  CHANNEL_MIN_DEPOSIT_CALLS: count(10, 1000),
  /**
   * The operator's token for `GET /v1/operator/sales` and `npm run revenue`. Without this token, the sales cannot be
   * read.
   */
  OPERATOR_TOKEN: z
    .string()
    .regex(
      /^[\x21-\x7e]{32,}$/,
      "must have at least 32 characters and no spaces. Create one with: openssl rand -hex 32",
    )
    .optional(),
  /** Time limit of one call to a facilitator. */
  FACILITATOR_TIMEOUT_SECONDS: count(20, 120),

  /**
   * The hosts that serve /mcp. Web pages of these hosts may call /mcp, and payers may sign in at these hosts.
   * `src/mcp/hosts.ts` implements the default.
   */
  ALLOWED_HOSTS: list(z.hostname("must be host names without scheme and port").toLowerCase()).optional(),
  /** The operator's email address, for registries and callers. */
  CONTACT_EMAIL: z.email("must be an email address").optional(),
  /** URL of this deployment's source, for links on the pages. */
  REPOSITORY_URL: link.optional(),
  /** URL of the terms of service. The pages, the OpenAPI document and the catalogs link to it, as to the next three. */
  TERMS_URL: link.optional(),
  /** URL of the privacy policy. */
  PRIVACY_URL: link.optional(),
  /** URL of the imprint: the name and postal address of the operator. */
  IMPRINT_URL: link.optional(),
  /** URL of the operator's status page for people. */
  STATUS_URL: link.optional(),

  /**
   * Lifetime of a download link, in seconds. The lifetime starts before the payment settles. It must therefore exceed
   * the time during which settlement is retried.
   */
  LINK_TTL_SECONDS: count(24 * 3600, 30 * 24 * 3600, 600),
  /**
   * A host that serves only result files, with its port unless the port is 443. By default, the API's host serves the
   * files.
   */
  FILE_HOST: z
    .string()
    .toLowerCase()
    .refine((host) => URL.parse(`https://${host}`)?.host === host, "must be a host name such as files.example.com")
    .optional(),

  /** Maximum size of a multipart body in bytes. Cloudflare itself accepts 100 MB on most plans. */
  MAX_BODY_BYTES: count(100_000_000, 500_000_000),
  /** Maximum size of a JSON body in bytes, including its embedded files. */
  MAX_JSON_BYTES: count(32_000_000, 100_000_000),
  /** Time limit for receiving a body. */
  BODY_TIMEOUT_SECONDS: count(300, 3600),
  /**
   * Minimum rate of a body or of a file from a URL. A sender that falls behind this rate by more than ten seconds is
   * rejected.
   */
  MIN_BODY_BYTES_PER_SECOND: count(32_000, 10_000_000),
  MAX_SOURCE_BYTES: count(1_000_000_000, 4_900_000_000),
  /**
   * Size in bytes above which a PDF is spilled to R2 during the work. PDFs up to the default size fit in an isolate's
   * memory, even with 50,000 pages.
   */
  SPOOL_THRESHOLD_BYTES: count(16_000_000, 64_000_000),
  /** Maximum number of concurrent calls per isolate with a file over 8 MB. */
  MAX_LARGE_FILES: count(1, 100),
  /** Maximum number of concurrent payments per payer. */
  MAX_CALLS_PER_PAYER: count(8, 1000),
  /** Maximum seconds of uncharged work per payer and hour. Work is uncharged if the call or its payment fails. */
  UNCHARGED_SECONDS_PER_HOUR: count(120, 3600),
  /** Maximum bytes of uncharged uploads and downloads per payer and hour. */
  UNCHARGED_BYTES_PER_HOUR: count(4_000_000_000, 1e12),
  MAX_IMAGE_BYTES: count(10_000_000, 100_000_000),
  MAX_IMAGE_PIXELS: count(40_000_000, 400_000_000),
  MAX_PAGES: count(50_000, 1_000_000),
  /** Time limit for fetching one URL, including redirects and body. */
  FETCH_TIMEOUT_SECONDS: count(60, 300),
  /**
   * Whether callers on this machine may name files at the machine's loopback addresses, on any port. For development
   * only.
   */
  ALLOW_LOOPBACK_SOURCES: flag.default(false),
  /**
   * A DNS-over-HTTPS resolver (JSON format) that checks before each fetch whether a host is public. Needed for workerd
   * outside Cloudflare, where `global_fetch_strictly_public` has no effect.
   */
  DNS_CHECK_URL: endpoint.optional(),
});

type Settings = z.output<typeof settings>;

const NAMES = Object.keys(settings.shape);

/** Settings that are only published. An invalid one is a warning and counts as unset. */
const COSMETIC: readonly string[] = [
  "CONTACT_EMAIL",
  "REPOSITORY_URL",
  "TERMS_URL",
  "PRIVACY_URL",
  "IMPRINT_URL",
  "STATUS_URL",
] satisfies (keyof Settings)[];

/** Settings whose default would sell on wrong terms. A near miss of their names stops sales if they are not set. */
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
  /** Problems that do not stop sales: near misses of setting names, and invalid published settings. */
  warnings: string[];
  fetchTimeoutMs: number;
  allowLoopbackSources: boolean;
  dnsCheckUrl: string | undefined;
}

/** Thrown for invalid settings. The message is public. It therefore names settings but contains no values. */
export class SettingsError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(`The Worker's settings are invalid: ${problems.join("; ")}`);
    this.problems = problems;
  }
}

/**
 * Reads and validates the settings in the Worker's environment. An empty string counts as unset.
 * @throws SettingsError with all problems
 */
export function readConfig(env: object): Config {
  const given = textsOf(env);
  const issues = settings.safeParse(given).error?.issues ?? [];
  const inQuotes = NAMES.filter((name) => isQuoted(given[name]));
  const found = [
    ...misspelledNames(given, NAMES),
    ...inQuotes.map((name) => `${name}: has quotes around its value. Remove them`),
    ...issues.filter(({ path }) => !inQuotes.includes(String(path[0]))).map(formatted),
  ];
  const near = nearMisses(given, NAMES).map(({ name, setting }) => ({
    problem: `${name} is not a setting. Did you mean ${setting}?`,
    isFatal: TERMS.includes(setting) && given[setting] === undefined,
  }));
  const warnings = [
    ...found.filter(isCosmetic),
    ...near.filter(({ isFatal }) => !isFatal).map(({ problem }) => problem),
  ];
  const problems = [
    ...found.filter((problem) => !isCosmetic(problem)),
    ...near.filter(({ isFatal }) => isFatal).map(({ problem }) => problem),
  ];
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

function settingsError(problem: string): SettingsError {
  return new SettingsError([problem]);
}

/** Returns whether a problem is about a setting that is only published. */
function isCosmetic(problem: string): boolean {
  return COSMETIC.some((name) => problem.startsWith(`${name}:`) || problem.endsWith(` ${name}`));
}

/** Returns the problem of a test account or of the burn address. Returns undefined for other addresses. */
function publicAccount(address = ""): string | undefined {
  if (BURN_ADDRESS.test(address)) return "PAY_TO is the burn address 0x…dEaD. Set it to your own address";
  const at = PUBLIC_ACCOUNTS.indexOf(address.slice(2, 14).toLowerCase());
  if (at < 0) return undefined;
  return `PAY_TO is test account ${at} of Hardhat and Anvil, whose private key is public. Set it to your own address`;
}

/** Formats a validation error, as in `FACILITATOR_URL[1]: …`. */
function formatted({ path, message }: z.core.$ZodIssue): string {
  const [name, ...rest] = path.map(String);
  return `${name}${rest.map((key) => `[${key}]`).join("")}: ${message}`;
}

/** Returns the problems of settings that are valid individually but not together. */
function contradictionsOf(
  { PAY_TO, PAY_TO_SOLANA, FACILITATOR_URL = [], ...rest }: Settings,
  networks: Network[],
  maxTimeoutSeconds: number,
): string[] {
  const hasFacilitator = FACILITATOR_URL.length > 0;
  const payTo = PAY_TO?.toLowerCase();
  const isOwn = payTo !== undefined && payTo !== DEVELOPMENT_PAY_TO.toLowerCase();
  const baseUrls = FACILITATOR_URL.map((url) => url.replace(/\/+$/, ""));
  const { FACILITATOR_AUTHORIZATION = [], RPC_URL = [], CDP_API_KEY_ID: keyId, CDP_API_KEY_SECRET: keySecret } = rest;
  const needsKey = (url: string, at: number) => isCdp(url) && !FACILITATOR_AUTHORIZATION[at];
  const account = publicAccount(PAY_TO);
  const sellsForMoney = networks.some(({ name }) => !TEST_NETWORKS.has(name));
  const rules: [boolean, string][] = [
    [hasFacilitator && isOwn && account !== undefined && sellsForMoney, account ?? ""],
    [
      hasFacilitator && !isOwn && !networks.every(isSolana),
      payTo === undefined ? "FACILITATOR_URL is set, so PAY_TO must be your own address" : (account ?? ""),
    ],
    [
      hasFacilitator && !PAY_TO_SOLANA && networks.some(isSolana),
      "NETWORKS contains Solana, so PAY_TO_SOLANA must be your own address",
    ],
    [
      networks.some(({ asset }) => asset.toLowerCase() === payTo),
      "PAY_TO is the token's contract. Set it to your own address",
    ],
    [
      networks.some(({ asset }) => asset === PAY_TO_SOLANA),
      "PAY_TO_SOLANA is the token's mint. Set it to your own wallet",
    ],
    [new Set(baseUrls).size < baseUrls.length, "FACILITATOR_URL contains the same address twice. Remove one"],
    [
      FACILITATOR_AUTHORIZATION.length > FACILITATOR_URL.length,
      "FACILITATOR_AUTHORIZATION has more entries than FACILITATOR_URL. Remove the additional ones",
    ],
    [!keyId !== !keySecret, "CDP_API_KEY_ID and CDP_API_KEY_SECRET belong together. Set both or neither"],
    [
      !(keyId && keySecret) && FACILITATOR_URL.some(needsKey),
      "FACILITATOR_URL contains a facilitator of CDP, so CDP_API_KEY_ID and CDP_API_KEY_SECRET must be set",
    ],
    [RPC_URL.length > networks.length, "RPC_URL has more entries than NETWORKS. Remove the additional ones"],
    [
      rest.FILE_HOST !== undefined && rest.ALLOWED_HOSTS?.includes(rest.FILE_HOST) === true,
      "FILE_HOST serves only files, so ALLOWED_HOSTS must not contain it",
    ],
    [
      rest.LINK_TTL_SECONDS < maxTimeoutSeconds,
      `LINK_TTL_SECONDS must be at least ${maxTimeoutSeconds}, the time that a payment may take to settle with these FETCH_TIMEOUT_SECONDS and FACILITATOR_TIMEOUT_SECONDS`,
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem);
}

/**
 * Returns the networks in NETWORKS.
 * @throws SettingsError if a network is unknown or duplicated, if its token has too few decimals for the price, or if
 * EXTRA_NETWORKS redefines a built-in network
 */
function networksOf({ NETWORKS: chosen, EXTRA_NETWORKS: extra, PRICE }: Settings): Network[] {
  const known = new Map<string, Network>(Object.entries(NETWORKS));
  for (const [name, { chainId, asset, decimals, ...domain }] of Object.entries(extra)) {
    if (known.has(name)) throw settingsError(`EXTRA_NETWORKS: ${name} is a built-in network. Choose another name`);
    const token = { asset, decimals, domain };
    known.set(name, { name, chainId, caip2: `eip155:${chainId}`, ...token, versions: [2] });
  }
  const networks = chosen.map((name, at) => {
    const network = known.get(name);
    if (!network)
      throw settingsError(`NETWORKS: entry ${at + 1} is unknown. Choose from ${[...known.keys()].join(", ")}`);
    return network;
  });
  if (new Set(networks.map(({ caip2 }) => caip2)).size < networks.length)
    throw settingsError("NETWORKS: two entries are the same chain. Remove one");
  for (const { name, decimals } of networks)
    try {
      atomicUnits(PRICE, decimals);
    } catch {
      throw settingsError(`PRICE: has more decimals than the token on ${name}. Use fewer decimals`);
    }
  return networks;
}

/**
 * Returns the credentials for the facilitator with this index. A facilitator never receives the secrets of another
 * facilitator.
 */
function authFor(
  url: string,
  at: number,
  { FACILITATOR_AUTHORIZATION, CDP_API_KEY_ID, CDP_API_KEY_SECRET }: Settings,
): Pick<RemoteFacilitator, "auth"> {
  const header = FACILITATOR_AUTHORIZATION?.[at];
  if (header) return { auth: { header } };
  if (isCdp(url) && CDP_API_KEY_ID && CDP_API_KEY_SECRET)
    return { auth: { cdp: { id: CDP_API_KEY_ID, secret: CDP_API_KEY_SECRET } } };
  return {};
}

function isCdp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" && hostname.endsWith(".cdp.coinbase.com");
}

/** Cache of validated settings, or of their errors, by environment. */
const loaded = new WeakMap<object, Config | SettingsError>();

/**
 * Returns the settings of this environment. Validates them on first use, and then logs their problems and unknown
 * names.
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
 * Validates the settings of this environment and logs problems, warnings and unknown names. The Worker calls this function at
 * start-up, so that developers see the problems at once. Cloudflare stores log lines only from the first request on.
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

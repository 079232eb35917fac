import { getAddress } from "viem/utils";
import * as z from "zod";
import type { RpcUrls } from "../payments/chain/chain.ts";
import { isCdpSecret } from "../payments/facilitators/cdpToken.ts";
import type { RemoteFacilitator } from "../payments/facilitators/facilitatorHttp.ts";
import type { FacilitatorSettings } from "../payments/facilitators/facilitators.ts";
import { isSolana, NETWORKS, type Network } from "../payments/wire/networks.ts";
import { atomicUnits, type Price, parsePrice } from "../payments/wire/price.ts";
import { isSolanaAddress } from "../payments/wire/solanaTransaction.ts";
import { log } from "../shared/log.ts";
import { isQuoted, misspelt, textsOf, unknownNames } from "./settingNames.ts";
import { count, credentials, endpoint, evmAddress, facilitatorUrl, flag, inJson, link, list } from "./settingValues.ts";

/**
 * The default for development, the address of the second well-known development key. It receives nothing: only the
 * local facilitator is used with it.
 */
const DEVELOPMENT_PAY_TO = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/** Of secp256k1 (SEC 2, 2.4.1). */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Time allowed in addition to fetching the file and the image: for computing and for storing the output. */
const COMPUTING_SECONDS = 60;

/** How far a body may fall behind its rate. */
const BODY_GRACE_MS = 10_000;

/** Rate limits per address and minute. wrangler.toml must have the same figures. */
export const RATE_LIMITS = { unpaidCalls: 120, wrongTokens: 30 } as const;
/** How many refused payments of an address are looked at, and how soon each is forgotten. */
export const REFUSED_PAYMENTS = { most: 10, forgottenMs: 5000 } as const;
/** The same of a payer's payments that were verified, and whose calls failed. */
export const VAIN_PAYMENTS = { most: 30, forgottenMs: 2000 } as const;

/**
 * Upload slots: how long one lasts, how large a free one may be, and how many, of how many bytes together, an address has
 * at the same time, which for slots that last an hour is in an hour; how many a payer has; and how many times its size a slot
 * takes in vain.
 */
export const UPLOADS = {
  seconds: 3600,
  freeBytes: 10_000_000,
  free: { slots: 5, bytes: 50_000_000 },
  payerSlots: 100,
  sizesInVain: 2,
} as const;

/** How long a message to /mcp may be before anything is known of its sender. */
export const UNPAID_MESSAGE_BYTES = 256 * 1024;

/** The environment variables that configure the service; `.dev.vars.example` lists them for operators. */
export const settings = z.object({
  /** The address that receives payments on EVM chains. Required with them if FACILITATOR_URL is set. */
  PAY_TO: evmAddress.optional(),
  /**
   * The wallet that receives payments on Solana. Required with it if FACILITATOR_URL is set. It must have a token account
   * for USDC: payers do not open one.
   */
  PAY_TO_SOLANA: z.string().refine(isSolanaAddress, "must be the base58 of 32 bytes").optional(),
  /** Whether anything is sold. If not, what is paid for is still delivered, and settled. */
  SELLING: flag.default(true),
  /** The price of one call in USDC, with up to six decimals. */
  PRICE: z
    .string()
    .prefault("0.05")
    .transform((amount, context) => {
      const price = parsePrice(amount);
      if (!price) context.addIssue("must be an amount of USDC above zero, such as 0.05, with at most six decimals");
      return price ?? z.NEVER;
    }),
  /** The chains that payments can be made on. */
  NETWORKS: list(z.string()).prefault("base-sepolia"),
  /**
   * More chains for NETWORKS to name: JSON, by name. The token must be a dollar each and have
   * `transferWithAuthorization` (EIP-3009). They are offered in version 2 of x402, whose clients need no list of names.
   */
  EXTRA_NETWORKS: inJson(
    z.record(
      z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "names are lower-case letters, digits and hyphens"),
      z.strictObject({
        chainId: z.int().min(1),
        asset: evmAddress.transform((asset) => getAddress(asset)), // signatures over it need the checksum
        /** Of the token's EIP-712 domain, as `version`. */
        name: z.string().min(1).max(100),
        version: z.string().min(1).max(20),
        decimals: z.int().min(0).max(36),
      }),
    ),
  ).default({}),
  /**
   * The x402 facilitators that verify and settle, in order of preference. If not set, payments are verified locally,
   * for development on loopback only.
   */
  FACILITATOR_URL: list(facilitatorUrl).optional(),
  /** The facilitators' `Authorization` headers, in the same order; empty for one that needs none. */
  FACILITATOR_AUTHORIZATION: list(credentials.or(z.literal(""))).optional(),
  /** The API key for facilitators under cdp.coinbase.com. */
  CDP_API_KEY_ID: z
    .string()
    .regex(/^[\x21-\x7e]+$/, "must be the id of a key, without spaces")
    .optional(),
  CDP_API_KEY_SECRET: z.string().refine(isCdpSecret, "must be 64 bytes of base64, or a key in PEM").optional(),
  /**
   * A node of each network (JSON-RPC), in the order of NETWORKS; empty for one that has none. Where an answer of the
   * facilitator was lost, or others may have sent a payment, the chain shows whether it has moved.
   */
  RPC_URL: list(endpoint.or(z.literal(""))).optional(),
  /**
   * A private key (secp256k1) that offers and receipts are signed with, which nothing else is done with: x402's extension
   * "offer-receipt". Nothing is signed without it.
   */
  RECEIPT_KEY: z
    .string()
    .regex(/^(0x)?[0-9a-fA-F]{64}$/, "must be a private key: 0x and 64 hexadecimal digits")
    .transform((key): `0x${string}` => `0x${key.slice(-64)}`)
    .refine((key) => BigInt(key) > 0n && BigInt(key) < CURVE_ORDER, "is out of the range of private keys (secp256k1)")
    .optional(),
  /**
   * What the operator reads the books with, by `GET /v1/operator/sales` and `npm run revenue`. They cannot be read without
   * it.
   */
  OPERATOR_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{32,}$/, "must have 32 characters or more, without spaces: openssl rand -hex 32 makes one")
    .optional(),
  /** How long one call of a facilitator may take. */
  FACILITATOR_TIMEOUT_SECONDS: count(20, 120),

  /**
   * The hosts that /mcp answers on, and whose web pages may call it; nobody signs in at another. For the default see
   * `src/mcp/hosts.ts`.
   */
  ALLOWED_HOSTS: list(z.hostname("must be host names, without scheme and port").toLowerCase()).optional(),
  /** Where the operator can be reached, for registries and callers. */
  CONTACT_EMAIL: z.email("must be an address for mail").optional(),
  /** Where the source of this deployment is, for the site's links. */
  REPOSITORY_URL: link.optional(),

  /**
   * How long a result can be downloaded, from before its payment is settled: the link has to outlive a settlement that is
   * asked about again.
   */
  LINK_TTL_SECONDS: count(24 * 3600, 30 * 24 * 3600, 600),
  /**
   * A host that serves only the files of links, with its port unless that is 443. By default the API's host serves
   * them.
   */
  FILE_HOST: z
    .string()
    .toLowerCase()
    .refine((host) => URL.parse(`https://${host}`)?.host === host, "must be a host name, like files.example.com")
    .optional(),

  /**
   * Limit of a multipart body, whose files are received chunk by chunk. Cloudflare itself takes 100 MB on most plans.
   */
  MAX_BODY_BYTES: count(100_000_000, 500_000_000),
  /** Limit of a JSON body, whose files are decoded as they come. */
  MAX_JSON_BYTES: count(32_000_000, 100_000_000),
  /** The longest that a body may take. */
  BODY_TIMEOUT_SECONDS: count(300, 3600),
  /** A body, or a file at a URL, that falls behind this rate by more than ten seconds is refused. */
  MIN_BODY_BYTES_PER_SECOND: count(32_000, 10_000_000),
  MAX_SOURCE_BYTES: count(1_000_000_000, 4_900_000_000),
  /**
   * Larger PDFs are kept in R2 while they are worked on. At this size an isolate has some memory left even with 50,000
   * pages.
   */
  SPOOL_THRESHOLD_BYTES: count(16_000_000, 64_000_000),
  /** How many calls with a file of more than 8 MB an isolate works on at once. */
  MAX_LARGE_FILES: count(1, 100),
  /** How many payments of one payer are worked on at the same time. */
  MAX_CALLS_PER_PAYER: count(8, 1000),
  /** Seconds of work for one payer in an hour that are not charged in the end, because its calls or payments fail. */
  UNCHARGED_SECONDS_PER_HOUR: count(120, 3600),
  /** The same for bytes that are uploaded and fetched. */
  UNCHARGED_BYTES_PER_HOUR: count(4_000_000_000, 1e12),
  MAX_IMAGE_BYTES: count(10_000_000, 100_000_000),
  MAX_IMAGE_PIXELS: count(40_000_000, 400_000_000),
  MAX_PAGES: count(50_000, 1_000_000),
  /** Deadline for fetching one URL, redirects and body included. */
  FETCH_TIMEOUT_SECONDS: count(60, 300),
  /** Development: callers on this machine may name its loopback addresses, at any port. */
  ALLOW_LOOPBACK_SOURCES: flag.default(false),
  /**
   * A DNS-over-HTTPS resolver that answers in JSON, asked before each fetch whether a host is public. For workerd
   * outside Cloudflare, which does not enforce `global_fetch_strictly_public`.
   */
  DNS_CHECK_URL: endpoint.optional(),
});

type Settings = z.output<typeof settings>;

const NAMES = Object.keys(settings.shape);

/** The Worker's settings, checked: every limit and default of the service. */
export interface Config extends FacilitatorSettings {
  /** Whether new calls are sold. */
  selling: boolean;
  price: Price;
  networks: Network[];
  payTo: string;
  payToSolana: string | undefined;
  rpcUrls: RpcUrls;
  /** Signs offers and receipts; undefined if nothing is signed. */
  receiptKey: `0x${string}` | undefined;
  /** What the operator shows to read the books; undefined if nobody can. */
  operatorToken: string | undefined;
  /** The longest that the work of one call can take. */
  workSeconds: number;
  /** The longest that a call can take until its payment is settled, with the time that its body may come in. */
  callMs: number;
  /** How long the payer's authorization should be valid: longer than work and settlement. */
  maxTimeoutSeconds: number;
  allowedHosts: string[];
  contactEmail: string | undefined;
  repositoryUrl: string | undefined;
  linkTtlSeconds: number;
  /** The only host that serves files; undefined if the API's host does. */
  fileHost: string | undefined;
  maxBodyBytes: number;
  maxJsonBytes: number;
  bodyPace: { bytesPerSecond: number; graceMs: number; deadlineMs: number };
  maxSourceBytes: number;
  spoolThresholdBytes: number;
  maxLargeFiles: number;
  maxCallsPerPayer: number;
  /** Of one payer under way, those included that wait for another one with the same payment. */
  maxRequestsPerPayer: number;
  unchargedMsPerHour: number;
  unchargedBytesPerHour: number;
  maxImageBytes: number;
  maxImagePixels: number;
  maxPages: number;
  fetchTimeoutMs: number;
  allowLoopbackSources: boolean;
  dnsCheckUrl: string | undefined;
}

/** Settings that are wrong. The problems name settings, and hold no values of theirs: whoever asks may read them. */
export class SettingsError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(`The Worker's settings are wrong: ${problems.join("; ")}`);
    this.problems = problems;
  }
}

/**
 * Reads the settings from the Worker's environment. An empty string counts as not set.
 * @throws SettingsError
 */
export function readConfig(env: object): Config {
  const given = textsOf(env);
  const parsed = settings.safeParse(given);
  const inQuotes = NAMES.filter((name) => isQuoted(given[name]));
  const problems = [
    ...misspelt(given, NAMES),
    ...inQuotes.map((name) => `${name}: is in quotes, which are part of it here; leave them out`),
    ...(parsed.error?.issues.filter(({ path }) => !inQuotes.includes(String(path[0]))).map(described) ?? []),
  ];
  if (!parsed.success || problems.length > 0) throw new SettingsError(problems);

  const { PAY_TO, PAY_TO_SOLANA, FACILITATOR_URL, ...rest } = parsed.data;
  const networks = networksOf(parsed.data);
  const timeoutMs = rest.FACILITATOR_TIMEOUT_SECONDS * 1000;
  const workSeconds = 2 * rest.FETCH_TIMEOUT_SECONDS + COMPUTING_SECONDS;
  const maxTimeoutSeconds = Math.max(300, workSeconds + 3 * rest.FACILITATOR_TIMEOUT_SECONDS);
  const contradictions = contradictionsOf(parsed.data, networks, maxTimeoutSeconds);
  if (contradictions.length > 0) throw new SettingsError(contradictions);
  return {
    selling: rest.SELLING,
    price: rest.PRICE,
    networks,
    payTo: PAY_TO ?? DEVELOPMENT_PAY_TO,
    payToSolana: PAY_TO_SOLANA,
    rpcUrls: Object.fromEntries(
      rest.NETWORKS.flatMap((network, at) => (rest.RPC_URL?.[at] ? [[network, rest.RPC_URL[at]]] : [])),
    ),
    receiptKey: rest.RECEIPT_KEY,
    operatorToken: rest.OPERATOR_TOKEN,
    facilitators: (FACILITATOR_URL ?? []).map((url, at) => ({ url, timeoutMs, ...authFor(url, at, parsed.data) })),
    facilitatorTimeoutMs: timeoutMs,
    workSeconds,
    callMs: (rest.BODY_TIMEOUT_SECONDS + workSeconds) * 1000,
    maxTimeoutSeconds,
    allowedHosts: rest.ALLOWED_HOSTS ?? [],
    contactEmail: rest.CONTACT_EMAIL,
    repositoryUrl: rest.REPOSITORY_URL,
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
    fetchTimeoutMs: rest.FETCH_TIMEOUT_SECONDS * 1000,
    allowLoopbackSources: rest.ALLOW_LOOPBACK_SOURCES,
    dnsCheckUrl: rest.DNS_CHECK_URL,
  };
}

function wrong(problem: string): SettingsError {
  return new SettingsError([problem]);
}

/** Says what is wrong, and where, as in `FACILITATOR_URL[1]: …`. */
function described({ path, message }: z.core.$ZodIssue): string {
  const [name, ...rest] = path.map(String);
  return `${name}${rest.map((key) => `[${key}]`).join("")}: ${message}`;
}

/** Returns what is wrong with settings together that are right each by itself. */
function contradictionsOf(
  { PAY_TO, PAY_TO_SOLANA, FACILITATOR_URL = [], ...rest }: Settings,
  networks: Network[],
  maxTimeoutSeconds: number,
): string[] {
  const isSold = FACILITATOR_URL.length > 0;
  const payTo = PAY_TO?.toLowerCase();
  const isYours = payTo !== undefined && payTo !== DEVELOPMENT_PAY_TO.toLowerCase();
  const places = FACILITATOR_URL.map((url) => url.replace(/\/+$/, ""));
  const { FACILITATOR_AUTHORIZATION = [], RPC_URL = [], CDP_API_KEY_ID: keyId, CDP_API_KEY_SECRET: keySecret } = rest;
  const needsKey = (url: string, at: number) => isCdp(url) && !FACILITATOR_AUTHORIZATION[at];
  const rules: [boolean, string][] = [
    [isSold && !isYours && !networks.every(isSolana), "FACILITATOR_URL is set, so PAY_TO must be an address of yours"],
    [
      isSold && !PAY_TO_SOLANA && networks.some(isSolana),
      "NETWORKS names Solana, so PAY_TO_SOLANA must be an address of yours",
    ],
    [
      networks.some(({ asset }) => asset.toLowerCase() === payTo),
      "PAY_TO is the token's contract, not an address of yours",
    ],
    [networks.some(({ asset }) => asset === PAY_TO_SOLANA), "PAY_TO_SOLANA is the token's mint, not a wallet of yours"],
    [new Set(places).size < places.length, "FACILITATOR_URL has the same address twice"],
    [
      FACILITATOR_AUTHORIZATION.length > FACILITATOR_URL.length,
      "FACILITATOR_AUTHORIZATION has more headers than FACILITATOR_URL has addresses",
    ],
    [!keyId !== !keySecret, "CDP_API_KEY_ID and CDP_API_KEY_SECRET are parts of one key: set both, or neither"],
    [
      !(keyId && keySecret) && FACILITATOR_URL.some(needsKey),
      "FACILITATOR_URL names one of CDP, so CDP_API_KEY_ID and CDP_API_KEY_SECRET must be set",
    ],
    [RPC_URL.length > networks.length, "RPC_URL has more addresses than NETWORKS has networks"],
    [
      rest.FILE_HOST !== undefined && rest.ALLOWED_HOSTS?.includes(rest.FILE_HOST) === true,
      "FILE_HOST serves files alone, so ALLOWED_HOSTS must not name it",
    ],
    [
      rest.LINK_TTL_SECONDS < maxTimeoutSeconds,
      `LINK_TTL_SECONDS must be at least ${maxTimeoutSeconds} with these FETCH_TIMEOUT_SECONDS and FACILITATOR_TIMEOUT_SECONDS: so long a payment may take to settle`,
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem);
}

/**
 * Returns the networks that NETWORKS names.
 * @throws SettingsError if one is not known, is known already, is there twice, or cannot carry the price
 */
function networksOf({ NETWORKS: chosen, EXTRA_NETWORKS: extra, PRICE }: Settings): Network[] {
  const known = new Map<string, Network>(Object.entries(NETWORKS));
  for (const [name, { chainId, asset, decimals, ...domain }] of Object.entries(extra)) {
    if (known.has(name)) throw wrong(`EXTRA_NETWORKS: ${name} is known already, so its name must be another`);
    const token = { asset, decimals, domain };
    known.set(name, { name, chainId, caip2: `eip155:${chainId}`, ...token, versions: [2] });
  }
  const networks = chosen.map((name, at) => {
    const network = known.get(name);
    if (!network)
      throw wrong(`NETWORKS: one is not known, number ${at + 1}; there are ${[...known.keys()].join(", ")}`);
    return network;
  });
  if (new Set(networks.map(({ caip2 }) => caip2)).size < networks.length)
    throw wrong("NETWORKS: two are the same chain");
  for (const { name, decimals } of networks)
    try {
      atomicUnits(PRICE, decimals);
    } catch {
      throw wrong(`PRICE: the token on ${name} has no units so small`);
    }
  return networks;
}

/**
 * Returns how to authenticate to the facilitator at this place in the list. Each secret is sent only to its own
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

/** What reading an environment came to. */
const read = new WeakMap<object, Config | SettingsError>();

/**
 * Returns the settings of this environment. They are read and checked on first use, when what is wrong with them, or
 * unknown, is logged.
 * @throws SettingsError
 */
export function configOf(env: object): Config {
  const found = read.get(env) ?? tellSettings(env);
  read.set(env, found);
  if (found instanceof SettingsError) throw found;
  return found;
}

/** Returns the host of files, which holds while other settings are wrong; undefined if there is none, or none that is right. */
export function fileHostOf(env: object): string | undefined {
  const { FILE_HOST } = textsOf(env);
  return settings.shape.FILE_HOST.safeParse(FILE_HOST).data;
}

/**
 * Logs what is wrong with the settings of this environment, or unknown. Called as a Worker starts, where a developer reads
 * it; Cloudflare keeps what is logged from the first request on.
 */
export function tellSettings(env: object): Config | SettingsError {
  const unknown = unknownNames(textsOf(env), NAMES).map((name) => `${name} is no setting`);
  if (unknown.length > 0) log({ event: "settings", problems: unknown, errors: [] });
  try {
    return readConfig(env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    log({ event: "settings", problems: error.problems, errors: [] });
    return error;
  }
}

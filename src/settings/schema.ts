import { getAddress } from "viem/utils";
import * as z from "zod";
import { isCdpSecret } from "../payments/facilitators/cdpToken.ts";
import { parsePrice } from "../payments/wire/price.ts";
import { isSolanaAddress } from "../payments/wire/solanaTransaction.ts";
import {
  blockedEntry,
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
        // signatures include the address, which must therefore be in its checksum form
        asset: evmAddress.transform((asset) => getAddress(asset)),
        /** Name and version of the token's EIP-712 domain. */
        name: z.string().min(1).max(100),
        version: z.string().min(1).max(20),
        decimals: z.int().min(0).max(36),
      }),
    ),
  ).default({}),
  /**
   * The x402 facilitators that verify and settle payments, in order of preference. Without a facilitator, payments are
   * verified locally, for development on loopback only.
   */
  FACILITATOR_URL: list(facilitatorUrl).optional(),
  /**
   * The facilitators' `Authorization` headers, in the order of FACILITATOR_URL. The entry of a facilitator without a
   * header is empty.
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
  /**
   * Addresses and networks of callers, wallets of payers, and hosts of source files that are refused. A host includes its
   * subdomains.
   */
  BLOCKED: list(blockedEntry).optional(),
  /** The operator's email address, for registries and callers. */
  CONTACT_EMAIL: z.email("must be an email address").optional(),
  /** URL of this deployment's source, for links on the pages. */
  REPOSITORY_URL: link.optional(),
  /**
   * URL of the terms of service. The pages, the OpenAPI document and the catalogs link to this URL and to the next
   * three URLs.
   */
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

/** The values of the settings after validation. */
export type Settings = z.output<typeof settings>;

/** The names of the settings. */
export const NAMES = Object.keys(settings.shape);

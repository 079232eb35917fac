import type { settings } from "../../src/settings/schema.ts";

/** Values that every numeric setting rejects. Earlier versions read some of them as another number. */
const NO_COUNTS = ["5e3", "0x10", "1_000", "1,000", "1 000", "1.5", "-1", "+5", "0", "many", "１２", true, {}, '"700"'];
const count = (max: number) => [...NO_COUNTS, String(max + 1), max + 1, "9".repeat(16)];

/** Values that every setting for an endpoint URL rejects. */
const NO_ENDPOINTS = [
  "f.example.com",
  "ftp://f.example.com",
  "wss://f.example.com",
  "https://",
  "https:f.example.com",
  "https://f example.com",
  "https://me:secret@f.example.com",
  "https://f.example.com/#a-secret",
  "http://f.example.com", // plain HTTP over a public network
  "http://8.8.8.8",
  "http://[2606:4700::1111]",
  '"https://f.example.com"',
  true,
];

const EVM = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const NO_EVM_ADDRESSES = [
  "0x12",
  EVM.slice(2),
  EVM.replace("0x", "0X"),
  `${EVM}0`,
  EVM.replace("Cb", "cB"), // wrong checksum
  `0x${"0".repeat(40)}`,
  "alice.eth",
  `'${EVM}'`,
  0x12,
];
const NO_PRIVATE_KEYS = [
  "a-secret",
  "0x12",
  `0x${"1".repeat(65)}`,
  `0x${"7".repeat(63)}`,
  "zebra ".repeat(12),
  `0x${"0".repeat(64)}`,
  "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
  `"0x${"1".repeat(64)}"`,
  0x5de4111afa1a,
];
const CHAIN = { chainId: 123456, asset: EVM, name: "My Dollar", version: "1", decimals: 2 };
const chain = (change: object) => ({ "my-chain": { ...CHAIN, ...change } });
export const SECRET = "a-secret";

const NO_LINKS = [
  SECRET,
  "github.com/me/overprint",
  "git@github.com:me/x.git",
  "javascript:alert(1)",
  "https://me:a-secret@f.example.com",
];

/** The values that each setting rejects on its own. */
export const WRONG_SETTINGS: Record<keyof typeof settings.shape, readonly unknown[]> = {
  PAY_TO: [SECRET, ...NO_EVM_ADDRESSES],
  PAY_TO_SOLANA: [
    SECRET,
    EVM,
    "EdqM52SpXCn5c1uozuvuH5o9Tcr41kYeCWz4Ymu6ngbt1",
    "EdqM52SpXCn5c1uozuvuH5o9Tcr41kYeCWz4Ymu6ngb0",
    "EdqM52SpXCn5c1uo zuvuH5o9Tcr41kYeCWz4Ymu6ngbt",
  ],
  SELLING: [SECRET, "perhaps", "'false'", "yes please", {}],
  DEFAULT_KEY: [SECRET, "perhaps", "'false'", "yes please", {}],
  MPP: [SECRET, "perhaps", "'false'", "yes please", {}],
  PRICE: [SECRET, "0", "free", "0.0000001", "-1", "0.05 USDC", "$0.05", "0,05", "5e-2", "Infinity", true, {}, '"0.05"'],
  NETWORKS: [SECRET, "Base", "base;polygon", "base,,polygon", "base,", "base,base", "toString", "'base'", 8453, true],
  EXTRA_NETWORKS: [
    SECRET,
    "{",
    "[]",
    "null",
    `'${JSON.stringify({ "my-chain": CHAIN })}'`,
    JSON.stringify(JSON.stringify({ "my-chain": CHAIN })),
    { "My Chain": CHAIN },
    { base: CHAIN },
    { "my-chain": SECRET },
    chain({ chainId: "1" }),
    chain({ chainId: 0 }),
    chain({ asset: "0x12" }),
    chain({ asset: EVM.replace("Cb", "cB") }),
    chain({ name: "" }),
    chain({ version: 2 }),
    chain({ decimals: undefined }),
    chain({ decimals: 1.5 }),
    chain({ rpc: "https://n.example.com" }),
  ],
  FACILITATOR_URL: [
    SECRET,
    ...NO_ENDPOINTS,
    "https://f.example.com,",
    "https://f.example.com https://g.example.com",
    "https://f.example.com/?key=a-secret",
    "https://f.example.com/verify",
    "https://f.example.com/x402/settle/",
  ],
  FACILITATOR_AUTHORIZATION: [
    SECRET,
    "Bearer a", // rejected because FACILITATOR_URL is missing
    "Authorization: Bearer a",
    "Bearer ä",
    "Bearer a\nX: b",
    '"Bearer a"',
    "Bearer “a”",
  ],
  CDP_API_KEY_ID: ["a-key", "a key", "“key”"], // the first value is rejected because CDP_API_KEY_SECRET is missing
  CDP_API_KEY_SECRET: [SECRET, `${"A".repeat(86)}==`, "A".repeat(43), "-----BEGIN PRIVATE KEY-----", `'${SECRET}'`],
  RPC_URL: [SECRET, ...NO_ENDPOINTS, "https://a.example.com,https://b.example.com"],
  RECEIPT_KEY: NO_PRIVATE_KEYS,
  CHANNEL_KEY: NO_PRIVATE_KEYS,
  CHANNEL_WITHDRAW_DELAY_SECONDS: [...count(30 * 86_400), "3599"],
  CHANNEL_MIN_DEPOSIT_CALLS: count(1000),
  OPERATOR_TOKEN: [SECRET, "a".repeat(31), `${"a".repeat(16)} ${"b".repeat(16)}`, `"${"c".repeat(32)}"`],
  FACILITATOR_TIMEOUT_SECONDS: count(120),
  ALLOWED_HOSTS: [
    "https://pdf.example.com",
    "pdf.example.com:8443",
    "*.example.com",
    "a b",
    "a,,b",
    '"pdf.example.com"',
  ],
  BLOCKED: [
    SECRET,
    "203.0.113",
    "203.0.113.0/33",
    "203.0.113.1-9",
    "0.0.0.0/0",
    "::/0",
    "2001:db8::/200",
    "0x12",
    "*.example.com",
    "https://files.example.com",
    "files.example.com:8443",
    "files.example.com,",
    "203.0.113.1 203.0.113.2",
    '"203.0.113.1"',
  ],
  CONTACT_EMAIL: [SECRET, "you@", "@example.com", "you@localhost", "You <you@example.com>", "a@b.com, c@d.com"],
  REPOSITORY_URL: NO_LINKS,
  TERMS_URL: NO_LINKS,
  PRIVACY_URL: NO_LINKS,
  IMPRINT_URL: NO_LINKS,
  STATUS_URL: NO_LINKS,
  LINK_TTL_SECONDS: [...count(2_592_000), "599", "1d", "a day"],
  FILE_HOST: [
    "https://files.example.com",
    "files.example.com/",
    "files.example.com:443",
    "files example com",
    "files.example.com, b.example.com",
    '"files.example.com"',
  ],
  MAX_BODY_BYTES: count(500_000_000),
  MAX_JSON_BYTES: count(100_000_000),
  BODY_TIMEOUT_SECONDS: count(3600),
  MIN_BODY_BYTES_PER_SECOND: count(10_000_000),
  MAX_SOURCE_BYTES: count(4_900_000_000),
  SPOOL_THRESHOLD_BYTES: count(64_000_000),
  MAX_LARGE_FILES: count(100),
  MAX_CALLS_PER_PAYER: count(1000),
  UNCHARGED_SECONDS_PER_HOUR: count(3600),
  UNCHARGED_BYTES_PER_HOUR: count(1e12),
  MAX_IMAGE_BYTES: count(100_000_000),
  MAX_IMAGE_PIXELS: count(400_000_000),
  MAX_PAGES: count(1_000_000),
  FETCH_TIMEOUT_SECONDS: count(300),
  ALLOW_LOOPBACK_SOURCES: [SECRET, "perhaps", "2", "'true'", {}],
  DNS_CHECK_URL: [SECRET, "1.1.1.1", ...NO_ENDPOINTS],
};

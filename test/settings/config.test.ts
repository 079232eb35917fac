import { describe, expect, test } from "vitest";
import * as z from "zod";
import example from "../../.dev.vars.example?raw";
import { NETWORK_NAMES, NETWORKS } from "../../src/payments/wire/networks.ts";
import { readConfig } from "../../src/settings/config.ts";
import { settings } from "../../src/settings/schema.ts";
import { misspelledNames, settingsIn, textsOf, unknownNames } from "../../src/settings/settingNames.ts";
import { SECRET, WRONG_SETTINGS } from "../support/wrongSettings.ts";

const CHAIN = {
  chainId: 123456,
  asset: "0x036cbd53842c5426634e7929541ec2318f3dcf7e",
  name: "My Dollar",
  version: "1",
  decimals: 2,
};
/** Address of a wallet on Solana. */
const SOLANA = "EdqM52SpXCn5c1uozuvuH5o9Tcr41kYeCWz4Ymu6ngbt";
/** Secret in the format of an API key of CDP (Coinbase Developer Platform). */
const CDP_SECRET = `${"A".repeat(86)}==`;
const PAY_TO = "0x00000000000000000000000000000000000000aa";

/** Settings that the service only shows to callers. An invalid value does not stop sales. */
const COSMETIC = ["CONTACT_EMAIL", "REPOSITORY_URL", "TERMS_URL", "PRIVACY_URL", "IMPRINT_URL", "STATUS_URL"];

/** Returns the errors that the settings cause, or else the warnings. */
function problemsOf(env: object): string {
  try {
    return readConfig(env).warnings.join("; ");
  } catch (error) {
    return (error as Error).message;
  }
}

describe("settings", () => {
  test("a deployment without settings accepts local payments on base-sepolia, and its links work for a day", () => {
    expect(readConfig({})).toMatchObject({
      facilitators: [],
      networks: [NETWORKS["base-sepolia"]],
      linkTtlSeconds: 86_400,
    });
  });

  test("an empty setting counts as unset", () => {
    expect(readConfig({ FACILITATOR_URL: "", PAY_TO: "" })).toEqual(readConfig({}));
  });

  test.each([
    ["NETWORK", "NETWORKS"],
    ["LINK_TTL_SECOND", "LINK_TTL_SECONDS"],
    ["PAYTO", "PAY_TO"],
    ["Pay_To", "PAY_TO"],
    ["FACILITATOR_URLS", "FACILITATOR_URL"],
    ["RPC_ULR", "RPC_URL"],
  ])("readConfig rejects the misspelled setting %s and suggests %s", (name, meant) => {
    expect(() => readConfig({ [name]: "base" })).toThrow(`${name} is not a setting. Use ${meant}`);
  });

  test.each([
    ["LINK_TTL", "LINK_TTL_SECONDS"],
    ["linkTtl", "LINK_TTL_SECONDS"],
    ["LINK_TTL_HOURS", "LINK_TTL_SECONDS"],
    ["TTL_SECONDS", "LINK_TTL_SECONDS"],
    ["MAX_SOURCE", "MAX_SOURCE_BYTES"],
    ["MAX_SOURCE_MB", "MAX_SOURCE_BYTES"],
    ["MAX_PDF_PAGES", "MAX_PAGES"],
    ["MAXIMUM_PAGES", "MAX_PAGES"],
    ["OVERPRINT_MAX_PAGES", "MAX_PAGES"],
    ["IMAGE_PIXELS", "MAX_IMAGE_PIXELS"],
    ["JSON_BYTES", "MAX_JSON_BYTES"],
    ["BODY_TIMEOUT", "BODY_TIMEOUT_SECONDS"],
    ["BODY_TIMEOUT_MS", "BODY_TIMEOUT_SECONDS"],
    ["FETCH_TIMEOUT", "FETCH_TIMEOUT_SECONDS"],
    ["FACILITATOR", "FACILITATOR_URL"],
    ["FACILITATORS", "FACILITATOR_URL"],
    ["X402_FACILITATOR_URL", "FACILITATOR_URL"],
    ["FACILITATOR_TIMEOUT", "FACILITATOR_TIMEOUT_SECONDS"],
    ["RPC", "RPC_URL"],
    ["RPC_URL_BASE", "RPC_URL"],
    ["BASE_RPC_URL", "RPC_URL"],
    ["RECEIPT_SIGNING_KEY", "RECEIPT_KEY"],
    ["RECEIPT_PRIVATE_KEY", "RECEIPT_KEY"],
    ["CHANNEL_PRIVATE_KEY", "CHANNEL_KEY"],
    ["CHANNEL_WITHDRAW_DELAY", "CHANNEL_WITHDRAW_DELAY_SECONDS"],
    ["CHANNEL_MIN_DEPOSIT", "CHANNEL_MIN_DEPOSIT_CALLS"],
    ["CDP_KEY_ID", "CDP_API_KEY_ID"],
    ["CDP_API_SECRET", "CDP_API_KEY_SECRET"],
    ["CDP_SECRET", "CDP_API_KEY_SECRET"],
    ["ALLOW_LOOPBACK", "ALLOW_LOOPBACK_SOURCES"],
    ["DNS_CHECK", "DNS_CHECK_URL"],
    ["DNS_URL", "DNS_CHECK_URL"],
    ["SPOOL_THRESHOLD", "SPOOL_THRESHOLD_BYTES"],
    ["CALLS_PER_PAYER", "MAX_CALLS_PER_PAYER"],
    ["UNCHARGED_SECONDS", "UNCHARGED_SECONDS_PER_HOUR"],
    ["LARGE_FILES", "MAX_LARGE_FILES"],
    ["EMAIL", "CONTACT_EMAIL"],
    ["CONTACT", "CONTACT_EMAIL"],
    ["TERMS", "TERMS_URL"],
    ["PRIVACY_POLICY_URL", "PRIVACY_URL"],
    ["REPO_URL", "REPOSITORY_URL"],
    ["MIN_BODY_BYTES", "MIN_BODY_BYTES_PER_SECOND"],
    ["FACILITATOR_TOKEN", "FACILITATOR_AUTHORIZATION"],
    ["OPERATOR_KEY", "OPERATOR_TOKEN"],
    ["ALLOWED_ORIGINS", "ALLOWED_HOSTS"],
    ["MAX_FILE_BYTES", "MAX_SOURCE_BYTES"],
    ["MAX_FILE_SIZE", "MAX_SOURCE_BYTES"],
    ["IMPRESSUM_URL", "IMPRINT_URL"],
    ["BLOCKLIST", "BLOCKED"],
    ["LINK_LIFETIME", "LINK_TTL_SECONDS"],
    ["RESULT_TTL", "LINK_TTL_SECONDS"],
    ["DOWNLOAD_TTL_SECONDS", "LINK_TTL_SECONDS"],
    ["BODY_LIMIT", "MAX_BODY_BYTES"],
    ["PAGE_LIMIT", "MAX_PAGES"],
    ["NODE_URL", "RPC_URL"],
    ["RPC_ENDPOINT", "RPC_URL"],
    ["COINBASE_API_KEY_ID", "CDP_API_KEY_ID"],
    ["SIGNING_KEY", "RECEIPT_KEY"],
    ["CHANNEL_SECRET", "CHANNEL_KEY"],
    ["SUPPORT_EMAIL", "CONTACT_EMAIL"],
    ["SOURCE_CODE_URL", "REPOSITORY_URL"],
    ["TOS_URL", "TERMS_URL"],
    ["STATUS_PAGE", "STATUS_URL"],
    ["FILE_DOMAIN", "FILE_HOST"],
    ["UPLOAD_TIMEOUT", "BODY_TIMEOUT_SECONDS"],
    ["MIN_SPEED", "MIN_BODY_BYTES_PER_SECOND"],
    ["MAX_CONCURRENT_CALLS", "MAX_CALLS_PER_PAYER"],
    ["FREE_SECONDS_PER_HOUR", "UNCHARGED_SECONDS_PER_HOUR"],
    ["ALLOW_LOCALHOST", "ALLOW_LOOPBACK_SOURCES"],
    ["DOH_URL", "DNS_CHECK_URL"],
    ["IDEMPOTENCY_KEY", "DEFAULT_KEY"],
    ["MAX_MEGAPIXELS", "MAX_IMAGE_PIXELS"],
  ])("readConfig warns that %s resembles the setting %s, and does not stop sales", (name, setting) => {
    expect(readConfig({ [name]: "x" }).warnings).toEqual([`${name} is not a setting. Did you mean ${setting}?`]);
    expect(unknownNames({ [name]: "x" }, Object.keys(settings.shape))).toEqual([]);
  });

  test.each([
    ["PRICE_USDC", "PRICE", "0.05"],
    ["CALL_PRICE", "PRICE", "0.05"],
    ["X402_NETWORKS", "NETWORKS", "base"],
    ["SELLING_ENABLED", "SELLING", "true"],
    ["PAY_TO_ADDRESS", "PAY_TO", PAY_TO],
    ["PAYMENT_TO", "PAY_TO", PAY_TO],
    ["OVERPRINT_PAY_TO", "PAY_TO", PAY_TO],
    ["PAY_TO_SOL", "PAY_TO_SOLANA", SOLANA],
    ["WALLET_ADDRESS", "PAY_TO", PAY_TO],
    ["RECIPIENT", "PAY_TO", PAY_TO],
    ["CALL_COST", "PRICE", "0.05"],
    ["CHAIN", "NETWORKS", "base"],
    ["SALES", "SELLING", "true"],
    ["SOLANA_WALLET", "PAY_TO_SOLANA", SOLANA],
  ])("the misspelled payment setting %s stops sales unless %s is also set", (name, setting, value) => {
    const problem = `${name} is not a setting. Did you mean ${setting}?`;
    expect(() => readConfig({ [name]: value })).toThrow(problem);
    expect(readConfig({ [name]: value, [setting]: value }).warnings).toEqual([problem]);
  });

  test("settingsIn returns variables whose names resemble a setting, but no variables of other programs", () => {
    const near = { LINK_TTL: "3600", OVERPRINT_PRICE: "1", X402_NETWORKS: "base" };
    const others = [
      "PATH",
      "HOME",
      "HOSTNAME",
      "HOST",
      "PORT",
      "LANG",
      "NODE_VERSION",
      "KUBERNETES_SERVICE_HOST",
      "NODE_OPTIONS",
    ];
    const more = [
      "SSH_AUTH_SOCK",
      "GITHUB_TOKEN",
      "AWS_SECRET_ACCESS_KEY",
      "HTTP_PROXY",
      "CLOUDFLARE_API_TOKEN",
      "YARN_VERSION",
      "NODE_ENV",
      "SSL_CERT_FILE",
      "DATABASE_URL",
      "AWS_SESSION_TOKEN",
      "MEMORY_LIMIT",
      "GIT_COMMIT",
      "BUILD_URL",
    ];
    const env = { ...near, ...Object.fromEntries([...others, ...more].map((name) => [name, "x"])) };
    expect(settingsIn(env, Object.keys(settings.shape))).toEqual(near);
  });

  test.each(COSMETIC)("readConfig warns about an invalid or misspelled %s and treats it as unset", (name) => {
    const { warnings, ...config } = readConfig({ [name]: "nothing", [`${name}S`]: "x" });
    expect(warnings).toEqual([`${name}S is not a setting. Use ${name}`, expect.stringMatching(`^${name}: must be`)]);
    expect(config).toEqual({ ...readConfig({}), warnings: undefined });
  });

  test("readConfig rejects well-known test addresses on mainnets, and warns about them on test networks", () => {
    const FACILITATOR_URL = "https://f.example.com";
    const hardhat = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
    const said =
      "PAY_TO is test account 2 of Hardhat and Anvil, whose private key is public. Set it to your own address";
    expect(() => readConfig({ FACILITATOR_URL, PAY_TO: hardhat, NETWORKS: "base-sepolia,base" })).toThrow(said);
    expect(readConfig({ FACILITATOR_URL, PAY_TO: hardhat }).warnings).toEqual([said]);
    expect(readConfig({ PAY_TO: hardhat }).warnings).toEqual([]);
    const development = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    expect(() => readConfig({ FACILITATOR_URL, PAY_TO: development })).toThrow("PAY_TO is test account 1 of Hardhat");
    const burn = `0x${"0".repeat(36)}dEaD`;
    expect(() => readConfig({ FACILITATOR_URL, PAY_TO: burn, NETWORKS: "base" })).toThrow("the burn address");
  });

  test("readConfig ignores names that resemble no setting, and bindings of any name", () => {
    const others = { HOST: "a", LOG_LEVEL: "b", BUCKET_NAME: "c", GREETING: 1, PAY_TOO: {}, NETWORK: "" };
    expect(readConfig(others)).toEqual(readConfig({}));
    expect(unknownNames(textsOf(others), Object.keys(settings.shape))).toEqual([
      "HOST",
      "LOG_LEVEL",
      "BUCKET_NAME",
      "GREETING",
    ]);
  });

  test("PAY_TO accepts a checksummed address in mixed case, or an address in lower or upper case", () => {
    const digits = "3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
    for (const written of [digits, digits.toLowerCase(), digits.toUpperCase()])
      expect(readConfig({ PAY_TO: `0x${written}` }).payTo).toBe(`0x${written}`);
  });

  test("readConfig uses the facilitator, address and network of the settings", () => {
    expect(readConfig({ FACILITATOR_URL: "https://f.example.com", PAY_TO, NETWORKS: "base" })).toMatchObject({
      facilitators: [{ url: "https://f.example.com" }],
      payTo: PAY_TO,
      networks: [NETWORKS.base],
    });
  });

  test("readConfig accepts several networks and facilitators, each facilitator with its own authorization", () => {
    const { networks, facilitators } = readConfig({
      PAY_TO,
      NETWORKS: "base, polygon,avalanche",
      FACILITATOR_URL: "https://a.example.com,https://api.cdp.coinbase.com/platform/v2/x402, https://c.example.com",
      FACILITATOR_AUTHORIZATION: "Bearer a,,Basic c",
      CDP_API_KEY_ID: "key",
      CDP_API_KEY_SECRET: CDP_SECRET,
    });
    expect(networks.map(({ name }) => name)).toEqual(["base", "polygon", "avalanche"]);
    expect(facilitators.map(({ auth }) => auth)).toEqual([
      { header: "Bearer a" },
      { cdp: { id: "key", secret: CDP_SECRET } },
      { header: "Basic c" },
    ]);
  });

  test("RPC_URL assigns node URLs to networks in order and accepts empty entries", () => {
    const networks = { PAY_TO, NETWORKS: "base,polygon,avalanche" };
    expect(readConfig({ ...networks, RPC_URL: "https://b.example.com/key,, https://a.example.com" }).rpcUrls).toEqual({
      base: "https://b.example.com/key",
      avalanche: "https://a.example.com",
    });
    expect(readConfig(networks).rpcUrls).toEqual({});
  });

  test("readConfig requires PAY_TO_SOLANA only for networks on Solana", () => {
    const facilitator = { FACILITATOR_URL: "https://f.example.com" };
    expect(readConfig({ ...facilitator, NETWORKS: "solana", PAY_TO_SOLANA: SOLANA }).payToSolana).toBe(SOLANA);
    expect(readConfig({ ...facilitator, PAY_TO }).payToSolana).toBeUndefined();
  });

  test("readConfig uses the CDP key only for CDP hosts", () => {
    for (const url of ["https://cdp.coinbase.com.example.com", "https://cdp.coinbase.com", "https://f.example.com"])
      expect(
        readConfig({ PAY_TO, FACILITATOR_URL: url, CDP_API_KEY_ID: "key", CDP_API_KEY_SECRET: CDP_SECRET })
          .facilitators,
      ).toEqual([{ url, timeoutMs: 20_000 }]);
  });

  test.each([{ "my-chain": CHAIN }, JSON.stringify({ "my-chain": CHAIN })])(
    "EXTRA_NETWORKS accepts JSON or a TOML table (case %#)",
    (EXTRA_NETWORKS) => {
      const { chainId, asset: _, decimals, ...domain } = CHAIN;
      const asset = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"; // The token address of CHAIN, written with its checksum.
      expect(readConfig({ EXTRA_NETWORKS, NETWORKS: "my-chain" }).networks).toEqual([
        { name: "my-chain", chainId, caip2: "eip155:123456", asset, decimals, domain, versions: [2] },
      ]);
      expect(readConfig({ EXTRA_NETWORKS })).toEqual(readConfig({}));
    },
  );

  test("ALLOWED_HOSTS accepts host names in any case", () => {
    expect(readConfig({ ALLOWED_HOSTS: "PDF.example.com, localhost" }).allowedHosts).toEqual([
      "pdf.example.com",
      "localhost",
    ]);
    expect(readConfig({}).allowedHosts).toEqual([]);
  });

  test("maxTimeoutSeconds exceeds the time for fetching the files and settling the payment", () => {
    const config = readConfig({ FETCH_TIMEOUT_SECONDS: "120", FACILITATOR_TIMEOUT_SECONDS: "60" });
    expect(config.maxTimeoutSeconds).toBeGreaterThan(2 * 120 + 2 * 60);
    expect(readConfig({}).maxTimeoutSeconds).toBe(300);
  });

  test("ALLOW_LOOPBACK_SOURCES allows loopback sources only if it is true, as a text or a TOML boolean", () => {
    for (const value of ["true", "1", "yes", true])
      expect(readConfig({ ALLOW_LOOPBACK_SOURCES: value }).allowLoopbackSources).toBe(true);
    for (const value of ["false", "0", "no", "", false, undefined])
      expect(readConfig({ ALLOW_LOOPBACK_SOURCES: value }).allowLoopbackSources).toBe(false);
  });

  test("RECEIPT_KEY is valid with and without 0x, and the error for an invalid key does not reveal the key", () => {
    const key = "5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
    for (const RECEIPT_KEY of [key, `0x${key}`]) expect(readConfig({ RECEIPT_KEY }).receiptKey).toBe(`0x${key}`);
    expect(readConfig({ RECEIPT_KEY: "" }).receiptKey).toBeUndefined();
    expect(() => readConfig({ RECEIPT_KEY: `${key}0` })).toThrow(/^((?!5de4111a).)*$/s);
  });

  test("readConfig accepts numbers and booleans of TOML, and trims white space", () => {
    const { price, maxPages, allowLoopbackSources } = readConfig({
      ...{ PRICE: 0.5, MAX_PAGES: 700, ALLOW_LOOPBACK_SOURCES: true },
    });
    expect([price.label, maxPages, allowLoopbackSources]).toEqual(["0.5 USDC", 700, true]);
    const piped = readConfig({
      PAY_TO: ` ${PAY_TO}\n`,
      MAX_PAGES: "\t700\r\n",
      NETWORKS: "base , polygon\n",
      PRICE: " ",
    });
    expect(piped).toMatchObject({ payTo: PAY_TO, maxPages: 700, networks: [NETWORKS.base, NETWORKS.polygon] });
    expect(piped.price.label).toBe("0.05 USDC");
  });

  test.each([
    "http://127.0.0.1:4021",
    "http://localhost:4021/x402/",
    "http://[::1]:4021",
    "http://10.0.0.7",
    "http://facilitator:4021",
    "http://facilitator.payments.svc.cluster.local",
  ])("readConfig accepts http for a facilitator or a node in the operator's own network: %s", (url) => {
    const config = readConfig({ PAY_TO, FACILITATOR_URL: url, RPC_URL: `${url}?key=1` });
    expect([config.facilitators[0]!.url, config.rpcUrls["base-sepolia"]]).toEqual([url, `${url}?key=1`]);
  });

  const FACILITATOR_URL = "https://f.example.com";
  test.each([
    [{ FACILITATOR_URL }, /PAY_TO/],
    [{ FACILITATOR_URL, PAY_TO: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }, /PAY_TO/],
    [{ FACILITATOR_URL, PAY_TO: NETWORKS["base-sepolia"].asset }, /PAY_TO is the token's contract/],
    [{ FACILITATOR_URL, PAY_TO: NETWORKS.base.asset.toLowerCase(), NETWORKS: "base" }, /the token's contract/],
    [{ FACILITATOR_URL, PAY_TO_SOLANA: NETWORKS.solana.asset, NETWORKS: "solana" }, /the token's mint/],
    [{ NETWORKS: "solana", FACILITATOR_URL, PAY_TO }, /PAY_TO_SOLANA/],
    [{ NETWORKS: "base,solana", FACILITATOR_URL, PAY_TO_SOLANA: SOLANA }, /PAY_TO must/],
    [{ NETWORKS: "solana,solana" }, /same chain/],
    [{ NETWORKS: "base", RPC_URL: "https://a.example.com,https://b.example.com" }, /RPC_URL/],
    [{ EXTRA_NETWORKS: { "my-chain": { ...CHAIN, chainId: 8453 } }, NETWORKS: "base,my-chain" }, /same chain/],
    [{ EXTRA_NETWORKS: { "my-chain": { ...CHAIN, decimals: 1 } }, NETWORKS: "my-chain" }, /PRICE/],
    [{ PAY_TO, FACILITATOR_URL: `${FACILITATOR_URL},${FACILITATOR_URL}/` }, /same address twice/],
    [{ PAY_TO, FACILITATOR_URL, FACILITATOR_AUTHORIZATION: "Bearer a,Bearer b" }, /FACILITATOR_AUTHORIZATION/],
    [{ CDP_API_KEY_ID: "key" }, /CDP_API_KEY_SECRET/],
    [{ CDP_API_KEY_SECRET: CDP_SECRET }, /CDP_API_KEY_ID/],
    [{ PAY_TO, FACILITATOR_URL: "https://api.cdp.coinbase.com/platform/v2/x402" }, /CDP_API_KEY_ID/],
    [{ FILE_HOST: "pdf.example.com", ALLOWED_HOSTS: "a.example.com,PDF.example.com" }, /FILE_HOST/],
    [{ LINK_TTL_SECONDS: "600", FETCH_TIMEOUT_SECONDS: "300" }, /LINK_TTL_SECONDS must be at least 720/],
  ])("readConfig rejects settings that are valid individually but not together: %j", (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });

  test("readConfig reports all problems of the settings together", () => {
    const env = { NETWORK: "base", MAX_PAGES: "many", PRICE: '"1"', FACILITATOR_URL: "https://f.example.com,ftp://x" };
    const problems = [/^NETWORK is/, /^PRICE: has quotes/, /^FACILITATOR_URL\[1\]: must/, /^MAX_PAGES: must/];
    expect(() => readConfig(env)).toThrow(
      expect.objectContaining({ problems: problems.map((problem) => expect.stringMatching(problem)) }),
    );
  });
});

describe("each setting", () => {
  test("WRONG_SETTINGS contains invalid values for every setting", () => {
    expect(Object.keys(WRONG_SETTINGS)).toEqual(Object.keys(settings.shape));
    for (const values of Object.values(WRONG_SETTINGS)) expect(values.length).toBeGreaterThan(1);
  });

  test.each(Object.entries(WRONG_SETTINGS).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
    "the message of readConfig about %s=%j names the setting but not its value",
    (name, value) => {
      const message = problemsOf({ [name]: value });
      expect(message).toContain(name);
      expect(message).not.toContain(SECRET);
      for (const word of String(value).match(/[\w+/]{24,}/g) ?? []) expect(message).not.toContain(word.slice(0, 12));
    },
  );

  test.each(Object.keys(settings.shape))(
    "readConfig recognizes misspellings of %s and suggests the correct name",
    (name) => {
      const known = Object.keys(settings.shape);
      const at = (change: (index: number) => string) => Array.from(name, (_, index) => change(index));
      const slips = [
        name.toLowerCase(),
        name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
        name.replaceAll("_", "-"),
        name.replace("_", " "),
        name.replace("_", ""),
        `${name}S`,
        `${name}_1`,
        ...at((index) => name.slice(0, index) + name.slice(index + 1)), // A letter is missing.
        ...at((index) => name.slice(0, index) + name[index]! + name.slice(index)), // A letter is doubled.
        // Two letters are swapped.
        ...at((index) => name.slice(0, index) + (name[index + 1] ?? "") + name[index]! + name.slice(index + 2)),
      ].filter((slip) => !known.includes(slip));
      for (const slip of slips)
        expect([slip, ...misspelledNames({ [slip]: "x" }, known).map(({ problem }) => problem)]).toEqual([
          slip,
          `${slip} is not a setting. Use ${name}`,
        ]);
      expect(problemsOf({ [slips[0]!]: 700 })).toContain(`Use ${name}`); // the value may also be a TOML number
    },
  );
});

describe(".dev.vars.example", () => {
  const lines = Array.from(
    example.matchAll(/^(# )?([A-Z_]+)="([^"]*)" *(?:# (.*))?$/gm),
    ([, off, name = "", value = "", comment = ""]) => ({
      ...{ isOn: !off, name: name as keyof typeof settings.shape, value, comment },
    }),
  );
  const figures = lines.filter(({ value }) => /^\d+$/.test(value));

  test(".dev.vars.example contains every setting once, and apart from them only comments", () => {
    expect(lines.map(({ name }) => name).toSorted()).toEqual(Object.keys(settings.shape).toSorted());
    expect(example.split("\n").filter((line) => !/^(# .*|[A-Z_]+=".*|)$/.test(line))).toEqual([]);
  });

  test(".dev.vars.example enables only settings at their default values", () => {
    const set = lines.filter(({ isOn }) => isOn).map(({ name, value }) => [name, value]);
    expect(readConfig(Object.fromEntries(set))).toEqual(readConfig({}));
  });

  test(".dev.vars.example names every network", () => {
    const [, listed] = /^NETWORKS=.*: (.*);/m.exec(example)!;
    expect(listed!.split(" ").toSorted()).toEqual(NETWORK_NAMES.toSorted());
  });

  test(".dev.vars.example shows the default of every numeric setting", () => {
    const defaults = settings.parse({});
    const withDefault = Object.entries(defaults).filter(([, value]) => typeof value === "number");
    expect(Object.fromEntries(figures.map(({ name, value }) => [name, Number(value)]))).toEqual(
      Object.fromEntries(withDefault),
    );
    const { value: price } = lines.find(({ name }) => name === "PRICE")!;
    expect(defaults.PRICE.label).toBe(`${price} USDC`);
    const comment = (of: string) => lines.find(({ name }) => name === of)!.comment;
    expect(comment("NETWORKS")).toContain(`; ${defaults.NETWORKS.join()} by default`);
    expect([defaults.ALLOW_LOOPBACK_SOURCES, comment("ALLOW_LOOPBACK_SOURCES")]).toEqual([
      false,
      expect.stringMatching(/^off by default/),
    ]);
  });

  test.each(figures)(".dev.vars.example shows the allowed range of the setting $name", ({ name, comment }) => {
    const { minimum, maximum } = z.toJSONSchema(settings.shape[name]);
    expect(comment).toMatch(new RegExp(`^${minimum} to ${maximum}; `));
    for (const limit of [minimum!, maximum!])
      expect(settings.shape[name].parse(String(limit)), `${name}=${limit}`).toBe(limit);
    for (const beyond of [minimum! - 1, maximum! + 1])
      expect(settings.shape[name].safeParse(String(beyond)).success, `${name}=${beyond}`).toBe(false);
  });

  test(".dev.vars.example contains only valid values, except for placeholders", () => {
    for (const { name, value } of lines.filter(({ value }) => !value.includes("…")))
      expect(() => readConfig({ [name]: value }), name).not.toThrow();
  });

  test.each(lines.filter(({ value }) => value.includes("…")))(
    "readConfig reports the placeholder for $name in .dev.vars.example",
    (line) => {
      expect(problemsOf({ [line.name]: line.value })).toContain(line.name);
    },
  );
});

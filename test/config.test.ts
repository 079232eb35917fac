import { describe, expect, test } from "vitest";
import example from "../.dev.vars.example?raw";
import { readConfig, settings } from "../src/config.ts";
import { NETWORK_NAMES, NETWORKS } from "../src/payments/networks.ts";

const CHAIN = {
  chainId: 123456,
  asset: "0x036cbd53842c5426634e7929541ec2318f3dcf7e",
  name: "My Dollar",
  version: "1",
  decimals: 2,
};
/** A wallet on Solana. */
const SOLANA = "EdqM52SpXCn5c1uozuvuH5o9Tcr41kYeCWz4Ymu6ngbt";
const PAY_TO = "0x00000000000000000000000000000000000000aa";

describe("settings", () => {
  test("none at all is development: local payments, base-sepolia, links for a day", () => {
    expect(readConfig({})).toMatchObject({
      facilitators: [],
      networks: [NETWORKS["base-sepolia"]],
      linkTtlSeconds: 86_400,
    });
  });

  test("empty ones count as not set", () => {
    expect(readConfig({ FACILITATOR_URL: "", PAY_TO: "" })).toEqual(readConfig({}));
  });

  test.each([
    ["NETWORK", "NETWORKS"],
    ["LINK_TTL_SECOND", "LINK_TTL_SECONDS"],
    ["PAYTO", "PAY_TO"],
    ["Pay_To", "PAY_TO"],
    ["FACILITATOR_URLS", "FACILITATOR_URL"],
    ["RPC_ULR", "RPC_URL"],
  ])("%s is no setting: %s is", (name, meant) => {
    expect(() => readConfig({ [name]: "base" })).toThrow(`${name} is no setting, ${meant} is`);
  });

  test("other names are somebody else's, and bindings may have any", () => {
    const others = { HOST: "a", LOG_LEVEL: "b", BUCKET_NAME: "c", PAY_TOO: {}, NETWORK: "" };
    expect(readConfig(others)).toEqual(readConfig({}));
  });

  test("an address may be written without its checksum, in one case or the other", () => {
    for (const digits of ["036cbd53842c5426634e7929541ec2318f3dcf7e", "036CBD53842C5426634E7929541EC2318F3DCF7E"])
      expect(readConfig({ PAY_TO: `0x${digits}` }).payTo).toBe(`0x${digits}`);
    expect(readConfig({ PAY_TO: "0x036CbD53842c5426634e7929541eC2318f3dCF7e" }).payTo).toMatch(/^0x/);
  });

  test("a facilitator makes payments real", () => {
    expect(readConfig({ FACILITATOR_URL: "https://f.example.com", PAY_TO, NETWORKS: "base" })).toMatchObject({
      facilitators: [{ url: "https://f.example.com" }],
      payTo: PAY_TO,
      networks: [NETWORKS.base],
    });
  });

  test("there may be several networks and facilitators, each with its own authorization", () => {
    const { networks, facilitators } = readConfig({
      PAY_TO,
      NETWORKS: "base, polygon,avalanche",
      FACILITATOR_URL: "https://a.example.com,https://api.cdp.coinbase.com/platform/v2/x402, https://c.example.com",
      FACILITATOR_AUTHORIZATION: "Bearer a,,Basic c",
      CDP_API_KEY_ID: "key",
      CDP_API_KEY_SECRET: "secret",
    });
    expect(networks.map(({ name }) => name)).toEqual(["base", "polygon", "avalanche"]);
    expect(facilitators.map(({ auth }) => auth)).toEqual([
      { header: "Bearer a" },
      { cdp: { id: "key", secret: "secret" } },
      { header: "Basic c" },
    ]);
  });

  test("nodes are listed in the order of the networks, and one may have none", () => {
    const networks = { PAY_TO, NETWORKS: "base,polygon,avalanche" };
    expect(readConfig({ ...networks, RPC_URL: "https://b.example.com/key,, https://a.example.com" }).rpcUrls).toEqual({
      base: "https://b.example.com/key",
      avalanche: "https://a.example.com",
    });
    expect(readConfig(networks).rpcUrls).toEqual({});
  });

  test("who is paid on Solana is a setting of its own, and needed only there", () => {
    const facilitator = { FACILITATOR_URL: "https://f.example.com" };
    expect(readConfig({ ...facilitator, NETWORKS: "solana", PAY_TO_SOLANA: SOLANA }).payToSolana).toBe(SOLANA);
    expect(readConfig({ ...facilitator, PAY_TO }).payToSolana).toBeUndefined();
  });

  test("the CDP key goes to CDP alone", () => {
    for (const url of ["https://cdp.coinbase.com.example.com", "http://api.cdp.coinbase.com", "https://f.example.com"])
      expect(
        readConfig({ PAY_TO, FACILITATOR_URL: url, CDP_API_KEY_ID: "key", CDP_API_KEY_SECRET: "secret" }).facilitators,
      ).toEqual([{ url, timeoutMs: 20_000 }]);
  });

  test.each([{ "my-chain": CHAIN }, JSON.stringify({ "my-chain": CHAIN })])(
    "an operator may add a network, in JSON or as TOML has it: %#",
    (EXTRA_NETWORKS) => {
      const { chainId, asset: _, decimals, ...domain } = CHAIN;
      const asset = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"; // with its checksum
      expect(readConfig({ EXTRA_NETWORKS, NETWORKS: "my-chain" }).networks).toEqual([
        { name: "my-chain", chainId, caip2: "eip155:123456", asset, decimals, domain, versions: [2] },
      ]);
      expect(readConfig({ EXTRA_NETWORKS })).toEqual(readConfig({}));
    },
  );

  test("hosts are names, in any case", () => {
    expect(readConfig({ ALLOWED_HOSTS: "PDF.example.com, localhost" }).allowedHosts).toEqual([
      "pdf.example.com",
      "localhost",
    ]);
    expect(readConfig({}).allowedHosts).toEqual([]);
  });

  test("an authorization is asked to last longer than work and settlement can take", () => {
    const config = readConfig({ FETCH_TIMEOUT_SECONDS: "120", FACILITATOR_TIMEOUT_SECONDS: "60" });
    expect(config.maxTimeoutSeconds).toBeGreaterThan(2 * 120 + 2 * 60);
    expect(readConfig({}).maxTimeoutSeconds).toBe(300);
  });

  test("loopback sources are allowed where it is said so, as a text or as TOML has it", () => {
    for (const value of ["true", "1", "yes", true])
      expect(readConfig({ ALLOW_LOOPBACK_SOURCES: value }).allowLoopbackSources).toBe(true);
    for (const value of ["false", "0", "no", "", false, undefined])
      expect(readConfig({ ALLOW_LOOPBACK_SOURCES: value }).allowLoopbackSources).toBe(false);
  });

  test("the key of receipts is read with 0x and without, and a wrong one is told to nobody", () => {
    const key = "5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
    for (const RECEIPT_KEY of [key, `0x${key}`]) expect(readConfig({ RECEIPT_KEY }).receiptKey).toBe(`0x${key}`);
    expect(readConfig({ RECEIPT_KEY: "" }).receiptKey).toBeUndefined();
    expect(() => readConfig({ RECEIPT_KEY: `${key}0` })).toThrow(/^((?!5de4111a).)*$/s);
  });

  test.each([
    [{ FACILITATOR_URL: "https://f.example.com" }, /PAY_TO/],
    [{ FACILITATOR_URL: "https://f.example.com", PAY_TO: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }, /PAY_TO/],
    [{ FACILITATOR_URL: "ftp://f.example.com", PAY_TO }, /FACILITATOR_URL/],
    [{ PAY_TO: "0x12" }, /PAY_TO/],
    [{ PAY_TO: "0x036cBD53842c5426634e7929541eC2318f3dCF7e" }, /mistyped[^]*PAY_TO/],
    [{ PAY_TO_SOLANA: PAY_TO }, /PAY_TO_SOLANA/],
    [{ PAY_TO_SOLANA: `${SOLANA}1` }, /PAY_TO_SOLANA/],
    [{ PAY_TO_SOLANA: SOLANA.replace("c", "0") }, /PAY_TO_SOLANA/],
    [{ NETWORKS: "solana", FACILITATOR_URL: "https://f.example.com", PAY_TO }, /PAY_TO_SOLANA/],
    [{ NETWORKS: "base,solana", FACILITATOR_URL: "https://f.example.com", PAY_TO_SOLANA: SOLANA }, /PAY_TO must/],
    [{ NETWORKS: "solana,solana" }, /same chain/],
    [{ NETWORKS: "base", RPC_URL: "https://a.example.com,https://b.example.com" }, /RPC_URL/],
    [{ RPC_URL: "wss://a.example.com" }, /RPC_URL/],
    [{ PRICE: "0" }, /PRICE/],
    [{ PRICE: "free" }, /PRICE/],
    [{ PRICE: "0.0000001" }, /PRICE/],
    [{ PRICE: "-1" }, /PRICE/],
    [{ PRICE: "0.05 USDC" }, /PRICE/],
    [{ NETWORKS: "ethereum" }, /NETWORKS/],
    [{ NETWORKS: "base,,polygon" }, /NETWORKS/],
    [{ NETWORKS: "base,base" }, /NETWORKS/],
    [{ NETWORKS: "my-chain" }, /NETWORKS/],
    [{ NETWORKS: "toString" }, /NETWORKS/],
    [{ EXTRA_NETWORKS: "{" }, /EXTRA_NETWORKS/],
    [{ EXTRA_NETWORKS: "[]" }, /EXTRA_NETWORKS/],
    [{ EXTRA_NETWORKS: "my-chain" }, /EXTRA_NETWORKS/],
    [{ EXTRA_NETWORKS: { "My Chain": CHAIN } }, /EXTRA_NETWORKS/],
    [{ EXTRA_NETWORKS: { base: CHAIN } }, /EXTRA_NETWORKS/],
    [{ EXTRA_NETWORKS: { "my-chain": { ...CHAIN, chainId: "1" } } }, /EXTRA_NETWORKS/],
    [{ EXTRA_NETWORKS: { "my-chain": { ...CHAIN, asset: "0x12" } } }, /EXTRA_NETWORKS/],
    [{ EXTRA_NETWORKS: { "my-chain": { ...CHAIN, asset: "0x036cBD53842c5426634e7929541eC2318f3dCF7e" } } }, /mistyped/],
    [{ EXTRA_NETWORKS: { "my-chain": { ...CHAIN, decimals: undefined } } }, /EXTRA_NETWORKS/],
    [{ EXTRA_NETWORKS: { "my-chain": { ...CHAIN, rpc: "https://n.example.com" } } }, /EXTRA_NETWORKS/],
    [{ EXTRA_NETWORKS: { "my-chain": { ...CHAIN, chainId: 8453 } }, NETWORKS: "base,my-chain" }, /same chain/],
    [{ EXTRA_NETWORKS: { "my-chain": { ...CHAIN, decimals: 1 } }, NETWORKS: "my-chain" }, /PRICE/],
    [{ LINK_TTL_SECONDS: "a day" }, /LINK_TTL_SECONDS/],
    [{ LINK_TTL_SECONDS: "599" }, /LINK_TTL_SECONDS/],
    [{ MAX_PAGES: "1.5" }, /MAX_PAGES/],
    [{ FILE_HOST: "https://files.example.com" }, /FILE_HOST/],
    [{ FILE_HOST: "files.example.com/" }, /FILE_HOST/],
    [{ FILE_HOST: "files.example.com:443" }, /FILE_HOST/],
    [{ FILE_HOST: "files example com" }, /FILE_HOST/],
    [{ ALLOW_LOOPBACK_SOURCES: "perhaps" }, /ALLOW_LOOPBACK_SOURCES/],
    [{ DNS_CHECK_URL: "1.1.1.1" }, /DNS_CHECK_URL/],
    [{ ALLOWED_HOSTS: "https://pdf.example.com" }, /ALLOWED_HOSTS/],
    [{ RECEIPT_KEY: "0x12" }, /RECEIPT_KEY/],
    [{ RECEIPT_KEY: `0x${"1".repeat(65)}` }, /RECEIPT_KEY/],
    [{ RECEIPT_KEY: "zebra ".repeat(12) }, /RECEIPT_KEY/],
    [{ RECEIPT_KEY: 0x5de4111afa1a }, /RECEIPT_KEY/],
    [{ RECEIPT_KEY: `0x${"0".repeat(64)}` }, /RECEIPT_KEY/],
    [{ RECEIPT_KEY: "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141" }, /RECEIPT_KEY/],
  ])("%j is refused", (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });
});

describe(".dev.vars.example", () => {
  const lines = [...example.matchAll(/^(?:# )?([A-Z_]+)="([^"]*)"/gm)].map(([, name = "", value = ""]) => ({
    name,
    value,
  }));

  test("has every setting, once, and no other", () => {
    expect(lines.map(({ name }) => name).toSorted()).toEqual(Object.keys(settings.shape).toSorted());
  });

  test("is good for development as it is", () => {
    const uncommented = [...example.matchAll(/^([A-Z_]+)="([^"]*)"/gm)].map(([, name, value]) => [name, value]);
    expect(readConfig(Object.fromEntries(uncommented))).toEqual(readConfig({}));
  });

  test("names every network", () => {
    const [, listed] = /^NETWORKS=.*: (.*);/m.exec(example)!;
    expect(listed!.split(" ").toSorted()).toEqual(NETWORK_NAMES.toSorted());
  });

  test("has figures that are the defaults", () => {
    const figures = lines.filter(({ value }) => /^\d+$/.test(value)).map(({ name, value }) => [name, Number(value)]);
    expect(figures.length).toBeGreaterThan(0);
    expect(settings.parse({})).toMatchObject(Object.fromEntries(figures));
    const price = lines.find(({ name }) => name === "PRICE")!.value;
    expect(settings.parse({}).PRICE.label).toBe(`${price} USDC`);
  });
});

/**
 * Tests `npm run deploy` with a fake wrangler (Cloudflare's command line). Two tests run the real wrangler against a
 * fake API.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { prepareBucket } from "../../scripts/deploy/bucket.ts";
import { checkAccount } from "../../scripts/deploy/checks.ts";
import { deploy } from "../../scripts/deploy/deploy.ts";
import { namesInForce } from "../../scripts/deploy/inForce.ts";
import { lifecycleRules } from "../../scripts/deploy/lifecycle.ts";
import { SECRETS } from "../../scripts/deploy/settings.ts";
import { type Wrangler, wranglerAt } from "../../scripts/deploy/wrangler.ts";
import { settings } from "../../src/settings/schema.ts";
import { allCases } from "../support/allCases.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { type Chain, startChain } from "./chain/anvil.ts";
import { startFacilitator } from "./chain/facilitator.ts";
import { startCloudflare } from "./deploy/cloudflare.ts";
import { type FakeAccount, fakeWrangler } from "./deploy/fakeWrangler.ts";

const PAY_TO = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const PRICE = 50_000n;
const RECEIPT_KEY = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
const RULES = [
  { name: "results", enabled: "Yes", prefix: "results/", action: "Expire objects after 2 days" },
  {
    name: "spool",
    enabled: "Yes",
    prefix: "spool/",
    action: "Expire objects after 1 days, Abort incomplete multipart uploads after 1 days",
  },
  { name: "uploads", enabled: "Yes", prefix: "uploads/", action: "Expire objects after 1 days" },
  { name: "quotes", enabled: "Yes", prefix: "quotes/", action: "Expire objects after 1 days" },
];

let folder: string;
let chain: Chain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
let worker: StartedWorker;
/** Server that answers health checks like a deployment that cannot sell. */
let sick: Server;
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "overprint-deploy-test-"));
  chain = await startChain();
  facilitator = await startFacilitator(chain);
  worker = await startWorker({ FACILITATOR_URL: facilitator.url, PAY_TO, RECEIPT_KEY });
  const problems = ["the binding RESULTS is missing"];
  sick = createServer((_, response) => response.writeHead(503).end(JSON.stringify({ status: "fail", problems })));
  await new Promise<void>((resolve) => sick.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  sick?.close();
  await worker?.stop();
  await facilitator?.stop();
  await chain?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Returns a Cloudflare account whose bucket exists and has all lifecycle rules. */
const ready = (): FakeAccount => ({
  accounts: [{ id: "acc1", name: "Halftone" }],
  isOffline: false,
  rules: RULES,
  hasLocalUploads: true,
  secrets: {},
  bindings: undefined,
  targets: [worker.url, "schedule: 17 * * * *"],
  refusals: {},
  calls: [],
});
/** Returns a Cloudflare account without a deployment. */
const fresh = (): FakeAccount => ({ ...ready(), rules: undefined, hasLocalUploads: false });
const good = () => ({ PAY_TO, FACILITATOR_URL: facilitator.url, NETWORKS: "base-sepolia" });

let runs = 0;
/** Deploys to a fake account, with the settings `inFile` in a file and the settings `env` in the environment. */
async function run(
  inFile: Record<string, string>,
  account: FakeAccount = ready(),
  { env = {}, key, isDry = false }: { env?: NodeJS.ProcessEnv; key?: string; isDry?: boolean } = {},
) {
  const at = join(folder, String(++runs));
  const settingsFile = `${at}.env`;
  await writeFile(
    settingsFile,
    Object.entries(inFile)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(""),
  );
  const after = structuredClone(account);
  const printed: string[] = [];
  const isDone = await deploy({
    settingsFile,
    env,
    wrangler: () => fakeWrangler(after),
    engine: ">=22.0.0",
    bucket: "overprint-results",
    key,
    isDry,
    print: (line) => printed.push(line),
    patienceMs: 300,
    pauseMs: 50,
  });
  return {
    isDone,
    said: printed.join("\n"),
    lines: printed,
    account: after,
    calls: after.calls.map(({ args }) => args.join(" ")),
  };
}

const keyOf = async (funds: bigint) => {
  const key = generatePrivateKey();
  if (funds > 0n) await chain.mint(privateKeyToAddress(key), funds);
  return key;
};

describe("a deployment", () => {
  test("npm run deploy sets up a new Cloudflare account step by step and ends with a test sale", async () => {
    const key = await keyOf(PRICE);
    const secrets = { RECEIPT_KEY, RPC_URL: "https://node.example.com/a-key" };
    const { isDone, said, account, calls } = await run({ ...good(), ...secrets, PRICE: "0.05" }, fresh(), { key });
    expect(isDone, said).toBe(true);
    expect(calls).toEqual([
      "whoami --json",
      "deployments status --json",
      "r2 bucket lifecycle list overprint-results",
      "r2 bucket create overprint-results",
      "r2 bucket lifecycle add overprint-results results results/ --expire-days 2 --force",
      "r2 bucket lifecycle add overprint-results spool spool/ --expire-days 1 --abort-multipart-days 1 --force",
      "r2 bucket lifecycle add overprint-results uploads uploads/ --expire-days 1 --force",
      "r2 bucket lifecycle add overprint-results quotes quotes/ --expire-days 1 --force",
      "r2 bucket local-uploads get overprint-results",
      "r2 bucket local-uploads enable overprint-results --force",
      "secret put RPC_URL",
      "secret put RECEIPT_KEY",
      `deploy --var PAY_TO:${PAY_TO} --var PRICE:0.05 --var NETWORKS:base-sepolia --var FACILITATOR_URL:${facilitator.url}`,
    ]);
    expect(account).toMatchObject({ rules: RULES, hasLocalUploads: true, secrets });
    expect(await chain.balanceOf(privateKeyToAddress(key))).toBe(0n);
    const [, transaction] = /https:\/\/sepolia\.basescan\.org\/tx\/(0x[0-9a-f]{64})/.exec(said)!;
    const { status } = await chain.client.getTransactionReceipt({ hash: transaction as `0x${string}` });
    expect(status).toBe("success");
    const receipt = JSON.parse(/Receipt: (.*)/.exec(said)![1]!) as { extensions: object };
    expect(receipt).toMatchObject({ success: true, transaction, extensions: { "offer-receipt": expect.anything() } });
    for (const secret of [...Object.values(secrets), key]) expect(said + calls.join()).not.toContain(secret);
  });

  test("a second npm run deploy changes nothing, even if R2 lists the rules in another order", async () => {
    const first = await run({ ...good(), RECEIPT_KEY }, fresh());
    const known = { ...first.account, rules: first.account.rules!.toReversed(), calls: [] };
    const { isDone, said, account, calls } = await run({ ...good(), RECEIPT_KEY }, known);
    expect(isDone, said).toBe(true);
    expect(calls.map((call) => call.split(" --")[0])).toEqual([
      "whoami",
      "deployments status",
      "r2 bucket lifecycle list overprint-results",
      "r2 bucket local-uploads get overprint-results",
      "secret put RECEIPT_KEY",
      "deploy",
    ]);
    expect({ ...account, calls: [] }).toEqual(known);
    expect(said).not.toContain("lifecycle rule");
  });

  test("npm run deploy adds a lifecycle rule that outlasts download links, but only warns about an existing rule that does not", async () => {
    const week = { ...good(), LINK_TTL_SECONDS: "600000" };
    expect((await run(week, fresh())).account.rules![0]!.action).toBe("Expire objects after 8 days");
    const { isDone, said, account } = await run(week);
    expect(isDone).toBe(true);
    expect(account.rules).toEqual(RULES);
    expect(said).toMatch(
      /^! The lifecycle rule results .*after 8 days.*lifecycle remove overprint-results --name results/m,
    );
  });

  test("npm run deploy passes every secret to wrangler on standard input", async () => {
    const values = {
      RECEIPT_KEY,
      FACILITATOR_AUTHORIZATION: "Bearer let-me-in",
      RPC_URL: "https://node.example.com/k",
    };
    const { account } = await run({ ...good(), ...values });
    expect(account.secrets).toEqual(values);
    for (const { args } of account.calls)
      for (const value of Object.values(values)) expect(args.join(" ")).not.toContain(value);
    const isSecret = (name: string) => /KEY|SECRET|AUTH|TOKEN|PASS|RPC/.test(name) && name !== "DEFAULT_KEY";
    const secretive = Object.keys(settings.shape).filter(isSecret);
    expect(secretive.toSorted()).toEqual(SECRETS.toSorted());
  });

  test("npm run deploy warns about settings of an earlier deployment that are still in effect", async () => {
    const types = { PAY_TO: "plain_text", PRICE: "plain_text", RPC_URL: "secret_text", RESULTS: "r2_bucket" };
    const bindings = Object.entries(types).map(([name, type]) => ({ name, type }));
    const { isDone, said } = await run(good(), { ...ready(), bindings });
    expect(isDone).toBe(true);
    const warned = said.match(/^! \w+(?= is not set here\. Its value at Cloudflare stays in force)/gm);
    expect(warned).toEqual(["! PRICE", "! RPC_URL"]);
  });

  test("npm run deploy passes wrangler's own variables to wrangler, but does not deploy them", async () => {
    const { said, calls } = await run(
      { ...good(), CLOUDFLARE_ACCOUNT_ID: "acc2" },
      { ...ready(), accounts: [1, 2].map((n) => ({ id: `acc${n}`, name: `Press ${n}` })) },
    );
    expect(said).toContain("✓ Cloudflare account: Press 2 (acc2)");
    expect(calls.join()).not.toContain("acc2");
  });

  test("npm run deploy accepts a token that cannot list accounts if the account ID is set", async () => {
    const refusals = { whoami: "Failed to automatically retrieve account IDs for the logged in user." };
    const { isDone, said } = await run(good(), { ...ready(), refusals }, { env: { CLOUDFLARE_ACCOUNT_ID: "acc1" } });
    expect(isDone, said).toBe(true);
    expect(said).toContain("✓ Cloudflare account: acc1");
  });

  test("npm run deploy does not change the Worker's settings under Workers Builds", async () => {
    const { isDone, said, calls } = await run({}, { ...ready(), targets: [urlOf(sick)] }, { env: { WORKERS_CI: "1" } });
    expect(isDone, said).toBe(true);
    expect(calls.at(-1)).toBe("deploy");
    expect(said).toContain(`${urlOf(sick)}/healthz`);
  });

  test.each([
    ["https://overprint.halftone.workers.dev", /halftone\.workers\.dev\/healthz/],
    ["pdf.example.com (custom domain)", /https:\/\/pdf\.example\.com\/healthz/],
    ["pdf.example.com/* (zone name: example.com)", /https:\/\/pdf\.example\.com\/healthz/],
    ["*.example.com/* (zone name: example.com)", /has no address/],
    ["schedule: 17 * * * *", /has no address/],
  ])("npm run deploy checks the deployment's health at the address that wrangler prints: %s", async (target, said) => {
    const account = { ...ready(), targets: ["schedule: 17 * * * *", target] };
    const fetched = globalThis.fetch;
    globalThis.fetch = (url, init) =>
      String(url).includes("127.0.0.1") ? fetched(url, init) : Promise.reject(new Error("the test has no network"));
    try {
      expect((await run(good(), account)).said).toMatch(said);
    } finally {
      globalThis.fetch = fetched;
    }
  });
});

describe("a deployment that cannot begin or finish", () => {
  const MISTYPED = `${PAY_TO.slice(0, -1)}c`;
  test.each<[string, Record<string, string>, Partial<FakeAccount>, RegExp]>([
    [
      "no settings at all",
      {},
      {},
      /✗ The deployment needs PAY_TO and FACILITATOR_URL\. Next: Copy \.env\.production\.example to /,
    ],
    ["no facilitator", { PAY_TO }, {}, /✗ The deployment needs FACILITATOR_URL\. Next: /],
    ["no PAY_TO", { FACILITATOR_URL: "https://f.example.com" }, {}, /✗ .*PAY_TO must be your own address\. Next: /],
    ["a misspelled setting", { PAY_TO, NETWORK: "base" }, {}, /✗ .*NETWORK is not a setting\. Use NETWORKS\. Next: /],
    ["a wrong value", { PAY_TO, PRICE: "free" }, {}, /✗ .*amount of USDC.* Next: /],
    [
      "a wrong checksum",
      { PAY_TO: MISTYPED },
      {},
      /✗ .*checksum is wrong.*PAY_TO.* Next: |✗ .*PAY_TO.*checksum is wrong.* Next: /,
    ],
    ["no login", {}, { accounts: [] }, /✗ You are not logged in to Cloudflare\. Next: Run `npx wrangler login`/],
    ["no network", {}, { isOffline: true }, /✗ fetch failed\. Next: Cloudflare cannot be reached\. /],
    [
      "several accounts",
      {},
      { accounts: [1, 2].map((n) => ({ id: `acc${n}`, name: `Press ${n}` })) },
      /✗ .*several accounts.* Next: Set CLOUDFLARE_ACCOUNT_ID to one of these: acc1 \(Press 1\), acc2 \(Press 2\)/,
    ],
    [
      "an invalid token",
      {},
      { refusals: { whoami: "Invalid access token [code: 9109]" } },
      /✗ .*Invalid access token.* Next: The login or the token/,
    ],
  ])("npm run deploy changes nothing and explains the failed check: %s", async (_, inFile, account, said) => {
    const outcome = await run(inFile, { ...ready(), ...account });
    expect(outcome.isDone).toBe(false);
    expect(outcome.said).toMatch(said);
    expect(outcome.lines.at(-1)).toBe("Nothing was changed.");
    expect(outcome.calls).toEqual(["whoami --json"]);
  });

  test("npm run deploy reports all failed checks in one run, one line for each", async () => {
    const { lines } = await run(
      { PAY_TO, FACILITATOR_URL: "http://127.0.0.1:1", NETWORKS: "base" },
      { ...ready(), accounts: [] },
      { key: "0x12" },
    );
    expect(lines.filter((line) => line.startsWith("✗"))).toHaveLength(3);
    expect(lines.join("")).not.toContain("\n");
  });

  test("npm run deploy rejects a facilitator that supports none of the NETWORKS, and lists the facilitator's networks", async () => {
    const { isDone, said, calls } = await run({ ...good(), NETWORKS: "base" });
    expect(isDone).toBe(false);
    expect(said).toMatch(
      /✗ 127\.0\.0\.1:\d+ settles nothing on base\. Next: .*set NETWORKS to networks that this one settles: base-sepolia\./,
    );
    expect(calls).toEqual(["whoami --json"]);
  });

  test.each([
    [
      "that does not listen",
      () => "http://127.0.0.1:9999",
      /✗ No facilitator lists the networks that it settles \(127\.0\.0\.1:9999: .*ECONNREFUSED.*Next: Check FACILITATOR_URL/,
    ],
    [
      "that is another kind of server",
      () => urlOf(sick),
      /✗ No facilitator lists the networks that it settles \(.*answered 503.*Next: Check FACILITATOR_URL/,
    ],
  ])("npm run deploy rejects a facilitator %s", async (_, url, said) => {
    const outcome = await run({ ...good(), FACILITATOR_URL: url() });
    expect(outcome.isDone).toBe(false);
    expect(outcome.said).toMatch(said);
  });

  test("npm run deploy --dry-run warns about a misspelled setting and an invalid contact address or link, and continues", async () => {
    const wrong = { LINK_TTL: "3600", CONTACT_EMAIL: "you@", TERMS_URL: "example.com/terms" };
    const { isDone, said } = await run({ ...good(), ...wrong }, ready(), { isDry: true });
    expect(isDone).toBe(true);
    expect(said).toMatch(/^! LINK_TTL is not a setting. Did you mean LINK_TTL_SECONDS\?$/m);
    expect(said).toMatch(/^! CONTACT_EMAIL: must be an email address$/m);
    expect(said).toMatch(/^! TERMS_URL: must be a URL/m);
  });

  test("npm run deploy continues after warnings about an unknown setting, test money, and a network without facilitator or node", async () => {
    const networks = { NETWORKS: "base-sepolia,base", PAY_TO: PAY_TO.toLowerCase() };
    const { isDone, said, calls } = await run({ ...good(), ...networks, GREETING: "hello" });
    expect(isDone).toBe(true);
    expect(said).toMatch(/^! GREETING in \d+\.env is not a setting and is not deployed$/m);
    expect(said).toMatch(/^! Callers can pay with worthless test money on base-sepolia/m);
    expect(said).toMatch(/^! no facilitator settles base in version 2/m);
    expect(said).toMatch(/^! PAY_TO has no checksum/m);
    expect(said).toMatch(/^! RPC_URL has no node of base: /m);
    expect(calls.at(-1)).not.toContain("GREETING");
  });

  test.each([
    [
      "r2 bucket",
      "Please enable R2 through the Cloudflare Dashboard. [code: 10042]",
      /Next: Enable R2/,
      "nothing",
      "the bucket, the secrets, the deployment, its health",
    ],
    [
      "secret",
      "Binding name 'RECEIPT_KEY' already in use. [code: 10053]",
      /Next: It is a plain variable/,
      "the bucket",
      "the secrets, the deployment, its health",
    ],
    [
      "deploy",
      "CPU limits are not supported for the Free plan. [code: 100328]",
      /Next: The account has the Workers Free plan/,
      "the bucket, the secrets",
      "the deployment, its health",
    ],
    [
      "deploy",
      "Something else [code: 1]",
      /✗ .*Something else \[code: 1\]\. Next: Run `npx wrangler deploy`/,
      "the bucket, the secrets",
      "the deployment, its health",
    ],
  ])(
    "npm run deploy reports the finished steps and the cause if Cloudflare rejects %s: %s",
    async (command, refusal, said, done, left) => {
      const outcome = await run({ ...good(), RECEIPT_KEY }, { ...ready(), refusals: { [command]: refusal } });
      expect(outcome.isDone).toBe(false);
      expect(outcome.said).toMatch(said);
      expect(outcome.said).toContain(`Done: ${done}. Left: ${left}.`);
      expect(outcome.said).not.toContain("bug");
    },
  );

  test("npm run deploy fails if the deployment is not healthy", async () => {
    const { isDone, said } = await run(good(), { ...ready(), targets: [urlOf(sick)] });
    expect(isDone).toBe(false);
    expect(said).toMatch(/✗ .*healthz fails: the binding RESULTS is missing\. Next: /);
    expect(said).toContain("Done: the bucket, the deployment. Left: its health.");
  });

  test("npm run deploy fails if it cannot reach the deployment", async () => {
    const { isDone, said } = await run(good(), { ...ready(), targets: ["http://127.0.0.1:9999"] });
    expect(isDone).toBe(false);
    expect(said).toMatch(/✗ .*healthz fails: .*ECONNREFUSED/);
  });

  test("npm run deploy fails if the wallet of the test sale has no money", async () => {
    const key = await keyOf(0n);
    const { isDone, said } = await run(good(), ready(), { key });
    expect(isDone).toBe(false);
    expect(said).toMatch(/✗ The test sale failed: 402 .*Next: 0x\w{40} needs base-sepolia USDC/);
    expect(said).toContain("Done: the bucket, the deployment, its health. Left: the test sale.");
  });
});

describe("a test sale", () => {
  test("npm run deploy never makes the test sale on a mainnet", async () => {
    const key = await keyOf(PRICE);
    const base = JSON.stringify({ x402Version: 2, scheme: "exact", network: "eip155:8453" });
    const both = createServer((_, response) => response.end(`{"kinds":[${base}]}`));
    await new Promise<void>((resolve) => both.listen(0, "127.0.0.1", resolve));
    const { isDone, said } = await run({ ...good(), FACILITATOR_URL: urlOf(both), NETWORKS: "base" }, ready(), { key });
    both.close();
    expect(isDone, said).toBe(true);
    expect(said).toContain("! No test sale: it pays only on EVM test networks, and NETWORKS names none");
    expect(await chain.balanceOf(privateKeyToAddress(key))).toBe(PRICE);
  });

  test("npm run deploy skips the test sale if SELLING is false", async () => {
    const { isDone, said } = await run({ ...good(), SELLING: "false" }, ready(), {
      key: await keyOf(PRICE),
      isDry: true,
    });
    expect(isDone, said).toBe(true);
    expect(said).toMatch(/^! SELLING is false: no new orders are accepted$/m);
    expect(said).not.toContain("POST");
  });

  test("npm run deploy rejects a malformed private key for the test sale without printing the key", async () => {
    const { isDone, said, calls } = await run(good(), ready(), { key: "0xsecret" });
    expect([isDone, calls]).toEqual([false, ["whoami --json"]]);
    expect(said).toMatch(/✗ The private key for the test sale is malformed\. It needs 64 hexadecimal digits\. Next: /);
    expect(said).not.toContain("0xsecret");
  });
});

test("a dry run of npm run deploy reports wrong settings and lists no command", async () => {
  const { said, calls } = await run({ ...good(), NETWORKS: "base" }, ready(), { isDry: true });
  expect([calls, said.match(/^→.*$/gm)]).toEqual([[], null]);
  expect(said).toMatch(/✗ .* settles nothing on base\..*\nNothing was changed\.$/s);
});

test("a dry run of npm run deploy builds the Worker and lists every command without secrets, but runs none", async () => {
  const key = await keyOf(PRICE);
  const { isDone, said, calls } = await run({ ...good(), RECEIPT_KEY }, ready(), { key, isDry: true });
  expect(isDone, said).toBe(true);
  expect(calls.map((call) => call.replace(/--var \S+ /g, ""))).toEqual(["deploy --dry-run"]);
  for (const command of [
    "whoami --json",
    "r2 bucket create overprint-results",
    "secret put RECEIPT_KEY",
    `deploy --var PAY_TO:${PAY_TO}`,
  ])
    expect(said).toContain(`→ npx wrangler ${command}`);
  for (const secret of [RECEIPT_KEY, key]) expect(said).not.toContain(secret);
});

const root = join(import.meta.dirname, "../..");

/** Starts a simulated account, and returns the real wrangler, logged in to this account. */
async function realWrangler() {
  const cloudflare = await startCloudflare();
  const env = { ...process.env, CLOUDFLARE_API_BASE_URL: cloudflare.url, CLOUDFLARE_API_TOKEN: "a-token" };
  return { cloudflare, real: wranglerAt(join(root, "node_modules/wrangler/bin/wrangler.js"), root, env) };
}

test("the real wrangler prints the account in the form that npm run deploy parses", async () => {
  const { cloudflare, real } = await realWrangler();
  expect(await checkAccount(real, undefined)).toEqual({ line: "Cloudflare account: Halftone (acc1)" });
  cloudflare.stop();
});

test.skipIf(!allCases)(
  "the real wrangler accepts every command of npm run deploy, and prints the output that npm run deploy parses",
  async () => {
    const { cloudflare, real } = await realWrangler();
    const targets: string[] = [];
    /**
     * Runs the real wrangler. In its output, replaces the deployment's address with the address of a Worker that these
     * tests started.
     */
    const wrangler: Wrangler = async (args, given) => {
      const answer = await real(args, given);
      const told = given?.env?.WRANGLER_OUTPUT_FILE_PATH;
      if (!told || !answer.ok) return answer;
      const lines = (await readFile(told, "utf8")).trim().split("\n");
      targets.push(...(JSON.parse(lines.at(-1)!) as { targets: string[] }).targets);
      await writeFile(told, JSON.stringify({ type: "deploy", targets: [worker.url] }));
      return answer;
    };
    const settingsFile = join(folder, "real.env");
    await writeFile(settingsFile, `PAY_TO=${PAY_TO}\nFACILITATOR_URL=${facilitator.url}\nRECEIPT_KEY=${RECEIPT_KEY}\n`);
    const printed: string[] = [];
    const isDone = await deploy({
      ...{ settingsFile, env: {}, wrangler: () => wrangler, engine: ">=22.0.0", bucket: "overprint-results" },
      ...{ isDry: false, print: (line) => printed.push(line), patienceMs: 300, pauseMs: 50 },
    });
    expect(isDone, printed.join("\n")).toBe(true);
    expect(printed).toContain("✓ Cloudflare account: Halftone (acc1)");
    expect(targets).toContain("https://overprint.halftone.workers.dev");
    expect(cloudflare.account).toMatchObject({
      rules: [{ id: "results" }, { id: "spool" }, { id: "uploads" }, { id: "quotes" }],
      hasLocalUploads: true,
      secrets: [{ name: "RECEIPT_KEY", text: RECEIPT_KEY }],
      metadata: { limits: { cpu_ms: 120_000 } },
      crons: [{ cron: "17 * * * *" }],
    });
    const variables = cloudflare.account.metadata!.bindings.filter(({ type }) => type === "plain_text");
    expect(Object.fromEntries(variables.map(({ name, text }) => [name, text]))).toEqual({
      PAY_TO,
      FACILITATOR_URL: facilitator.url,
    });
    const rules = lifecycleRules({ linkTtlSeconds: 86_400 });
    expect(await prepareBucket(wrangler, "overprint-results", rules)).toEqual({ done: [], warnings: [] });
    expect(await namesInForce(wrangler)).toEqual(["PAY_TO", "FACILITATOR_URL"]);
    cloudflare.stop();
  },
  240_000,
);

test("npm run deploy as a separate process exits with code 1 for wrong settings, and with code 2 for wrong arguments", async () => {
  const run = (args: string[], settings: object) =>
    promisify(execFile)(process.execPath, ["scripts/deploy.ts", ...args], {
      cwd: root,
      env: { ...process.env, ...settings },
    }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  const [wrong, kept, flag, file, help] = await Promise.all([
    run(["--dry-run"], { ...good(), NETWORKS: "base" }),
    // npm sets this variable for `npm run deploy --dry-run`.
    run([], { ...good(), NETWORKS: "base", npm_config_dry_run: "true" }),
    run(["--dryrun"], {}),
    run(["--key-file", "nowhere.key"], {}),
    run(["-h"], {}),
  ]);
  expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^usage: npm run deploy/) });
  expect([wrong.code, kept.code, flag.code, file.code]).toEqual([1, 1, 2, 2]);
  expect(kept.stdout).toBe(wrong.stdout);
  expect(wrong.stdout).toMatch(/✗ .* settles nothing on base\. Next: .*\n[\s\S]*Nothing was changed\.\n$/);
  expect(flag.stderr).toMatch(
    /^Unknown option '--dryrun'.*\nusage: npm run deploy -- \[--dry-run\] \[--key-file FILE\]\n$/,
  );
  expect(file.stderr).toMatch(/^ENOENT.*'nowhere\.key'\nusage: /);
});

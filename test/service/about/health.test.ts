import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { version } from "../../../package.json";
import { type Offer, signPayment } from "../../../scripts/lib/pay.ts";
import { app } from "../../../src/app.ts";
import { healthSchema } from "../../../src/service/about/health.ts";
import { dataUri, ORIGIN, TEXT } from "../../support/client.ts";
import { FEE_PAYERS } from "../../support/internet.ts";
import { MCP } from "../../support/mcp.ts";
import { onePage } from "../../support/pdf.ts";
import { decodeHeader } from "../../support/x402.ts";

let log: MockInstance<typeof console.log>;
beforeEach(() => {
  log = vi.spyOn(console, "log").mockImplementation(() => {});
});
afterEach(() => void vi.restoreAllMocks());
const logged = () => log.mock.calls.map(([line]) => JSON.parse(String(line)) as { event: string; problems?: string[] });

const PAY_TO = "0x00000000000000000000000000000000000000aa";
const at = (...behaviors: string[]) =>
  behaviors.map((behavior) => `https://facilitator.example.com/${behavior}`).join();

/** Creates a deployment with these settings. Returns a function that calls it with a shared environment object. */
function deployment(settings: Record<string, unknown>) {
  const environment = { ...env, PAY_TO, ...settings };
  return async (path: string, init?: RequestInit) => {
    const context = createExecutionContext();
    const response = await app.fetch(new Request(new URL(path, ORIGIN), init), environment, context);
    await waitOnExecutionContext(context);
    return response;
  };
}

const asksOf = (fetched: { mock: { calls: unknown[][] } }) =>
  fetched.mock.calls.filter(([url]) => String(url).endsWith("/supported")).length;

/** Returns the names of the networks that a deployment offers, by x402 version. */
async function offered(call: ReturnType<typeof deployment>) {
  const response = await call(TEXT, { method: "POST" });
  const networks = (terms: unknown) =>
    (terms as { accepts: { network: string }[] }).accepts.map(({ network }) => network);
  return { 1: networks(await response.json()), 2: networks(decodeHeader(response.headers.get("PAYMENT-REQUIRED")!)) };
}

test("/healthz warns the operator if RECEIPT_KEY is also the private key of PAY_TO", async () => {
  const RECEIPT_KEY = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
  const health = async (settings: object) => (await deployment({ RECEIPT_KEY, ...settings })("/healthz")).json();
  expect(await health({})).toMatchObject({ status: "pass", problems: [] });
  const problems = [expect.stringContaining("RECEIPT_KEY")];
  expect(await health({ PAY_TO: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC" })).toMatchObject({
    status: "warn",
    problems,
  });
});

test("/healthz warns the operator for an hour after a facilitator has answered a payment with an HTTP error", async () => {
  const name = `rejects-verify-${crypto.randomUUID()}`;
  const call = deployment({ FACILITATOR_URL: at("good", name) });
  expect(JSON.stringify(await (await call("/healthz")).json())).not.toContain("rejected");

  const { accepts } = await (await call(TEXT, { method: "POST" })).json<{ accepts: Offer[] }>();
  const payment = await signPayment(accepts[0]!);
  const alone = deployment({ FACILITATOR_URL: at(name) });
  const refused = await alone(TEXT, { method: "POST", headers: { "X-PAYMENT": payment } });
  expect([refused.status, await refused.json()]).toMatchObject([
    402,
    { error: "facilitator_refused: the facilitator answered 400: payload does not match" },
  ]);
  const health = await (await call("/healthz")).json<{ status: string; problems: string[] }>();
  expect(health.status).toBe("warn");
  expect(health.problems).toContainEqual(
    expect.stringMatching(/^facilitator 2 of FACILITATOR_URL rejected a payment with HTTP status 400 on verify at 2/),
  );
});

test("/healthz warns the operator while a facilitator that has answered before is down", async () => {
  const call = deployment({ NETWORKS: "base", FACILITATOR_URL: at(`settles-8453-base-${crypto.randomUUID()}`) });
  const health = async () => (await call("/healthz")).json<{ status: string; problems: string[] }>();
  expect(await health()).toMatchObject({ status: "pass", problems: [] });
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 61_000);
  const down = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("connection refused"));
  const problems = ["facilitator 1 of FACILITATOR_URL no longer answers"];
  expect(await health()).toMatchObject({ status: "warn", problems });
  down.mockRestore();
  clock.mockReturnValue(Date.now() + 61_000);
  expect(await health()).toMatchObject({ status: "pass", problems: [] });
});

test("/healthz warns the operator after a facilitator has given no verdict on a payment, until its next verdict", async () => {
  const call = deployment({ NETWORKS: "base", FACILITATOR_URL: at(`settles-8453-base-${crypto.randomUUID()}`) });
  const health = async () => (await call("/healthz")).json<{ status: string; problems: string[] }>();
  const { accepts } = await (await call(TEXT, { method: "POST" })).json<{ accepts: Offer[] }>();
  const buy = async () => {
    const body = JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A" });
    const headers = { "X-PAYMENT": await signPayment(accepts[0]!), "Content-Type": "application/json" };
    return (await call(TEXT, { method: "POST", headers, body })).status;
  };
  const down = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("down", { status: 500 }));
  expect(await buy()).toBe(503);
  down.mockRestore();
  const { status, problems } = await health();
  expect([status, ...problems]).toEqual([
    "warn",
    expect.stringMatching(/^facilitator 1 of FACILITATOR_URL gave no verdict on verify at 2\S+ \(HTTP status 500\)$/),
  ]);
  expect(await buy()).toBe(200);
  expect(await health()).toMatchObject({ status: "pass", problems: [] });
});

test("a deployment with a malformed RECEIPT_KEY sells nothing and does not reveal the key", async () => {
  const call = deployment({ RECEIPT_KEY: `0x${"7".repeat(63)}` });
  const refused = await call(TEXT, { method: "POST" });
  expect([refused.status, await refused.json()]).toMatchObject([503, { code: "not_configured" }]);
  const health = await (await call("/healthz")).text();
  expect(health).toMatch(/RECEIPT_KEY/);
  expect(health + JSON.stringify(logged())).not.toContain("7".repeat(10));
});

describe("a network that no facilitator settles", () => {
  const settings = { NETWORKS: "base,polygon,arbitrum", FACILITATOR_URL: at("settles-8453.42161-base.polygon") };

  test("in each x402 version, the service offers only networks on which a facilitator settles payments, over HTTP and MCP", async () => {
    const call = deployment(settings);
    expect(await offered(call)).toEqual({ 1: ["base", "polygon"], 2: ["eip155:8453", "eip155:42161"] });
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "add_text_watermark", arguments: {} },
    };
    const accepted = "application/json, text/event-stream";
    const headers = { "Content-Type": "application/json", Accept: accepted, Host: "localhost" };
    const answer = await call(MCP, { method: "POST", headers, body: JSON.stringify(message) });
    const text = await answer.text();
    expect(text).toContain("eip155:42161");
    expect(text).not.toContain("eip155:137");
  });

  test("the service reports a network on which no facilitator settles payments, once in the log and at /healthz", async () => {
    const call = deployment(settings);
    await offered(call);
    await offered(call);
    const problems = [expect.stringContaining("polygon in version 2")];
    expect(logged().filter(({ event }) => event === "settings")).toEqual([
      expect.objectContaining({ level: "warn", problems, errors: [] }),
    ]);
    const health = await call("/healthz");
    expect([health.status, health.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    expect(await health.json()).toMatchObject({ status: "warn", problems });
  });

  test("the service offers a network and accepts payments on it if at least one facilitator settles payments there", async () => {
    const call = deployment({
      NETWORKS: "base,base-sepolia",
      FACILITATOR_URL: at("settles-8453-base-refusing", "settles-84532-base_sepolia"),
    });
    expect((await offered(call))[1]).toEqual(["base", "base-sepolia"]);
    const { accepts } = await (await call(TEXT, { method: "POST" })).json<{ accepts: Offer[] }>();
    const payment = await signPayment(accepts[1]!);
    const body = JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A" });
    const headers = { "X-PAYMENT": payment, "Content-Type": "application/json" };
    expect((await call(TEXT, { method: "POST", headers, body })).status).toBe(200);
    expect(await (await call("/healthz")).json()).toMatchObject({ status: "pass", problems: [] });
  });

  test("the service answers payers with 503 and no details if no facilitator settles payments on the only network", async () => {
    const call = deployment({ NETWORKS: "polygon", FACILITATOR_URL: at("settles-8453-base") });
    const response = await call(TEXT, { method: "POST" });
    expect(response.status).toBe(503);
    const problem = await response.text();
    expect(JSON.parse(problem)).toMatchObject({ code: "not_configured" });
    expect(problem).not.toMatch(/polygon|facilitator\.example/);
    const health = await call("/healthz");
    expect([health.status, await health.json<{ status: string }>()]).toMatchObject([503, { status: "fail" }]);
  });
});

describe("Solana", () => {
  const [feePayer] = FEE_PAYERS;
  const settings = { NETWORKS: "base,solana-devnet", PAY_TO_SOLANA: FEE_PAYERS[1]! };
  const DEVNET = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1";
  const terms = async (call: ReturnType<typeof deployment>) => {
    const response = await call(TEXT, { method: "POST" });
    const v1 = await response.json<{ accepts: object[] }>();
    const v2 = decodeHeader(response.headers.get("PAYMENT-REQUIRED")!) as { accepts: object[] };
    return [v1.accepts, v2.accepts];
  };

  test("the service offers Solana with the operator's address if a facilitator names a fee payer", async () => {
    const FACILITATOR_URL = at(`settles-8453.${DEVNET}-base.solana_devnet`);
    const call = deployment({ ...settings, FACILITATOR_URL });
    const extra = { feePayer };
    for (const accepts of await terms(call))
      expect(accepts).toEqual([
        expect.objectContaining({ payTo: PAY_TO }),
        expect.objectContaining({ payTo: settings.PAY_TO_SOLANA, extra, maxTimeoutSeconds: 300 }),
      ]);
    expect(await (await call("/healthz")).json()).toMatchObject({ status: "pass", problems: [] });
  });

  test.each([
    ["settles only EVM chains", "settles-8453-base"],
    ["does not list its networks", "good"],
  ])("the service does not offer Solana if the facilitator %s, and informs the operator", async (_, name) => {
    const call = deployment({ ...settings, FACILITATOR_URL: at(name) });
    expect(await offered(call)).toEqual({ 1: ["base"], 2: ["eip155:8453"] });
    const { status, problems } = await (await call("/healthz")).json<{ status: string; problems: string[] }>();
    expect(status).toBe("warn");
    for (const version of [1, 2])
      expect(problems).toContain(
        `no facilitator says who pays the fee on solana-devnet in version ${version} of x402: this combination is not offered`,
      );
  });

  test("the service does not offer Solana if the facilitator's fee payer is not an address", async () => {
    const call = deployment({ ...settings, NETWORKS: "base,solana", FACILITATOR_URL: at("settles-8453-base") });
    expect((await offered(call))[2]).toEqual(["eip155:8453"]);
  });

  test("the service offers Solana in each x402 version with the fee payer of a facilitator that settles payments of that version", async () => {
    const call = deployment({
      ...settings,
      FACILITATOR_URL: at("settles-8453-base", `settles-${DEVNET}-solana_devnet`),
    });
    expect(await offered(call)).toEqual({ 1: ["base", "solana-devnet"], 2: ["eip155:8453", `solana:${DEVNET}`] });
  });

  test("a deployment that offers only Solana requires no EVM address, and sells nothing without a facilitator", async () => {
    const alone = { NETWORKS: "solana-devnet", PAY_TO: "" };
    const FACILITATOR_URL = at(`settles-${DEVNET}-solana_devnet`);
    const call = deployment({ ...settings, ...alone, FACILITATOR_URL });
    expect(await offered(call)).toEqual({ 1: ["solana-devnet"], 2: [`solana:${DEVNET}`] });
    const local = deployment({ ...settings, ...alone });
    expect((await local(TEXT, { method: "POST" })).status).toBe(503);
    expect((await local("/healthz")).status).toBe(503);
  });

  test("the service answers payers with 503 if PAY_TO_SOLANA is missing, and names that setting to the operator", async () => {
    const call = deployment({ NETWORKS: "base,solana", FACILITATOR_URL: at("settles-8453-base") });
    const answer = await call(TEXT, { method: "POST" });
    expect([answer.status, (await answer.json<{ code: string }>()).code]).toEqual([503, "not_configured"]);
    const health = await call("/healthz");
    expect([health.status, await health.text()]).toEqual([503, expect.stringContaining("PAY_TO_SOLANA")]);
  });

  test("the service requests fee payers again after ten minutes, and reuses the last answer of an unreachable facilitator", async () => {
    const call = deployment({ ...settings, FACILITATOR_URL: at(`settles-8453.${DEVNET}-base.solana_devnet`) });
    const fetched = vi.spyOn(globalThis, "fetch");
    const before = await terms(call);
    const began = Date.now();
    const clock = vi.spyOn(Date, "now").mockReturnValue(began + 599_000);
    await terms(call);
    expect(asksOf(fetched)).toBe(1);
    clock.mockReturnValue(began + 601_000);
    fetched.mockImplementation(async () => new Response("down", { status: 502 }));
    expect(await terms(call)).toEqual(before);
    expect(asksOf(fetched)).toBe(2);
  });
});

describe("the networks of a facilitator", () => {
  test("a deployment requests a facilitator's networks once for any number of calls and health checks", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const call = deployment({ NETWORKS: "base", FACILITATOR_URL: at("settles-8453-base") });
    for (let calls = 0; calls < 3; calls++) {
      await offered(call);
      await call("/healthz");
    }
    expect(asksOf(fetched)).toBe(1);
  });

  test("a deployment requests a facilitator's networks again after ten minutes only if it offers Solana or has a node", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const settings = { NETWORKS: "base", FACILITATOR_URL: at("settles-8453-base") };
    const calls = [deployment(settings), deployment({ ...settings, RPC_URL: "https://node.example.com" })];
    for (const call of calls) await offered(call);
    expect(asksOf(fetched)).toBe(2);
    const now = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(now + 601_000);
    for (const call of calls) await offered(call);
    expect(asksOf(fetched)).toBe(3);
  });

  test("the service does not request a facilitator's networks for calls that need no payment", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const call = deployment({ NETWORKS: "base", FACILITATOR_URL: at("settles-8453-base") });
    for (const path of ["/v1/limits", "/v1/files/nothing", "/nowhere"]) await call(path);
    expect(asksOf(fetched)).toBe(0);
  });

  test("the service sends FACILITATOR_AUTHORIZATION when it requests a facilitator's networks", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    await offered(
      deployment({ NETWORKS: "base", FACILITATOR_URL: at("settles-8453-base"), FACILITATOR_AUTHORIZATION: "Bearer a" }),
    );
    expect(fetched.mock.calls[0]![1]).toMatchObject({ headers: { Authorization: "Bearer a" } });
  });

  test.each([
    ["does not list its networks", "good"],
    ["cannot be reached", "https://nowhere.example.org"],
  ])(
    "the service offers all configured networks if a facilitator %s, and asks again after a minute",
    async (_, name) => {
      const fetched = vi.spyOn(globalThis, "fetch");
      const url = name.startsWith("https") ? name : at(name);
      const call = deployment({ NETWORKS: "base,polygon", FACILITATOR_URL: `${url},${at("settles-8453-base")}` });
      expect((await offered(call))[2]).toEqual(["eip155:8453", "eip155:137"]);
      const told = {
        status: "warn",
        problems: ["facilitator 1 of FACILITATOR_URL does not list the networks that it settles"],
      };
      expect(await (await call("/healthz")).json()).toMatchObject(told);
      await offered(call);
      expect(asksOf(fetched)).toBe(2);
      const now = Date.now();
      vi.spyOn(Date, "now").mockReturnValue(now + 61_000);
      await offered(call);
      expect(asksOf(fetched)).toBe(4);
    },
  );
});

describe("GET /healthz", () => {
  test.each([{}, { MAX_PAGES: "many" }])(
    "/healthz reports the build of the deployment with the settings %j",
    async (settings) => {
      const health = await (await deployment(settings)("/healthz")).json();
      expect(health).toMatchObject({ version, source: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(healthSchema().safeParse(health).error).toBeUndefined();
    },
  );

  test("/healthz passes in development", async () => {
    expect(await (await deployment({})("/healthz")).json()).toMatchObject({ status: "pass", problems: [] });
  });

  test("/healthz on a public host fails if no facilitator is configured", async () => {
    const health = await deployment({})("https://pdf.example.com/healthz");
    expect([health.status, await health.json()]).toMatchObject([
      503,
      { status: "fail", problems: [expect.stringContaining("FACILITATOR_URL")] },
    ]);
  });

  test.each(["RESULTS", "ASSETS", "LEDGER", "BUDGETS", "UNPAID_CALLS", "WRONG_TOKENS"])(
    "/healthz fails without the binding %s",
    async (name) => {
      const health = await deployment({ [name]: undefined })("/healthz");
      expect([health.status, await health.json()]).toMatchObject([
        503,
        { status: "fail", problems: [`the binding ${name} is missing`] },
      ]);
    },
  );

  test.each([
    ["RESULTS", { head: () => Promise.reject(new Error("a-secret")) }, 1],
    // The check sends one request for a font, and one for the build.
    ["ASSETS", { fetch: async () => new Response("a-secret", { status: 404 }) }, 2],
  ])(
    "/healthz fails if the binding %s does not respond correctly, and checks the binding at most once a minute",
    async (name, binding, asks) => {
      const broken = { ...binding };
      const asked = vi.spyOn(broken, Object.keys(binding)[0] as never);
      const call = deployment({ [name]: broken });
      for (const health of [await call("/healthz"), await call("/healthz")])
        expect([health.status, await health.json()]).toMatchObject([
          503,
          { status: "fail", problems: [`the binding ${name} does not respond correctly`] },
        ]);
      expect(asked).toHaveBeenCalledTimes(asks);
    },
  );

  test("/healthz names invalid settings without their values", async () => {
    const wrong = {
      PAY_TO: "a-secret",
      PAY_TO_SOLANA: "a-secret",
      FACILITATOR_URL: "a-secret",
      NETWORKS: "a-secret",
      EXTRA_NETWORKS: '{"x":"a-secret"}',
      DNS_CHECK_URL: "a-secret",
      LINK_TTL_SECONDS: "a-secret",
    };
    for (const [name, value] of Object.entries(wrong)) {
      const health = await deployment({ [name]: value })("/healthz");
      const answer = await health.text();
      expect([health.status, JSON.parse(answer)]).toMatchObject([
        503,
        { status: "fail", problems: [expect.stringContaining(name)] },
      ]);
      expect(answer).not.toContain("a-secret");
    }
  });
});

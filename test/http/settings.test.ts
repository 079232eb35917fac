import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { app } from "../../src/app.ts";
import worker from "../../src/index.ts";
import { storeResult } from "../../src/storage/results.ts";
import { inOne } from "../support/bytes.ts";
import { dataUri, TEXT } from "../support/client.ts";
import { deployment, terms } from "../support/deployment.ts";
import { onePage } from "../support/pdf.ts";
import { bucket } from "../support/storage.ts";
import { SECRET, WRONG_SETTINGS } from "../support/wrongSettings.ts";

const ORIGIN = "https://api.example.com";
/** Settings that the service only shows to callers. An invalid value does not stop sales. */
const COSMETIC = ["CONTACT_EMAIL", "REPOSITORY_URL", "TERMS_URL", "PRIVACY_URL", "IMPRINT_URL", "STATUS_URL"];
const WRONG = Object.entries(WRONG_SETTINGS)
  .filter(([name]) => !COSMETIC.includes(name))
  .map(([name, [value]]) => [name, value] as const);

/** Paths that the service serves even with invalid settings. */
const WITHOUT_SETTINGS = /^\/(assets|fonts|v1\/files|favicon\.svg|robots\.txt)/;

/** Every method and path of the service. Path parameters have sample values. */
const ROUTES = [
  ...new Set(
    app.routes
      .filter(({ path }) => path !== "/*")
      .flatMap(({ method, path }) =>
        (method === "ALL" ? ["GET", "POST", "PUT", "DELETE"] : [method]).map(
          (each) => `${each} ${path.replace(/:file/, "a.pdf").replace(/:id/, "0".repeat(64)).replace("*", "site.css")}`,
        ),
      ),
  ),
].map((route) => route.split(" ") as [string, string]);

let log: MockInstance<typeof console.log>;
beforeEach(() => {
  log = vi.spyOn(console, "log").mockImplementation(() => {});
});
afterEach(() => void vi.restoreAllMocks());

/** Returns a function that sends a request to a deployment with these settings. */
function deployed(settings: object) {
  const environment = { ...env, ...settings };
  return async (url: string, init?: RequestInit) => {
    const context = createExecutionContext();
    const response = await app.fetch(new Request(new URL(url, ORIGIN), init), environment, context);
    await waitOnExecutionContext(context);
    return response;
  };
}

async function link(host = "api.example.com") {
  const pdf = { length: 4, chunks: () => inOne(new TextEncoder().encode("%PDF")) };
  const { id, token } = await storeResult(bucket, pdf, { filename: "a.pdf", ttlSeconds: 3600 });
  return `https://${host}/v1/files/${id}.pdf?token=${token}`;
}

test.each([...COSMETIC.map((name) => [name, name]), ["LINK_TTL", "LINK_TTL_SECONDS"]])(
  "the service still sells if %s is wrong, and names the setting in /healthz and the log",
  async (name, named) => {
    const call = deployed({ [name]: "x" });
    const health = await (await call("http://localhost/healthz")).json();
    const problems = [expect.stringContaining(named)];
    expect(health).toMatchObject({ status: "warn", problems });
    expect(JSON.parse(String(log.mock.calls[0]))).toMatchObject({ event: "settings", problems });
    expect((await call(`http://localhost${TEXT}`, { method: "POST" })).status).toBe(402);
  },
);

describe("with an invalid setting", () => {
  test.each(WRONG)(
    "a deployment with an invalid setting answers 503, and names the setting only to the operator: %s=%j",
    async (name, value) => {
      const call = deployed({ [name]: value });
      expect(ROUTES.length).toBeGreaterThan(30);
      for (const [method, path] of ROUTES) {
        const response = await call(path, { method });
        const answer = await response.text();
        const found = `${method} ${path}: ${response.status} ${answer.slice(0, 300)}`;
        expect(found).not.toContain(SECRET);
        if (path === "/healthz" && method === "GET") {
          expect([response.status, JSON.parse(answer)]).toMatchObject([503, { status: "fail" }]);
          expect(answer).toContain(name);
        } else if (WITHOUT_SETTINGS.test(path)) {
          expect([200, 204, 404, 405], found).toContain(response.status);
        } else {
          expect([response.status, response.headers.get("Content-Type")]).toEqual([503, "application/problem+json"]);
          expect(JSON.parse(answer)).toMatchObject({
            code: "not_configured",
            detail: expect.stringMatching(/charged/),
          });
          expect(found).not.toContain(name);
        }
      }
      const lines = log.mock.calls.map(([line]) => String(line));
      expect(lines.join("\n")).not.toContain(SECRET);
      expect(lines.filter((line) => line.includes('"event":"settings"'))).toEqual([expect.stringContaining(name)]);
    },
  );

  test("browsers get a styled error page if a setting is invalid", async () => {
    const call = deployed({ MAX_PAGES: "many" });
    const page = await call("/", { headers: { Accept: "text/html" } });
    expect([page.status, page.headers.get("Content-Type")]).toEqual([503, "text/html; charset=UTF-8"]);
    const html = await page.text();
    expect(html).not.toContain("MAX_PAGES");
    for (const [, path] of html.matchAll(/(?:src|href)="(\/(?:assets|favicon)[^"]+)"/g))
      expect([path, (await call(path!)).status]).toEqual([path, 200]);
  });

  test("the service does not send a payment to the facilitator if a setting is invalid", async () => {
    const { call, verified } = deployment("good", { MAX_PAGES: "many" });
    const payment = await signPayment(await terms());
    const body = JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A" });
    const headers = { "X-PAYMENT": payment, "Content-Type": "application/json" };
    expect(await call({ headers, body })).toMatchObject({
      status: 503,
      text: expect.stringContaining("not_configured"),
    });
    expect(await verified()).toBe(0);
  });

  test("download links can still be used and revoked if a setting is invalid", async () => {
    const call = deployed({ MAX_PAGES: "many" });
    const bought = await link();
    expect(await (await call(bought)).text()).toBe("%PDF");
    expect((await call(bought, { method: "HEAD" })).status).toBe(200);
    expect((await call(bought, { method: "DELETE" })).status).toBe(204);
    expect((await call(bought)).status).toBe(410);
  });

  test("the service serves files only on FILE_HOST if another setting is invalid, but on any host if FILE_HOST is invalid", async () => {
    const bought = await link("files.example.com");
    const elsewhere = bought.replace("files.", "api.");
    const separate = deployed({ FILE_HOST: "files.example.com", MAX_PAGES: "many" });
    expect([(await separate(bought)).status, (await separate(elsewhere)).status]).toEqual([200, 404]);
    const broken = deployed({ FILE_HOST: "https://files.example.com" });
    expect([(await broken(bought)).status, (await broken(elsewhere)).status]).toEqual([200, 200]);
  });

  test("the scheduled sweep runs even if a setting is invalid", async () => {
    const environment = { ...env, MAX_PAGES: "many" } as Env;
    await worker.scheduled(createScheduledController({ scheduledTime: Date.now() }), environment);
    expect(String(log.mock.calls.at(-1))).toContain('"event":"sweep"');
  });
});

/** URL of a nonexistent host. */
const NOWHERE = "https://nowhere.example.org";
const PAY_TO = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const KEY = `${"A".repeat(86)}==`;

describe("with valid settings that name unreachable services", () => {
  test.each([
    { FACILITATOR_URL: NOWHERE, FACILITATOR_AUTHORIZATION: `Bearer ${SECRET}` },
    { FACILITATOR_URL: "https://facilitator.cdp.coinbase.com", CDP_API_KEY_ID: SECRET, CDP_API_KEY_SECRET: KEY },
    { FACILITATOR_URL: NOWHERE, RPC_URL: `${NOWHERE}/${SECRET}`, DNS_CHECK_URL: `${NOWHERE}/?key=${SECRET}` },
  ])(
    "the service answers every route without revealing secrets if external services are unreachable: %j",
    async (settings) => {
      const call = deployed({ PAY_TO, ...settings });
      const payment = await signPayment({ ...(await terms()), payTo: PAY_TO });
      const body = JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A" });
      const headers = { "X-PAYMENT": payment, "Content-Type": "application/json" };
      const refused = await call(TEXT, { method: "POST", headers, body });
      expect([refused.status, await refused.json()]).toMatchObject([503, { code: "facilitator_unavailable" }]);
      const told = [await (await call("/healthz")).text()];
      expect(told[0]).toContain('"warn"');
      for (const [method, path] of ROUTES) {
        const response = await call(path, { method });
        expect([500, 501, 502], `${method} ${path}`).not.toContain(response.status);
        told.push(await response.text());
      }
      const heard = [...told, ...log.mock.calls.map(([line]) => String(line))].join("\n");
      for (const secret of [SECRET, KEY]) expect(heard).not.toContain(secret);
    },
  );
});

describe("without a binding", () => {
  test.each(["RESULTS", "ASSETS", "LEDGER", "BUDGETS"])(
    "the service answers every route with the code not_configured if the binding %s is missing",
    async (name) => {
      const call = deployed({ [name]: undefined });
      for (const [method, path] of ROUTES) {
        const response = await call(path, { method });
        const found = `${method} ${path}: ${response.status} ${(await response.text()).slice(0, 300)}`;
        if (path === "/healthz" && method === "GET") expect(found).toContain(`the binding ${name} is missing`);
        else expect(found).toContain("not_configured");
      }
    },
  );
});

test("the service reports an unknown setting only in the log", async () => {
  const call = deployed({ GREETING: "1", STRIPE: { bound: true } });
  const health = await call("/healthz");
  expect(await health.text()).not.toContain("GREETING");
  await call(TEXT, { method: "POST" });
  const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)) as { event: string });
  expect(lines.filter(({ event }) => event === "settings")).toEqual([
    expect.objectContaining({ event: "settings", problems: ["GREETING is not a setting"], errors: [] }),
  ]);
});

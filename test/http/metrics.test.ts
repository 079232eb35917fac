import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import alerts from "../../docs/operations/alerts.yml?raw";
import monitoring from "../../docs/operations/monitoring.md?raw";
import { type Offer, signPayment } from "../../scripts/lib/pay.ts";
import { app } from "../../src/app.ts";
import worker from "../../src/index.ts";
import { OPEN_CHANNELS } from "../../src/payments/channels/channelObject.ts";
import { channelNameOf, type OpenChannel } from "../../src/payments/channels/channelRecord.ts";
import { OPEN_PAYMENTS } from "../../src/payments/ledger/openList.ts";
import { RATE_LIMITS } from "../../src/settings/limits.ts";
import { COUNTERS } from "../../src/shared/counters.ts";
import { log } from "../../src/shared/log.ts";
import { fires, parseMetrics, rulesIn } from "../support/alerts.ts";
import { dataUri, ORIGIN, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";

beforeEach(() => void vi.spyOn(console, "log").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

const TOKEN = "0123456789abcdef0123456789abcdef";
const PAY_TO = "0x00000000000000000000000000000000000000aa";
const RULES = rulesIn(alerts);
/** The route on a public host, because calls from loopback are not limited. */
const PUBLIC = `https://api.example.com${TEXT}`;
const now = () => Date.now() / 1000;

/** Creates a deployment with these settings. Returns a function that calls it with a shared environment object. */
function deployment(settings: object = {}) {
  const environment = { ...env, OPERATOR_TOKEN: TOKEN, ...settings };
  return async (path: string, init?: RequestInit) => {
    const context = createExecutionContext();
    const response = await app.fetch(new Request(new URL(path, ORIGIN), init), environment, context);
    await waitOnExecutionContext(context);
    return response;
  };
}
type Call = ReturnType<typeof deployment>;

/** Scrapes the metrics as Prometheus does. An answer other than 200 yields nothing. */
async function scrape(call: Call): Promise<string> {
  const response = await call("/metrics", { headers: { Authorization: `Bearer ${TOKEN}` } });
  return response.ok ? response.text() : "";
}

let texts = 0;

/** Buys a result with a new text, because a repeated call returns the earlier result. */
async function buy(call: Call): Promise<Response> {
  const [offer] = (await (await call(TEXT, { method: "POST" })).json<{ accepts: Offer[] }>()).accepts;
  const headers = { "X-PAYMENT": await signPayment(offer!), "Content-Type": "application/json" };
  const body = JSON.stringify({ file: dataUri("application/pdf", onePage), text: `A${texts++}` });
  return call(TEXT, { method: "POST", headers, body });
}

/** Checks that an alert does not fire before a condition and fires after it. */
async function expectAlert(name: string, call: Call, cause: () => Promise<unknown>, later = 0): Promise<void> {
  const before = await scrape(call);
  const rule = RULES.get(name)!;
  if (before !== "") expect(fires(rule, before, before, now()), "before").toBe(false);
  await cause();
  expect(fires(rule, before, await scrape(call), now() + later), "after").toBe(true);
}

test("GET /metrics requires an operator's token", async () => {
  const get = (token?: string, settings = {}) =>
    deployment(settings)("/metrics", token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } });
  expect((await get()).status).toBe(403);
  expect((await get(TOKEN.replace("0", "1"))).status).toBe(403);
  expect((await get(TOKEN, { OPERATOR_TOKEN: undefined })).status).toBe(404);
  const served = await get(TOKEN);
  expect([served.status, served.headers.get("Content-Type"), served.headers.get("Cache-Control")]).toEqual([
    ...[200, "text/plain; version=0.0.4; charset=utf-8", "no-store"],
  ]);
  expect(served.headers.get("Access-Control-Allow-Origin")).toBeNull();
});

test("the metrics count sales, amounts, settlements and refusals", async () => {
  const call = deployment();
  const total = (text: string, name: string, labels: object) =>
    parseMetrics(text)
      .get(name)!
      .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  const before = await scrape(call);
  expect((await buy(call)).status).toBe(200);
  await call("/nowhere");
  const after = await scrape(call);
  const increase = (name: string, labels: object) => total(after, name, labels) - total(before, name, labels);
  expect(increase("overprint_sales_total", { network: "base-sepolia", outcome: "sold" })).toBe(1);
  expect(increase("overprint_sold_atomic_total", { network: "base-sepolia" })).toBe(50_000);
  expect(increase("overprint_settlements_total", { outcome: "settled" })).toBe(1);
  expect(increase("overprint_requests_total", { route: TEXT, code: "payment_required" })).toBe(1);
  expect(increase("overprint_requests_total", { status: "404", code: "not_found" })).toBe(1);
});

test("docs/operations/monitoring.md lists every metric with its labels", async () => {
  const text = await scrape(deployment());
  const counters = Object.entries(COUNTERS).map(([name, { labels }]) => [name, [...labels]]);
  const gauges = [...parseMetrics(text).keys()].filter((name) => !Object.hasOwn(COUNTERS, name));
  const rows = Array.from(monitoring.matchAll(/^\| `(overprint_\w+)` \| (.*)/gm), ([, name, cells]) => {
    const [labels = ""] = cells!.split("|");
    return [name!, name!.endsWith("_total") ? Array.from(labels.matchAll(/`(\w+)`/g), ([, label]) => label!) : []];
  });
  expect(rows).toEqual([...counters, ...gauges.map((name) => [name, []])]);
});

test("docs/operations/monitoring.md explains every alert", () => {
  const [, section = ""] = monitoring.split("\n## Alerts\n");
  const rows = section.split("\n").filter((line) => line.startsWith("| `Overprint"));
  const explained = rows.flatMap((line) => line.split(" | ")[0]!.match(/Overprint\w+/g) ?? []);
  expect(explained).toEqual([...RULES.keys()]);
});

describe("each documented alert fires on its condition", () => {
  const tested: Record<string, () => Promise<void>> = {
    OverprintUnreachable: () =>
      expectAlert("OverprintUnreachable", deployment({ MAX_PAGES: "many" }), async () => undefined),
    OverprintNotSelling: async () => {
      const rule = RULES.get("OverprintNotSelling")!;
      const working = await scrape(deployment());
      expect(fires(rule, working, working, now())).toBe(false);
      const { RESULTS } = env;
      const broken = { ...env, RESULTS: { ...RESULTS, head: () => Promise.reject(new Error("disk full")) } };
      expect(fires(rule, "", await scrape(deployment(broken)), now())).toBe(true);
    },
    OverprintHealthWarning: async () => {
      const text = await scrape(deployment({ SELLING: "false" }));
      expect(fires(RULES.get("OverprintHealthWarning")!, "", text, now())).toBe(true);
    },
    OverprintInternalError: async () => {
      const RESULTS = new Proxy(env.RESULTS, {
        get: (bucket, name) => {
          if (name === "put") return () => Promise.reject(new Error("disk full"));
          const value = Reflect.get(bucket, name) as unknown;
          return typeof value === "function" ? value.bind(bucket) : value;
        },
      });
      const call = deployment({ RESULTS });
      await expectAlert("OverprintInternalError", call, async () => expect((await buy(call)).status).toBe(500));
    },
    // test/payments/ledger/record.test.ts tests that the ledger logs this line after the link has expired
    OverprintUnresolvedPayment: () =>
      expectAlert("OverprintUnresolvedPayment", deployment(), async () =>
        log({
          event: "settlement",
          outcome: "unresolved",
          ...{ request_id: "1", attempts: 9, network: "base", payer: "0x1", amount: "50000", payment: "p" },
        }),
      ),
    OverprintFacilitatorErrors: () => {
      const call = deployment({ PAY_TO, FACILITATOR_URL: "https://facilitator.example.com/down" });
      return expectAlert("OverprintFacilitatorErrors", call, async () => {
        await Promise.all(Array.from({ length: 6 }, () => buy(call))); // concurrent to save time, because each call retries
      });
    },
    OverprintServerErrors: () => {
      const closed = deployment({ MAX_PAGES: "many" });
      return expectAlert("OverprintServerErrors", deployment(), async () => {
        for (let n = 0; n < 21; n++) await closed("/v1/limits");
      });
    },
    OverprintLimitsReached: () => {
      let calls = 0;
      const UNPAID_CALLS = { limit: async () => ({ success: calls++ < RATE_LIMITS.unpaidCalls }) };
      const call = deployment({ UNPAID_CALLS, PAY_TO, FACILITATOR_URL: "https://facilitator.example.com/good" });
      return expectAlert("OverprintLimitsReached", call, async () => {
        const headers = { "CF-Connecting-IP": "203.0.113.77" };
        for (let n = 0; n < RATE_LIMITS.unpaidCalls + 101; n++) await call(PUBLIC, { method: "POST", headers });
      });
    },
    OverprintNoSweep: async () => {
      await worker.scheduled(createScheduledController({ scheduledTime: Date.now() }), env);
      await expectAlert("OverprintNoSweep", deployment(), async () => undefined, 7201);
    },
    OverprintPaymentOpen: () => {
      const opened = { at: Date.now() - 1_801_000 };
      return expectAlert("OverprintPaymentOpen", deployment(), () =>
        env.LEDGER.getByName(OPEN_PAYMENTS).listOpen("eip155:1:a:b:c", JSON.stringify(opened)),
      );
    },
    OverprintClaimDeadline: () => {
      const entry: OpenChannel = {
        ...{
          channelId: `0x${"7".repeat(64)}`,
          network: "base-sepolia",
          chain: "eip155:84532",
          payer: "0x1",
          decimals: 6,
        },
        ...{ unclaimedSince: Date.now(), deadline: Date.now() + 3_600_000 },
      };
      const name = channelNameOf(entry.chain, entry.channelId);
      const call = deployment();
      return expectAlert("OverprintClaimDeadline", call, () =>
        env.LEDGER.getByName(OPEN_CHANNELS).listOpen(name, JSON.stringify(entry)),
      );
    },
  };

  test.each(Object.entries(tested))("the alert %s fires on its condition", (_, cause) => cause());

  test("every alert is tested", () => {
    expect([...RULES.keys()].sort()).toEqual(Object.keys(tested).sort());
  });
});

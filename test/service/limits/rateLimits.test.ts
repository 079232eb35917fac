import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { signPayment } from "../../../scripts/lib/pay.ts";
import { app } from "../../../src/app.ts";
import { clientOf } from "../../../src/service/limits/rateLimits.ts";
import { RATE_LIMITS } from "../../../src/settings/limits.ts";
import { storeResult } from "../../../src/storage/results.ts";
import wrangler from "../../../wrangler.toml?raw";
import { inOne } from "../../support/bytes.ts";
import { dataUri, send, TEXT } from "../../support/client.ts";
import { onePage } from "../../support/pdf.ts";
import { bucket } from "../../support/storage.ts";

const SETTINGS = { PAY_TO: `0x${"aa".repeat(20)}`, FACILITATOR_URL: "https://facilitator.example.com/good" };

/** Returns a rate limiter that allows each key `times` requests. */
function limiter(times: number): RateLimit {
  const seen = new Map<string, number>();
  return {
    limit: async ({ key }) => {
      seen.set(key, (seen.get(key) ?? 0) + 1);
      return { success: seen.get(key)! <= times };
    },
  };
}

async function sendFrom(address: string | undefined, url: string, bindings: object, init: RequestInit = {}) {
  const context = createExecutionContext();
  const headers = { ...init.headers, ...(address && { "CF-Connecting-IP": address }) };
  const request = new Request(new URL(url, "https://api.example.com"), { ...init, headers });
  const response = await app.fetch(request, { ...env, ...SETTINGS, ...bindings }, context);
  await waitOnExecutionContext(context);
  return response;
}

async function statuses(count: number, act: () => Promise<Response>): Promise<number[]> {
  const all: number[] = [];
  for (let call = 0; call < count; call++) {
    const response = await act();
    await response.body?.cancel();
    all.push(response.status);
  }
  return all;
}

const stored = () =>
  storeResult(
    bucket,
    { length: 4, chunks: () => inOne(new TextEncoder().encode("%PDF")) },
    { filename: "a.pdf", ttlSeconds: 60 },
  );

describe("the limit for calls answered 402", () => {
  const unpaid = (address: string | undefined, UNPAID_CALLS: RateLimit | undefined, init: RequestInit = {}) =>
    sendFrom(address, TEXT, { UNPAID_CALLS }, { method: "POST", ...init });

  test("the limit for 402 answers also applies to unpaid MCP tool calls", async () => {
    const limited = limiter(1);
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "add_text_watermark", arguments: {} },
    });
    const headers = {
      Host: "api.example.com",
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    };
    const call = async () =>
      (await sendFrom("203.0.113.7", "/mcp", { UNPAID_CALLS: limited }, { method: "POST", headers, body })).text();
    expect(await call()).toContain("x402Version");
    expect(await call()).toContain("too_many_requests");
  });

  test("a call beyond the limit for 402 answers gets a 429 with Retry-After and without terms", async () => {
    const limited = limiter(2);
    expect(await statuses(3, () => unpaid("203.0.113.7", limited))).toEqual([402, 402, 429]);
    const response = await unpaid("203.0.113.7", limited);
    expect(await response.json()).toMatchObject({ code: "too_many_requests" });
    expect(response.headers.get("Retry-After")).toBe("60");
    expect(response.headers.get("PAYMENT-REQUIRED")).toBeNull();
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });

  test("the limit for 402 answers also counts calls with a malformed payment", async () => {
    const limited = limiter(1);
    const act = () => unpaid("203.0.113.7", limited, { headers: { "X-PAYMENT": "bm8=" } });
    expect(await statuses(2, act)).toEqual([402, 429]);
  });

  test("the limit for 402 answers applies to each address separately", async () => {
    const limited = limiter(1);
    expect(await statuses(2, () => unpaid("203.0.113.7", limited))).toEqual([402, 429]);
    expect(await statuses(2, () => unpaid("203.0.113.8", limited))).toEqual([402, 429]);
  });

  test("the limit for 402 answers never applies to a paid call", async () => {
    const limited = limiter(0);
    const offer = await (await unpaid(undefined, limited)).json<{ accepts: Parameters<typeof signPayment>[0][] }>();
    const response = await unpaid("203.0.113.7", limited, {
      headers: { "X-PAYMENT": await signPayment(offer.accepts[0]!), "Content-Type": "application/json" },
      body: JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A" }),
    });
    expect(response.status).toBe(200);
  });

  test("the service does not limit 402 answers if the address is unknown, or if the binding is missing or fails", async () => {
    const broken: RateLimit = { limit: () => Promise.reject(new Error("out of order")) };
    expect((await unpaid(undefined, limiter(0))).status).toBe(402);
    expect((await unpaid("203.0.113.7", undefined)).status).toBe(402);
    expect((await unpaid("203.0.113.7", broken)).status).toBe(402);
  });

  test("the limit for 402 answers exempts only requests from the service's own machine", async () => {
    const unpaidAt = (host: string, address: string) =>
      sendFrom(address, `http://${host}${TEXT}`, { UNPAID_CALLS: limiter(0) }, { method: "POST" });
    expect((await unpaidAt("localhost", "127.0.0.1")).status).toBe(402);
    expect((await unpaidAt("localhost", "203.0.113.7")).status).toBe(429);
    expect((await unpaidAt("api.example.com", "127.0.0.1")).status).toBe(429);
  });
});

describe("the limit for wrong tokens", () => {
  test("the service limits wrong tokens for reading and revoking a link", async () => {
    const { id } = await stored();
    const limited = limiter(2);
    const guess = (method: string) => () =>
      sendFrom("203.0.113.7", `/v1/files/${id}.pdf?token=0`, { WRONG_TOKENS: limited }, { method });
    expect(await statuses(3, guess("GET"))).toEqual([403, 403, 429]);
    expect(await statuses(1, guess("DELETE"))).toEqual([429]);
    expect(await statuses(1, guess("HEAD"))).toEqual([429]);
  });

  test("the limit for wrong tokens never refuses a download with the link's right token", async () => {
    const { id, token } = await stored();
    const open = () => sendFrom("203.0.113.7", `/v1/files/${id}.pdf?token=${token}`, { WRONG_TOKENS: limiter(0) });
    expect(await statuses(3, open)).toEqual([200, 200, 200]);
  });
});

describe("the runtime's own limiters", () => {
  test("the runtime's rate limiters use the published limits", () => {
    const figures = [...wrangler.matchAll(/name = "(\w+)"\nnamespace_id = "\d+"\nsimple = (.*)/g)].map(
      ([, ...of]) => of,
    );
    expect(figures).toEqual([
      ["UNPAID_CALLS", `{ limit = ${RATE_LIMITS.unpaidCalls}, period = 60 }`],
      ["WRONG_TOKENS", `{ limit = ${RATE_LIMITS.wrongTokens}, period = 60 }`],
    ]);
  });

  test("the runtime's rate limiter refuses some requests with a wrong token beyond twice the limit per minute", async () => {
    const { id } = await stored();
    const headers = { "CF-Connecting-IP": "203.0.113.9" };
    const guesses = await statuses(2 * RATE_LIMITS.wrongTokens + 1, () => send(`/v1/files/${id}?token=0`, { headers }));
    expect(new Set(guesses)).toEqual(new Set([403, 429]));
  });
});

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
  ["unknown", "unknown"],
])("a rate limit counts the address %s as %s", (address, client) => {
  expect(clientOf(address)).toBe(client);
});

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { app } from "../src/app.ts";
import { PROBLEMS } from "../src/shared/problems.ts";
import { send, TEXT } from "./support/client.ts";

test("CORS lets x402 clients in browsers send payment headers and read payment response headers", async () => {
  const asked =
    "content-type,x-payment,payment-signature,access-control-expose-headers,idempotency-key,traceparent,baggage";
  const preflight = await send(TEXT, {
    method: "OPTIONS",
    headers: {
      Origin: "https://shop.example.com",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": asked,
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("Access-Control-Allow-Headers")).toBe(asked);
  expect(preflight.headers.get("Vary")).toContain("Access-Control-Request-Headers");
  expect(preflight.headers.get("Access-Control-Allow-Credentials")).toBeNull();

  const answer = await send(TEXT, { method: "POST", headers: { Origin: "https://shop.example.com" } });
  expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
  const exposed = answer.headers.get("Access-Control-Expose-Headers")!.split(",");
  expect(exposed).toEqual(expect.arrayContaining(["X-PAYMENT-RESPONSE", "PAYMENT-REQUIRED", "PAYMENT-RESPONSE"]));
});

test("the response repeats the caller's request id, or contains a generated id if the caller sent none", async () => {
  expect((await send("/nowhere")).headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
  expect((await send("/nowhere", { headers: { "X-Request-Id": "mine-7" } })).headers.get("X-Request-Id")).toBe(
    "mine-7",
  );
});

test("an unknown path returns 404, and an unsupported method returns 405", async () => {
  const missing = await send("/nowhere");
  expect([missing.status, (await missing.json<{ code: string }>()).code]).toEqual([404, "not_found"]);
  const get = await send(TEXT);
  expect([get.status, get.headers.get("Allow"), (await get.json<{ code: string }>()).code]).toEqual([
    405,
    "POST",
    "method_not_allowed",
  ]);
});

describe.each([
  "/",
  "/docs",
  "/retention",
  "/changelog",
  "/openapi.json",
  "/llms.txt",
  "/.well-known/x402",
  "/.well-known/mcp/server-card.json",
  "/mcp/server-card",
  "/.well-known/mcp/catalog.json",
  "/.well-known/api-catalog",
])("%s", (path) => {
  test("a page or API description returns 304 for a matching ETag and is readable from other origins", async () => {
    const first = await send(path);
    const tag = first.headers.get("ETag")!;
    expect(tag).toMatch(/^"/);
    const again = await send(path, { headers: { "If-None-Match": `"other", ${tag}` } });
    expect([again.status, await again.text(), again.headers.get("ETag")]).toEqual([304, "", tag]);
    expect(again.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect((await send(path, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
    const head = await send(path, { method: "HEAD" });
    expect([head.status, head.headers.get("ETag"), await head.text()]).toEqual([200, tag, ""]);
  });

  test("a page or API description rejects methods other than GET and HEAD", async () => {
    const post = await send(path, { method: "POST" });
    expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  });
});

test("pages and API descriptions contain the requested host, even if requests for two hosts alternate", async () => {
  for (const host of ["http://a.example", "http://b.example", "http://a.example"]) {
    const { servers } = await (await send(`${host}/openapi.json`)).json<{ servers: object[] }>();
    expect(servers).toEqual([{ url: host }]);
    expect(await (await send(`${host}/docs`)).text()).toContain(`${host}/mcp`);
  }
});

test.each([
  [undefined, "text/plain"],
  ["*/*", "text/plain"],
  ["application/json", "text/plain"],
  ["text/html;q=0, */*", "text/plain"],
  ["text/plain, text/html", "text/plain"],
  ["text/html;q=0.5, text/plain", "text/plain"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"],
  ["text/html;level=1", "text/html"],
  ["TEXT/HTML", "text/html"],
  ["text/html, text/markdown", "text/html"],
  ["text/markdown, text/html;q=0.9, */*;q=0.1", "text/markdown"],
])("GET / with the Accept header %s returns %s", async (accept, type) => {
  const response = await send("/", { headers: accept === undefined ? {} : { Accept: accept } });
  expect(response.headers.get("Content-Type")!.toLowerCase()).toBe(`${type}; charset=utf-8`);
  expect(response.headers.get("Vary")).toContain("Accept");
});

test("the error response for invalid settings contains neither the names nor the values of the settings", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const context = createExecutionContext();
  const response = await app.fetch(
    new Request(`http://localhost${TEXT}`, { method: "POST" }),
    { ...env, NETWORKS: "no-such-chain" },
    context,
  );
  await waitOnExecutionContext(context);
  expect(response.status).toBe(503);
  const answer = await response.text();
  expect(JSON.parse(answer)).toMatchObject({ code: "not_configured" });
  expect(answer).not.toMatch(/no-such-chain|NETWORKS/);
  expect(log.mock.calls.join()).toContain("NETWORKS: entry 1 is unknown");
  log.mockRestore();
});

describe("GET /openapi.json", () => {
  test("the OpenAPI document contains the request schemas of text marks, all error codes, the request headers and the 402 of purchases", async () => {
    const document = await (await send("/openapi.json")).json<Record<string, never>>();
    expect(document).toMatchObject({ openapi: "3.1.0" });
    const { paths: post, components } = document as never as {
      paths: Record<string, unknown>;
      components: { schemas: Record<string, object> };
    };
    expect(components.schemas.TextWatermarkRequest).toMatchObject({
      required: ["file", "text"],
      additionalProperties: false,
      properties: { text: { minLength: 1, maxLength: 500 } },
    });
    expect(components.schemas.TextWatermarkForm).toMatchObject({
      properties: { file: { anyOf: [{ format: "binary" }, { type: "string" }] } },
    });
    expect(JSON.stringify(document)).toContain(Object.keys(PROBLEMS).join('","'));
    const described = JSON.stringify(post["/v1/watermark/text"]);
    for (const name of ["Idempotency-Key", "SIGN-IN-WITH-X"]) expect(described).toContain(`"name":"${name}"`);
    expect(document).toMatchObject({ paths: { "/v1/purchases": { get: { responses: { 402: {} } } } } });
  });
});

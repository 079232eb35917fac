import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { signPayment } from "../../../scripts/lib/pay.ts";
import { app } from "../../../src/app.ts";
import { dataUri, ORIGIN, offerOf, TEXT } from "../../support/client.ts";
import { deployment, terms } from "../../support/deployment.ts";
import { onePage } from "../../support/pdf.ts";

vi.spyOn(console, "log").mockImplementation(() => {});

const body = JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A" });
const json = { "Content-Type": "application/json" };

/** Calls one deployment with SELLING set to true or to false. */
async function send(SELLING: string, path: string, init: RequestInit = {}) {
  const context = createExecutionContext();
  const response = await app.fetch(new Request(new URL(path, ORIGIN), init), { ...env, SELLING }, context);
  const whole = new Response(await response.arrayBuffer(), response);
  await waitOnExecutionContext(context);
  return whole;
}
const call = (SELLING: string, headers: Record<string, string>) =>
  send(SELLING, TEXT, { method: "POST", headers: { ...json, ...headers }, body });

test("paid results are delivered and their links work while SELLING is false", async () => {
  const paid = { "X-PAYMENT": await signPayment(await offerOf(TEXT)), "Idempotency-Key": "mine" };
  const sold = await call("true", paid);
  const { output } = await sold.json<{ output: { url: string } }>();
  const again = await call("false", paid);
  expect([again.status, await again.json()]).toMatchObject([200, { output }]);
  const signedAnew = { "X-PAYMENT": await signPayment(await offerOf(TEXT)), "Idempotency-Key": "mine" };
  const underKey = await call("false", signedAnew);
  expect([underKey.status, await underKey.json()]).toMatchObject([200, { output }]);
  expect((await send("false", output.url)).status).toBe(200);
  expect((await send("false", "/v1/purchases")).status).toBe(402);
});

test("no call gets terms and no payment is verified while SELLING is false", async () => {
  const { call, verified } = deployment("good", { SELLING: "false" });
  const refused = async (init: RequestInit, path?: string) => {
    const { status, text, headers } = await call(init, path);
    return [status, JSON.parse(text).code, headers.get("Retry-After"), headers.get("PAYMENT-REQUIRED")];
  };
  const notSelling = [503, "not_selling", "600", null];
  expect(await refused({})).toEqual(notSelling);
  expect(await refused({ headers: { "X-PAYMENT": "nonsense" } })).toEqual(notSelling);
  const payment = await signPayment(await terms());
  expect(await refused({ headers: { ...json, "X-PAYMENT": payment }, body })).toEqual(notSelling);
  expect(await refused({ headers: json, body: '{"size": 50000000}' }, "/v1/uploads")).toEqual(notSelling);
  expect(await refused({ method: "GET" })).toEqual([405, "method_not_allowed", null, null]);
  expect(await verified()).toBe(0);

  const params = { name: "add_text_watermark", arguments: { file: "https://example.com/a.pdf", text: "A" } };
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const { text } = await call({ headers: { ...json, "MCP-Protocol-Version": "2025-11-25" }, body: message }, "/mcp");
  expect(text).toContain("not_selling");
  expect(text).not.toContain("accepts");
});

test("the health check reports that SELLING is false", async () => {
  const health = await send("false", "/healthz");
  expect([health.status, await health.json()]).toEqual([
    200,
    expect.objectContaining({
      status: "warn",
      problems: ["SELLING is false: no new orders are accepted, and paid ones are delivered"],
    }),
  ]);
});

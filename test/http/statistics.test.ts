import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { type Offer, signPayment, signPaymentV2 } from "../../scripts/lib/pay.ts";
import { app } from "../../src/app.ts";
import { BLOBS, DOUBLES } from "../../src/http/statistics.ts";
import { dataUri, ORIGIN, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";

vi.spyOn(console, "log").mockImplementation(() => {});
const writeDataPoint = vi.fn((_: { indexes: string[]; blobs: string[]; doubles: number[] }) => {});
afterEach(() => writeDataPoint.mockClear());

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const context = createExecutionContext();
  const environment = { ...env, REQUESTS: { writeDataPoint } };
  const response = await app.fetch(new Request(new URL(path, ORIGIN), init), environment, context);
  const whole = new Response(response.body && (await response.arrayBuffer()), response);
  await waitOnExecutionContext(context);
  return whole;
}
/** Returns the data points written to Analytics Engine, with their values by column name. */
const points = () =>
  writeDataPoint.mock.calls.map(([{ indexes, blobs, doubles }]) => ({
    index: indexes[0],
    ...Object.fromEntries(BLOBS.map((name, at) => [name, blobs[at]!])),
    ...Object.fromEntries(DOUBLES.map((name, at) => [name, doubles[at]!])),
  })) as (Record<(typeof BLOBS)[number] | "index", string> & Record<(typeof DOUBLES)[number], number>)[];

const file = dataUri("application/pdf", onePage);
const offer = async () => (await (await send(TEXT, { method: "POST" })).json<{ accepts: Offer[] }>()).accepts[0]!;

test("the service writes one data point per request: a sale, its replay, a failed call and a download", async () => {
  const payment = await signPayment(await offer());
  const headers = { "X-PAYMENT": payment, "Idempotency-Key": "mine", "Content-Type": "application/json" };
  const call = (body: object) => send(TEXT, { method: "POST", headers, body: JSON.stringify(body) });
  writeDataPoint.mockClear();
  expect((await call({ file: dataUri("application/pdf", new Uint8Array([1])), text: "A" })).status).toBe(422);
  const sold = await call({ file, text: "A" });
  await call({ file, text: "A" });
  const { output } = await sold.json<{ output: { url: string; bytes: number } }>();
  await send(output.url);

  const sale = { index: TEXT, route: TEXT, method: "POST", status: 200, network: "base-sepolia", code: "", tool: "" };
  const result = { pages: 1, bytes_out: output.bytes, bytes_in: JSON.stringify({ file, text: "A" }).length };
  expect(points()).toEqual([
    expect.objectContaining({ ...sale, status: 422, code: "not_a_pdf", outcome: "refused", pages: 0 }),
    expect.objectContaining({ ...sale, ...result, outcome: "sold" }),
    expect.objectContaining({ ...sale, ...result, outcome: "replayed", settle_ms: 0 }),
    expect.objectContaining({ route: "/v1/files/:file", status: 200, outcome: "", bytes_out: output.bytes }),
  ]);
});

test("the service writes one data point per MCP tool call, with its outcome", async () => {
  const payment = JSON.parse(atob(await signPaymentV2(await offer())));
  const call = (_meta: object) =>
    send("/mcp", {
      method: "POST",
      headers: { Host: "localhost", "Content-Type": "application/json", "MCP-Protocol-Version": "2025-11-25" },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "add_text_watermark", arguments: { file, text: "A" }, _meta },
      }),
    });
  writeDataPoint.mockClear();
  expect(await (await call({})).text()).toContain("payment required");
  expect(await (await call({ "x402/payment": payment })).text()).toContain("Watermarked 1 page");
  const tool = { index: "/mcp", tool: "add_text_watermark", status: 200 };
  expect(points()).toEqual([
    expect.objectContaining({ ...tool, code: "payment_required", outcome: "" }),
    expect.objectContaining({ ...tool, code: "", outcome: "sold", pages: 1, network: "base-sepolia" }),
  ]);
});

test("the service's data points identify no callers, repeat no input, and fit the limits of Analytics Engine", async () => {
  const payment = await signPayment(await offer());
  const headers = { "X-PAYMENT": payment, "Idempotency-Key": "secret key", "Content-Type": "application/json" };
  const sent = { headers: { ...headers, "CF-Connecting-IP": "192.0.2.7" }, method: "POST" };
  await send(TEXT, { ...sent, body: JSON.stringify({ file, text: "secret text", password: "secret password" }) });
  await send(`/secret-path-${"x".repeat(500)}?token=secret`);
  await send("/v1/files/000000-00000000000000000000000000000000.pdf?token=secret");
  await send("/mcp", {
    method: "POST",
    headers: { Host: "localhost", "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "secret".repeat(99) } }),
  });
  const { authorization, signature } = JSON.parse(atob(payment)).payload;
  const written = JSON.stringify(writeDataPoint.mock.calls).toLowerCase();
  for (const secret of ["secret", "192.0.2.7", authorization.from, authorization.nonce, signature])
    expect(written).not.toContain(secret.toLowerCase());
  expect(writeDataPoint.mock.calls.length).toBeGreaterThan(3);
  for (const [{ indexes, blobs, doubles }] of writeDataPoint.mock.calls) {
    expect([indexes.length, blobs.length <= 20, doubles.length <= 20]).toEqual([1, true, true]);
    expect(indexes[0]!.length).toBeLessThanOrEqual(96);
    expect(doubles.every(Number.isFinite)).toBe(true);
  }
});

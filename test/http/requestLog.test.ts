import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { type Offer, signPayment } from "../../scripts/lib/pay.ts";
import { app } from "../../src/app.ts";
import { dataUri, ORIGIN, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";

const log = vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(() => log.mockClear());

async function send(path: string, init: RequestInit = {}, id = "request-1"): Promise<Response> {
  const context = createExecutionContext();
  const headers = { "X-Request-Id": id, ...(init.headers as Record<string, string>) };
  const response = await app.fetch(new Request(new URL(path, ORIGIN), { ...init, headers }), env, context);
  await waitOnExecutionContext(context);
  return response;
}
const lines = () => log.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
const json = { "Content-Type": "application/json" };

test("the service logs one line per request, with the problem code of a failed request", async () => {
  await send("/v1/limits");
  await send("/nowhere?secret=1");
  await send(TEXT, { method: "POST" });
  await send("/v1/files/000000-00000000000000000000000000000000.pdf?token=secret");
  const at = { time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), level: "info" };
  const line = { ...at, event: "request", request_id: "request-1", method: "GET", ms: expect.any(Number) };
  expect(lines()).toEqual([
    { ...line, route: "/v1/limits", status: 200 },
    { ...line, route: "/*", status: 404, code: "not_found" },
    {
      ...{ ...line, method: "POST", route: TEXT, status: 402, code: "payment_required" },
      reason: expect.stringContaining("X-PAYMENT header is required"),
    },
    { ...line, route: "/v1/files/:file", status: 410, code: "link_expired", file: `000000-${"0".repeat(32)}` },
  ]);
});

test("the log lines of a sale and its replay contain the request ids but no secrets", async () => {
  const [offer] = (await (await send(TEXT, { method: "POST" })).json<{ accepts: Offer[] }>()).accepts;
  const payment = await signPayment(offer!);
  const password = "correct horse battery staple";
  const body = JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A", password });
  log.mockClear();
  const key = "a key of mine";
  const init = { method: "POST", headers: { "X-PAYMENT": payment, "Idempotency-Key": key, ...json }, body };
  const bought = await send(TEXT, init, "call-1");
  const again = await send(TEXT, init, "call-2");
  const { output } = await bought.json<{ output: { url: string } }>();
  expect(await again.json()).toMatchObject({ output });

  const { authorization, signature } = JSON.parse(atob(payment)).payload;
  const paid = { payment: expect.stringContaining(authorization.nonce), amount: "50000", network: "base-sepolia" };
  expect(lines()).toEqual([
    expect.objectContaining({ event: "settlement", request_id: "call-1", outcome: "settled", attempts: 1, ...paid }),
    expect.objectContaining({ event: "sale", request_id: "call-1", outcome: "sold", pages: 1, ...paid }),
    expect.objectContaining({ event: "request", request_id: "call-1", route: TEXT, status: 200, outcome: "sold" }),
    expect.objectContaining({ event: "sale", request_id: "call-2", outcome: "replayed", ...paid }),
    expect.objectContaining({ event: "request", request_id: "call-2", status: 200, outcome: "replayed" }),
  ]);
  const [, sale, request, , replay] = lines();
  const said = { transaction: sale!.transaction, pages: 1, bytes_out: sale!.bytes, network: "base-sepolia" };
  expect([request, replay], "both lines have the same file and transaction").toEqual([
    expect.objectContaining({ ...said, file: new URL(output.url).pathname.slice(10, -4) }),
    expect.objectContaining({ ...said, file: request!.file }),
  ]);
  const token = new URL(output.url).searchParams.get("token")!;
  for (const secret of [signature, password, token, key]) expect(JSON.stringify(lines())).not.toContain(secret);
});

test("the log line of a failed file fetch omits the URL's query", async () => {
  const [offer] = (await (await send(TEXT, { method: "POST" })).json<{ accepts: Offer[] }>()).accepts;
  const file = "https://nowhere.example.org/a.pdf?signature=secret";
  const headers = { "X-PAYMENT": await signPayment(offer!), ...json };
  await send(TEXT, { method: "POST", headers, body: JSON.stringify({ file, text: "A" }) });
  expect(lines()).toContainEqual(
    expect.objectContaining({ event: "failure", request_id: "request-1", code: "source_unreachable" }),
  );
  expect(JSON.stringify(lines())).not.toContain("signature=secret");
});

import { privateKeyToAccount } from "viem/accounts";
import { expect, test, vi } from "vitest";
import { signPayment } from "../../../scripts/lib/pay.ts";
import { dataUri, TEXT } from "../../support/client.ts";
import { deployment, terms } from "../../support/deployment.ts";
import { onePage } from "../../support/pdf.ts";

vi.spyOn(console, "log").mockImplementation(() => {});

const json = { "Content-Type": "application/json" };
const body = JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A" });
const KEY = `0x${"b1".repeat(32)}` as const;
const { address: WALLET } = privateKeyToAccount(KEY);
const ADDRESS = "203.0.113.7";
const BLOCKED = `203.0.113.0/24, ${WALLET}, files.example.com`;
const message = (name: string, fields: object) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: fields } });

/** Returns the status, the code and the type of an answer. */
async function outcomeOf(answer: Promise<{ status: number; text: string; headers: Headers }>) {
  const { status, text, headers } = await answer;
  return [status, JSON.parse(text).code, headers.get("Content-Type")];
}
const refusal = [403, "blocked", "application/problem+json"];

test("the service refuses a blocked address on every route that does work, before it verifies a payment", async () => {
  const { call, verified } = deployment("good", { BLOCKED });
  const headers = { ...json, "CF-Connecting-IP": ADDRESS, "X-PAYMENT": await signPayment(await terms()) };
  for (const [path, text] of [
    [TEXT, body],
    ["/v1/watermark/image", "not even JSON"],
    ["/v1/uploads", "{}"],
    ["/v1/quotes", "{}"],
    ["/mcp", message("add_text_watermark", {})],
  ] as const)
    expect([path, ...(await outcomeOf(call({ headers, body: text }, path)))]).toEqual([path, ...refusal]);
  const put = call({ method: "PUT", headers, body: "a" }, `/v1/uploads/${"0".repeat(6)}-${"0".repeat(32)}`);
  expect(await outcomeOf(put)).toEqual(refusal);
  expect(await verified()).toBe(0);
});

test("a blocked address can still read pages and use download links", async () => {
  const { call } = deployment("good", { BLOCKED });
  const headers = { "CF-Connecting-IP": ADDRESS };
  expect((await call({ method: "GET", headers }, "/v1/limits")).status).toBe(200);
  const unknown = "/v1/files/492103-0123456789abcdef0123456789abcdef.pdf?token=a";
  expect((await call({ method: "GET", headers }, unknown)).status).not.toBe(403);
  expect((await call({ headers: { ...headers, "CF-Connecting-IP": "203.0.114.7" } })).status).toBe(402);
});

test("the refusal of a blocked address names a contact and says that nothing was charged", async () => {
  const { call } = deployment("good", { BLOCKED, CONTACT_EMAIL: "help@example.com" });
  const { text } = await call({ headers: { "CF-Connecting-IP": ADDRESS } });
  expect(JSON.parse(text).detail).toBe(
    "The operator of this deployment has blocked your address. Nothing was charged. Write to help@example.com if this is a mistake.",
  );
});

test("the service refuses a blocked wallet before it verifies the payment, over HTTP, MCP and for uploads", async () => {
  const { call, verified } = deployment("good", { BLOCKED: BLOCKED.toLowerCase() });
  const payment = await signPayment(await terms(), KEY);
  const headers = { ...json, "X-PAYMENT": payment };
  expect(await outcomeOf(call({ headers, body }))).toEqual(refusal);
  expect(await outcomeOf(call({ headers, body: '{"size": 50000000}' }, "/v1/uploads"))).toEqual(refusal);
  const mcp = { ...headers, "MCP-Protocol-Version": "2025-11-25" };
  const { text } = await call({ headers: mcp, body: message("add_text_watermark", JSON.parse(body)) }, "/mcp");
  expect(text).toContain("has blocked this wallet");
  expect(await verified()).toBe(0);
  const other = await call({ headers: { ...json, "X-PAYMENT": await signPayment(await terms()) }, body });
  expect(other.status).toBe(200);
});

test.each(["https://files.example.com/a.pdf", "https://EU.files.example.com./a.pdf"])(
  "the service does not fetch a file from a blocked host: %s",
  async (file) => {
    const { call } = deployment("good", { BLOCKED });
    const headers = { ...json, "X-PAYMENT": await signPayment(await terms()) };
    const { status, text } = await call({ headers, body: JSON.stringify({ file, text: "A" }) });
    expect([status, JSON.parse(text)]).toEqual([
      422,
      expect.objectContaining({
        code: "source_not_allowed",
        detail: expect.stringContaining("the operator has blocked its host"),
      }),
    ]);
  },
);

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { type Offer, signPayment } from "../../scripts/lib/pay.ts";
import { app } from "../../src/app.ts";
import { dataUri, ORIGIN, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";

/** A deployment that asks for another price. */
async function dear(path: string, init?: RequestInit): Promise<Response> {
  const context = createExecutionContext();
  const response = await app.fetch(new Request(`${ORIGIN}${path}`, init), { ...env, PRICE: "1.25" }, context);
  await waitOnExecutionContext(context);
  return response;
}

test("PRICE is what is asked for, what is paid, and what is said everywhere", async () => {
  const [offer] = (await (await dear(TEXT, { method: "POST" })).json<{ accepts: Offer[] }>()).accepts;
  expect(offer!.maxAmountRequired).toBe("1250000");

  const call = async (payment: string) => {
    const headers = { "X-PAYMENT": payment, "Content-Type": "application/json" };
    const body = JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A" });
    return dear(TEXT, { method: "POST", headers, body });
  };
  const cheap = await call(await signPayment({ ...offer!, maxAmountRequired: "50000" }));
  expect([cheap.status, await cheap.text()]).toEqual([402, expect.stringContaining("authorize exactly 1250000")]);
  expect(await (await call(await signPayment(offer!))).json()).toMatchObject({ cost: "1.25 USDC" });

  for (const path of ["/openapi.json", "/v1/limits", "/llms.txt", "/.well-known/mcp/server-card.json"]) {
    const text = await (await dear(path)).text();
    expect(text).toContain("1.25 USDC");
    expect(text).not.toContain("0.05 USDC");
  }
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const tools = await dear("/mcp", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", Host: "localhost" },
    body: JSON.stringify(list),
  });
  expect(await tools.text()).toContain("Costs 1.25 USDC");
});

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { type Offer, signPayment } from "../../../scripts/lib/pay.ts";
import { app } from "../../../src/app.ts";
import { parsePrice } from "../../../src/payments/wire/price.ts";
import { PRODUCTS, type Product } from "../../../src/service/sale/products.ts";
import { dataUri, ORIGIN, TEXT } from "../../support/client.ts";
import { onePage } from "../../support/pdf.ts";
import { RED_PNG } from "../../support/png.ts";

/** Calls a deployment whose PRICE is higher than the default. */
async function dear(path: string, init?: RequestInit): Promise<Response> {
  const context = createExecutionContext();
  const response = await app.fetch(new Request(`${ORIGIN}${path}`, init), { ...env, PRICE: "1.25" }, context);
  await waitOnExecutionContext(context);
  return response;
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  dear(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const file = dataUri("application/pdf", onePage);
const buy = (path: string, payment: string) =>
  post(path, path === TEXT ? { file, text: "A" } : { file, image: dataUri("image/png", RED_PNG) }, {
    "X-PAYMENT": payment,
    "Idempotency-Key": crypto.randomUUID(),
  });

async function offerAt(path: string): Promise<Offer> {
  const { accepts } = await (await dear(path, { method: "POST" })).json<{ accepts: [Offer] }>();
  return accepts[0];
}

/** Returns all published texts and offers that state prices. */
async function said() {
  const pages = ["/openapi.json", "/v1/limits", "/llms.txt", "/.well-known/mcp/server-card.json"];
  const [openapi, ...texts] = await Promise.all(pages.map(async (path) => (await dear(path)).text()));
  const ask = async (method: string, params: object) => {
    const headers = { Accept: "application/json, text/event-stream", Host: "localhost" };
    return (await post("/mcp", { jsonrpc: "2.0", id: 1, method, params }, headers)).text();
  };
  const options = await ask("resources/read", { uri: "overprint://options" });
  const { result } = JSON.parse(/\{.*\}/.exec(await ask("tools/list", {}))![0]) as {
    result: { tools: { name: string; description: string }[] };
  };
  return { openapi: JSON.parse(openapi!), texts: [openapi!, ...texts, options], tools: result.tools };
}

afterEach(() => vi.restoreAllMocks());

test("the service offers, charges and publishes the price from the setting PRICE everywhere", async () => {
  const offer = await offerAt(TEXT);
  expect(offer.maxAmountRequired).toBe("1250000");
  const cheap = await buy(TEXT, await signPayment({ ...offer, maxAmountRequired: "50000" }));
  expect([cheap.status, await cheap.text()]).toEqual([402, expect.stringContaining("authorize exactly 1250000")]);
  expect(await (await buy(TEXT, await signPayment(offer))).json()).toMatchObject({ cost: "1.25 USDC" });

  const { texts, tools } = await said();
  const paid = tools.filter(({ name }) => PRODUCTS.some(({ tool }) => tool === name));
  for (const text of [...texts, ...paid.map(({ description }) => description)]) {
    expect(text).toContain("1.25 USDC");
    expect(text).not.toContain("0.05 USDC");
  }
});

test.each(PRODUCTS)(
  "a separate price of $operation applies everywhere to that product, and to no other product",
  async (cheaper) => {
    vi.spyOn(cheaper, "price").mockReturnValue(parsePrice("0.3")!);
    const labelOf = (product: Product) => (product === cheaper ? "0.3 USDC" : "1.25 USDC");
    const { openapi, texts, tools } = await said();
    for (const text of texts) {
      expect(text).toContain("0.3 USDC");
      expect(text).toContain("1.25 USDC");
    }
    expect(openapi.components.schemas.Result.properties.cost.enum.toSorted()).toEqual(["0.3 USDC", "1.25 USDC"]);

    for (const product of PRODUCTS) {
      const { path, tool } = product;
      const offer = await offerAt(path);
      expect(offer.maxAmountRequired).toBe(product === cheaper ? "300000" : "1250000");
      expect(await (await buy(path, await signPayment(offer))).json()).toMatchObject({ cost: labelOf(product) });
      expect(tools.find(({ name }) => name === tool)!.description).toContain(`Costs ${labelOf(product)}`);
      expect(openapi.paths[path].post.description).toContain(`Costs ${labelOf(product)},`);
      expect(openapi.paths[path].post["x-payment-info"].price.amount).toBe(labelOf(product).split(" ")[0]);
      expect(texts.some((text) => text.includes(`POST ${path}, or the MCP tool ${tool}: ${labelOf(product)}`))).toBe(
        true,
      );
    }
  },
);

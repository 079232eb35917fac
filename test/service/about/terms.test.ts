/**
 * Reads price, networks and description from every place where a deployment publishes them, and compares these terms.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { app } from "../../../src/app.ts";
import { PRODUCTS, type Product } from "../../../src/service/sale/products.ts";
import { ORIGIN } from "../../support/client.ts";
import { decodeHeader } from "../../support/x402.ts";

/**
 * Settings of a deployment whose price differs from the default. The deployment's facilitator does not settle payments
 * on one of the networks.
 */
const SETTINGS = {
  PRICE: "1.25",
  NETWORKS: "base,polygon,avalanche",
  PAY_TO: "0x00000000000000000000000000000000000000aa",
  FACILITATOR_URL: "https://facilitator.example.com/settles-8453.137-base.polygon",
};
const NAMES = ["base", "polygon"];
const IDS = ["eip155:8453", "eip155:137"];
const AMOUNT = "1250000";

const environment = { ...env, ...SETTINGS };
async function call(path: string, init?: RequestInit): Promise<Response> {
  const context = createExecutionContext();
  const response = await app.fetch(new Request(ORIGIN + path, init), environment, context);
  await waitOnExecutionContext(context);
  return response;
}

async function mcp(method: string, params: object) {
  const response = await call("/mcp", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", Host: "localhost" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return JSON.parse(/\{.*\}/.exec(await response.text())![0]).result;
}

/** A product's terms as one place publishes them. Some places publish only a part. */
interface Published {
  networks?: string[];
  amounts?: string[];
  price?: string;
  description?: string;
}

/** Reads price and networks from a text such as the guide. */
const inText = (text: string, { summary }: Product): Published => ({
  networks: /Networks: ([\w, -]+)\./.exec(text)?.[1]?.split(", ") ?? [],
  price: /Price: ([\d.]+) USDC/.exec(text)?.[1] ?? "",
  ...(text.includes(`## ${summary}\n`) && { description: summary }),
});

/** Reads price and networks from the text about payment on the home page. */
const inPage = (html: string): Published => ({
  networks: /Networks: ([\w, -]+)\./.exec(html)?.[1]?.split(", ") ?? [],
  price: /<strong>([\d.]+) USDC<\/strong> per call/.exec(html)?.[1] ?? "",
});

/** Reads the price from the server card, or from the page about the MCP server. */
const inCard = (text: string): Published => ({ price: /([\d.]+) USDC per call/.exec(text)?.[1] ?? "" });

interface Way {
  network: string;
  amount?: string;
  maxAmountRequired?: string;
  description?: string;
}

const inWays = (accepts: Way[], description = accepts[0]!.description!): Published => ({
  networks: accepts.map(({ network }) => network),
  amounts: accepts.map((way) => way.amount ?? way.maxAmountRequired!),
  description,
});

const inTerms = ({ accepts, resource }: { accepts: Way[]; resource: { description: string } }) =>
  inWays(accepts, resource.description);

/** The parts of an operation in the OpenAPI document that this test reads. */
interface Post {
  summary: string;
  "x-payment-info": { price: { amount: string } };
  responses: { 402: { content: { "application/json": { example: { accepts: Way[] } } } } };
}

async function published(product: Product): Promise<Record<string, Published>> {
  const { path, tool } = product;
  const unpaid = await call(path, { method: "POST" });
  const read = await call(path);
  const header = (response: Response) => decodeHeader(response.headers.get("PAYMENT-REQUIRED")!) as never;
  const body = await unpaid.clone().json<{ accepts: Way[] }>();
  const result = await mcp("tools/call", { name: tool, arguments: {} });
  const { tools } = await mcp("tools/list", {});
  const listed = tools.find(({ name }: { name: string }) => name === tool);
  const { paths } = await (await call("/openapi.json")).json<{ paths: Record<string, { post: Post }> }>();
  const { post } = paths[path]!;
  const { example } = post.responses[402].content["application/json"];
  const { instructions } = await (await call("/.well-known/x402")).json<{ instructions: string }>();
  return {
    "402, version 1": inWays(body.accepts),
    "402, version 2": inTerms(header(unpaid)),
    "405, version 2": inTerms(header(read)),
    "MCP result": inTerms(result.structuredContent),
    "text of the MCP result": inTerms(JSON.parse(result.content[0].text)),
    "MCP result, version 1": inWays(result._meta["x402/error-v1"].accepts),
    "tools/list": {
      amounts: [listed._meta.x402.amount],
      price: String(listed._meta["agents-x402/priceUSD"]),
      description: listed.title,
    },
    "openapi.json": { price: post["x-payment-info"].price.amount, description: post.summary },
    "example of openapi.json": inWays(example.accepts),
    "/.well-known/x402": inText(instructions, product),
    "llms.txt": { ...inText(await (await call("/llms.txt")).text(), product) },
    "server card": inCard(await (await call("/mcp/server-card")).text()),
    "page of the MCP server": inCard(await (await call("/mcp", { headers: { Accept: "text/html" } })).text()),
    page: inPage(await (await call("/", { headers: { Accept: "text/html" } })).text()),
  };
}

test.each(PRODUCTS)("every document states the same price, networks and description of $operation", async (product) => {
  const places = await published(product);
  for (const [place, { networks, amounts, price, description }] of Object.entries(places)) {
    if (networks) expect([place, networks]).toEqual([place, networks[0]?.includes(":") ? IDS : NAMES]);
    for (const amount of amounts ?? []) expect([place, amount]).toEqual([place, AMOUNT]);
    if (price !== undefined) expect([place, price]).toEqual([place, SETTINGS.PRICE]);
    if (description !== undefined) expect([place, description]).toEqual([place, product.summary]);
  }
  expect(places["llms.txt"]!.description).toBe(product.summary);
});

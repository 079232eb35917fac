import { expect, test } from "vitest";
import * as z from "zod";
import prompts from "../../docs/prompts.md?raw";
import { signPaymentV2 } from "../../scripts/lib/pay.ts";
import { result } from "../../src/service/request/schemas.ts";
import { PRODUCTS } from "../../src/service/sale/products.ts";
import { offerOf, TEXT } from "../support/client.ts";
import { connect } from "../support/mcp.ts";

/**
 * Rows of the table in docs/prompts.md. In each call, the test replaces the values of `file` and `image`, or passes the
 * objects that hosts use for attached files.
 */
const calls = prompts
  .split("\n")
  .filter((line) => /^\| .* \| `add_/.test(line))
  .map((line) => {
    const [, prompt = "", tool = "", fields = ""] = /^\| (.*) \| `(\w+)` \| `(.*)` \|$/.exec(line)!;
    return { prompt, tool, fields: JSON.parse(fields) as Record<string, unknown> };
  });

/** Returns the object that a host uses for an attached file. */
const attachedAs = (name: string) => ({
  download_url: `https://example.com/${name}`,
  file_id: "file-1",
  file_name: name,
});
const ATTACHED = { file: attachedAs("contract.pdf"), image: attachedAs("logo.png") };

test("docs/prompts.md lists at least thirty different prompts", () => {
  expect(calls.length).toBeGreaterThanOrEqual(30);
  expect(new Set(calls.map(({ prompt }) => prompt)).size).toBe(calls.length);
});

test.each(calls)("the tool accepts the documented call for: $prompt", async ({ tool: name, fields }) => {
  const client = await connect("2026-07-28", { "User-Agent": "openai-mcp/1.0.0" }); // This host sends files as objects.
  const { inputSchema } = (await client.listTools()).tools.find((tool) => tool.name === name)!;
  const needed = Object.entries(ATTACHED).filter(([field]) => field in inputSchema.properties!);
  const args = { ...Object.fromEntries(needed), ...fields };
  z.fromJSONSchema(inputSchema as never).parse(args);

  const payment = await signPaymentV2(await offerOf(TEXT));
  const { structuredContent } = await client.callTool({ name, arguments: args, _meta: { "x402/payment": payment } });
  result.parse(structuredContent);
});

test.each(PRODUCTS)("docs/prompts.md uses every field and every template of $tool", ({ tool, schemas }) => {
  const own = calls.filter((call) => call.tool === tool).map(({ fields }) => fields);
  const shared = calls.map(({ fields }) => fields);
  for (const name of Object.keys(schemas.json.shape))
    expect([name, shared.some((fields) => name in fields)]).toEqual([name, true]);
  const { template } = schemas.json.shape;
  const names = template instanceof z.ZodDefault ? (template.unwrap() as z.ZodEnum).options : [];
  for (const name of names) expect(own.map((fields) => fields.template)).toContain(name);
});

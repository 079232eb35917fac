import { expect, test } from "vitest";
import * as z from "zod";
import prompts from "../../docs/prompts.md?raw";
import { PRODUCTS } from "../../src/service/products.ts";
import { connect } from "../support/mcp.ts";

/** The rows of the document's table. `file` and `image` are there, or what the host puts in their place. */
const calls = prompts
  .split("\n")
  .filter((line) => /^\| .* \| `add_/.test(line))
  .map((line) => {
    const [, prompt = "", tool = "", fields = ""] = /^\| (.*) \| `(\w+)` \| `(.*)` \|$/.exec(line)!;
    return { prompt, tool, fields: JSON.parse(fields) as Record<string, unknown> };
  });

const attached = { download_url: "https://files.example.com/attached", file_id: "file_1", file_name: "a.pdf" };

test("there are thirty", () => {
  expect(calls).toHaveLength(30);
  expect(new Set(calls.map(({ prompt }) => prompt)).size).toBe(30);
});

test.each(calls)("$prompt", async ({ tool, fields }) => {
  const { tools } = await (await connect()).listTools();
  const { inputSchema } = tools.find(({ name }) => name === tool)!;
  const needed = Object.fromEntries(
    ["file", "image"].filter((name) => name in inputSchema.properties!).map((name) => [name, attached]),
  );
  z.fromJSONSchema(inputSchema as never).parse({ ...needed, ...fields });

  const product = PRODUCTS.find((one) => one.tool === tool)!;
  const urls = Object.fromEntries(Object.keys(needed).map((name) => [name, attached.download_url]));
  product.accept({ ...urls, ...fields }, "json");
});

test.each(PRODUCTS)("$tool: every field and every template is in one of them", ({ tool, schemas }) => {
  const own = calls.filter((call) => call.tool === tool).map(({ fields }) => fields);
  const shared = calls.map(({ fields }) => fields);
  for (const name of Object.keys(schemas.json.shape))
    expect([name, shared.some((fields) => name in fields)]).toEqual([name, true]);
  const { template } = schemas.json.shape;
  const names = template instanceof z.ZodDefault ? (template.unwrap() as z.ZodEnum).options : [];
  for (const name of names) expect(own.map((fields) => fields.template)).toContain(name);
});

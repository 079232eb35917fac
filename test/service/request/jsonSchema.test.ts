import { expect, test } from "vitest";
import * as z from "zod";
import { jsonSchema } from "../../../src/service/request/jsonSchema.ts";
import { result } from "../../../src/service/request/schemas.ts";
import { PRODUCTS } from "../../../src/service/sale/products.ts";

const published = PRODUCTS.map(({ tool, schemas, example }) => ({
  tool,
  example,
  schema: jsonSchema(schemas.json, { io: "input" }),
}));

test("the schema of each request field has examples that match the schema", () => {
  for (const { tool, example, schema } of published) {
    const parsed = z.fromJSONSchema(schema as never);
    parsed.parse(example);
    for (const [field, property] of Object.entries(schema.properties!)) {
      const { examples, enum: names } = property as { examples?: unknown[]; enum?: string[] };
      if (field === "password") continue; // Agents would send an example as the password.
      const values = examples ?? names;
      expect([tool, field, values]).toEqual([tool, field, expect.arrayContaining([expect.anything()])]);
      for (const value of values!) parsed.parse({ ...example, [field]: value });
    }
  }
});

test("request schemas contain only regular expressions that work in every programming language", () => {
  const patterns = [...JSON.stringify(published).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, json]) =>
    JSON.parse(json!),
  );
  expect(patterns.length).toBeGreaterThan(3);
  for (const pattern of patterns) {
    // Rejects Unicode properties, lookaround, inline flags and named groups.
    expect(pattern).not.toMatch(/\\p\{|\(\?(?!:)|\(\?<|\\u/);
    for (const flags of ["", "u"]) new RegExp(pattern, flags);
  }
  const { color } = published[0]!.schema.properties as Record<string, { pattern: string }>;
  for (const value of ["#FF0000", "#ff0000"]) expect(value).toMatch(new RegExp(color!.pattern));
});

test("the schema of a date and time has a format and no pattern", () => {
  const { output } = jsonSchema(result).properties as Record<string, { properties: Record<string, object> }>;
  expect(output!.properties.expires_at).toMatchObject({ type: "string", format: "date-time" });
  expect(output!.properties.expires_at).not.toHaveProperty("pattern");
});

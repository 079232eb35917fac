import * as z from "zod";

/**
 * Converts a schema to JSON Schema (2020-12) without `$schema`. The schemas of an OpenAPI document share one dialect
 * (3.1), and older MCP clients know only their own.
 */
export function jsonSchema(schema: z.ZodType, options?: Parameters<typeof z.toJSONSchema>[1]) {
  const { $schema, ...json } = z.toJSONSchema(schema, options);
  return json;
}

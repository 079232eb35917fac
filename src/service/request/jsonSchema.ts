import * as z from "zod";

/**
 * Converts a schema to JSON Schema (2020-12) without `$schema`. `$schema` is left out for two reasons: an OpenAPI 3.1
 * document sets one dialect for all its schemas, and older MCP clients reject an unknown dialect. A text with a
 * `format` has no pattern, because zod's pattern for a date is 270 characters long.
 */
export function jsonSchema(schema: z.ZodType, options?: Parameters<typeof z.toJSONSchema>[1]) {
  const { $schema, ...json } = z.toJSONSchema(schema, { ...options, override: dropPatternOfFormat });
  return json;
}

function dropPatternOfFormat({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
}

import type * as z from "zod";
import { FIELD_KINDS, fieldKindOf } from "./fieldKinds.ts";

/**
 * Converts the text values of a form, a query or the CLI's flags to the types of the schema. A text that is not a value
 * of its type stays text, and the schema rejects it.
 */
export function typedFields(fields: unknown, schema: z.ZodObject): unknown {
  const values = { ...(fields as Record<string, unknown>) };
  for (const [name, field] of Object.entries(schema.shape)) {
    const value = values[name];
    if (typeof value === "string") values[name] = FIELD_KINDS[fieldKindOf(field)].parse(value);
  }
  return values;
}

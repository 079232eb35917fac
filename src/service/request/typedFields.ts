import * as z from "zod";

/**
 * Converts a form's text to numbers in the fields where the schema has these. Text that spells none stays as it is, so that
 * the schema refuses it.
 */
export function typedFields(fields: unknown, schema: z.ZodObject): unknown {
  const values = { ...(fields as Record<string, unknown>) };
  for (const [name, field] of Object.entries(schema.shape)) {
    const type = innermost(field as z.ZodType);
    if (type instanceof z.ZodNumber) values[name] = numberIn(values[name]);
  }
  return values;
}

function innermost(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
    ? innermost(schema.unwrap() as z.ZodType)
    : schema;
}

/** Returns the number that a text spells, or any other value unchanged. Takes no longer than a text is long, whatever it is. */
function numberIn(value: unknown): unknown {
  return typeof value === "string" && /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(value.trim())
    ? Number(value)
    : value;
}

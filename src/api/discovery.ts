import { z } from "zod";
import type { Resource } from "../payments/offer.ts";
import { PRICE } from "../payments/price.ts";
import { result } from "../schemas.ts";
import type { Endpoint } from "./watermark.ts";

/** Longer lists of words than this are left to /openapi.json. */
const MAX_WORDS = 12;

/**
 * What discovery services read of an endpoint: in version 1 the JSON Schemas of body and result, in version 2 an example of
 * both and a short schema (x402 extension "bazaar"). The latter travels in headers, both ways.
 */
export function discoveryOf({ operation, schema, example }: Endpoint): Pick<Resource, "outputSchema" | "bazaar"> {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input" });
  return {
    outputSchema: {
      input: {
        type: "http",
        method: "POST",
        discoverable: true,
        bodyType: "json",
        bodyFields: fieldsOf(properties, required),
      },
      output: z.toJSONSchema(result),
    },
    bazaar: {
      info: {
        input: { type: "http", method: "POST", bodyType: "json", body: example },
        output: {
          type: "json",
          example: {
            output: {
              url: "https://example.com/v1/files/496523-0f.pdf?token=5c",
              expires_at: "2026-11-22T09:00:00.000Z",
              pages: 4,
              bytes: 18211,
            },
            operation,
            cost: PRICE.label,
          },
        },
      },
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        required: ["input"],
        properties: {
          input: {
            type: "object",
            required: ["type", "method", "bodyType", "body"],
            additionalProperties: false,
            properties: {
              type: { const: "http" },
              method: { enum: ["POST"] },
              bodyType: { enum: ["json", "form-data"] },
              body: {
                type: "object",
                required,
                properties: Object.fromEntries(
                  Object.entries(properties).map(([name, property]) => [name, brief(property as object)]),
                ),
              },
            },
          },
          output: { type: "object", required: ["type"], properties: { type: { type: "string" } } },
        },
      },
    },
  };
}

function fieldsOf(properties: object, required: string[]): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, { ...property, required: required.includes(name) }]),
  );
}

/** A field's schema without its prose and its longest rules. */
function brief(property: object): object {
  return Object.fromEntries(
    Object.entries(property).filter(
      ([key, value]) =>
        ["type", "enum", "minimum", "maximum", "exclusiveMinimum", "maxLength", "default"].includes(key) &&
        !(Array.isArray(value) && value.length > MAX_WORDS),
    ),
  );
}

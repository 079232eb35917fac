import * as z from "zod";
import type { Resource } from "../payments/offer.ts";
import type { Price } from "../payments/price.ts";
import type { Product } from "./products.ts";
import { type Operation, result } from "./schemas.ts";

/** Enums with more values than this are only in the full description. */
const MAX_WORDS = 12;

/**
 * What discovery services read about a product: in version 1 `outputSchema`; in version 2 an example of input and
 * output with a short schema (x402 extension "bazaar"). The latter is sent with the offer, over HTTP in a header, and
 * returned with the payment; all fields are in the former, and in /openapi.json, which the header `Link` names.
 */
type Discovery = Pick<Resource, "outputSchema" | "bazaar">;

/** Describes a product as an HTTP endpoint that takes JSON. */
export function httpDiscovery({ operation, schemas, example }: Product, price: Price): Discovery {
  const described = z.toJSONSchema(schemas.json, { io: "input" });
  return {
    outputSchema: {
      input: {
        type: "http",
        method: "POST",
        discoverable: true,
        bodyType: "json",
        bodyFields: fieldsOf(described),
      },
      output: z.toJSONSchema(result),
    },
    bazaar: {
      info: {
        input: { type: "http", method: "POST", bodyType: "json", body: example },
        output: outputOf(operation, price),
      },
      schema: infoSchema({
        required: ["type", "method", "bodyType", "body"],
        properties: {
          type: { const: "http" },
          method: { enum: ["POST"] },
          bodyType: { enum: ["json", "form-data"] },
          body: { type: "object", required: described.required },
        },
      }),
    },
  };
}

/** Describes a product as an MCP tool. */
export function mcpDiscovery({ operation, tool, summary, schemas, example }: Product, price: Price): Discovery {
  const input = { type: "mcp", tool, description: summary, transport: "streamable-http", example };
  return {
    outputSchema: { input: { type: "mcp", tool, discoverable: true } },
    bazaar: {
      info: {
        input: { ...input, inputSchema: briefSchema(z.toJSONSchema(schemas.json, { io: "input" })) },
        output: outputOf(operation, price),
      },
      schema: infoSchema({
        required: ["type", "tool", "inputSchema"],
        properties: {
          type: { const: "mcp" },
          tool: { const: tool },
          description: { type: "string" },
          transport: { enum: ["streamable-http"] },
          inputSchema: { type: "object" },
          example: { type: "object" },
        },
      }),
    },
  };
}

function outputOf(operation: Operation, price: Price) {
  return {
    type: "json",
    example: {
      output: {
        url: "https://example.com/v1/files/496523-0f.pdf?token=5c",
        expires_at: "2026-11-22T09:00:00.000Z",
        pages: 4,
        bytes: 18211,
      },
      operation,
      cost: price.label,
    },
  };
}

/**
 * Returns the JSON Schema of `info`, given the part for its `input`. The draft is not named: it is always 2020-12 here, and
 * a header has little room.
 */
function infoSchema(input: { required: string[]; properties: object }) {
  return {
    type: "object",
    required: ["input"],
    properties: { input: { type: "object", ...input } },
  };
}

/** Shortens a request's schema: no descriptions, patterns or long enums. */
function briefSchema({ properties = {}, required = [] }: z.core.JSONSchema.BaseSchema) {
  const brief = Object.entries(properties).map(([name, property]) => [name, briefField(property as object)]);
  return { type: "object", required, properties: Object.fromEntries(brief) };
}

function fieldsOf({ properties = {}, required = [] }: z.core.JSONSchema.BaseSchema): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      { ...(property as object), required: required.includes(name) },
    ]),
  );
}

function briefField(property: object): object {
  return Object.fromEntries(
    Object.entries(property).filter(
      ([key, value]) =>
        ["type", "enum", "minimum", "maximum", "exclusiveMinimum", "maxLength", "default"].includes(key) &&
        !(Array.isArray(value) && value.length > MAX_WORDS),
    ),
  );
}

import * as z from "zod";
import type { Resource, ServiceMetadata } from "../../payments/wire/offer.ts";
import type { Price } from "../../payments/wire/price.ts";
import { type Operation, type Result, result } from "../request/schemas.ts";
import { PRODUCTS, type Product } from "../sale/products.ts";

/** Enums with more values than this are only in the full description. */
const MAX_WORDS = 12;

/**
 * What discovery services read about a product: in version 1 `outputSchema`; in version 2 an example of input and
 * output with a short schema (x402 extension "bazaar"). The latter is sent with the offer, over HTTP in a header, and
 * returned with the payment; all fields are in the former, and in /openapi.json, which the header `Link` names.
 */
type Discovery = Pick<Resource, "outputSchema" | "bazaar">;

/** Where the service's icon is. */
export const ICON = "/favicon.svg";

/** Where a service says what it sells, for those who look there. */
export const WELL_KNOWN = "/.well-known/x402";

/** Returns what indexes show of this service. */
export function serviceMetadata(origin: string): ServiceMetadata {
  return { serviceName: "Overprint", tags: ["pdf", "watermark", "stamp", "logo"], iconUrl: origin + ICON };
}

/** Returns the document at {@link WELL_KNOWN}: the addresses that answer 402, and what to know before calling. */
export function wellKnown(origin: string, instructions: string) {
  return { version: 1, resources: PRODUCTS.map(({ path }) => origin + path), instructions };
}

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
        output: { type: "json", example: resultExample(operation, price) },
      },
      schema: infoSchema({
        required: ["type", "method", "bodyType", "body"],
        properties: {
          type: { const: "http" },
          method: { enum: ["POST"] },
          bodyType: { const: "json" },
          body: { type: "object", required: described.required },
        },
      }),
    },
  };
}

/** Describes a product as an MCP tool. */
export function mcpDiscovery({ operation, tool, summary, schemas, example }: Product, price: Price): Discovery {
  const input = { type: "mcp", toolName: tool, description: summary, transport: "streamable-http", example };
  return {
    outputSchema: { input: { type: "mcp", toolName: tool, discoverable: true } },
    bazaar: {
      info: {
        input: { ...input, inputSchema: briefSchema(z.toJSONSchema(schemas.json, { io: "input" })) },
        output: { type: "json", example: resultExample(operation, price) },
      },
      schema: infoSchema({
        required: ["type", "toolName", "inputSchema"],
        properties: {
          type: { const: "mcp" },
          toolName: { const: tool },
          description: { type: "string" },
          transport: { enum: ["streamable-http"] },
          inputSchema: { type: "object" },
          example: { type: "object" },
        },
      }),
    },
  };
}

/** Returns what a paid call of an operation is answered with, for instance. */
export function resultExample(operation: Operation, price: Price): Result {
  return {
    output: {
      url: "https://example.com/v1/files/0f.pdf?token=5c",
      expires_at: "2026-11-22T09:00:00.000Z",
      pages: 4,
      bytes: 18211,
    },
    operation,
    cost: price.label,
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
    properties: { input: { type: "object", ...input }, output: { properties: { example: { type: "object" } } } },
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

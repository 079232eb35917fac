import * as z from "zod";
import type { Resource } from "../../payments/wire/offer.ts";
import type { Price } from "../../payments/wire/price.ts";
import type { Config } from "../../settings/config.ts";
import { jsonSchema } from "../request/jsonSchema.ts";
import { oncePerConfig } from "../request/oncePerConfig.ts";
import { type Operation, type Result, result } from "../request/schemas.ts";
import { PRODUCTS, type Product } from "../sale/products.ts";
import { serviceMetadata } from "../sale/serviceMetadata.ts";
import { publishedLinks } from "./catalogs.ts";

/** Maximum number of enum values in the short description. The full description lists all values. */
const MAX_WORDS = 12;

/**
 * Descriptions of a product for discovery services. Services for x402 version 1 read `outputSchema`. Services for
 * version 2 read an example of input and output with a short schema (x402 extension "bazaar"). This extension must be
 * short: over HTTP, the offer carries it in a header, and the client sends it back with the payment. All fields are
 * described in `outputSchema` and in /openapi.json, to which the header `Link` points.
 */
type Discovery = Pick<Resource, "outputSchema" | "bazaar">;

/** Path of the list of paid endpoints. Indexes look for the list at this path. */
export const WELL_KNOWN = "/.well-known/x402";

/** Returns the document at {@link WELL_KNOWN}: the paid endpoints, the paid MCP tools, and instructions. */
export function wellKnown(origin: string, instructions: string, config: Config) {
  return {
    version: 1,
    resources: PRODUCTS.map(({ path }) => origin + path),
    mcp: { url: `${origin}/mcp`, tools: PRODUCTS.map(({ tool }) => tool) },
    instructions,
    links: publishedLinks(origin, config),
  };
}

const httpDiscoveries = oncePerConfig(() => new Map<Product, Discovery>());

/** Returns the HTTP endpoint of a product as the resource that a payment names. */
export function httpResource(product: Product, origin: string, config: Config): Resource {
  const known = httpDiscoveries(config);
  const discovery = known.get(product) ?? httpDiscovery(product, product.price(config));
  known.set(product, discovery);
  return {
    url: origin + product.path,
    description: product.summary,
    ...discovery,
    service: serviceMetadata(origin),
  };
}

/** Describes a product as an HTTP endpoint that accepts JSON. */
function httpDiscovery({ operation, schemas, example }: Product, price: Price): Discovery {
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
      output: jsonSchema(result),
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

/** Returns an example of the answer to a paid call of an operation. */
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
 * Returns the JSON Schema of `info` with the given properties of its `input`. The schema omits `$schema`, because its
 * draft is always 2020-12 and a header has little room.
 */
function infoSchema(input: { required: string[]; properties: object }) {
  return {
    type: "object",
    required: ["input"],
    properties: { input: { type: "object", ...input }, output: { properties: { example: { type: "object" } } } },
  };
}

/** Shortens a request's schema by leaving out descriptions, patterns and long enums. */
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

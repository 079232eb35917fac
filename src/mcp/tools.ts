import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Resource } from "../payments/offer.ts";
import type { Price } from "../payments/price.ts";
import { mcpDiscovery, serviceMetadata } from "../service/discovery.ts";
import { IDEMPOTENCY_META } from "../service/idempotencyKey.ts";
import { oncePerConfig } from "../service/oncePerConfig.ts";
import { PRODUCTS, type Product } from "../service/products.ts";
import { output } from "./results.ts";

/** A product as an MCP tool: its definition for clients, and the resource to pay for. */
export interface Tool {
  product: Product;
  shown: ReturnType<typeof shownOf>;
  /** Returns what is paid for, at an origin: tools are listed by their server's endpoint (x402 extension "bazaar"). */
  resource(origin: string): Resource;
}

/** Returns every product as a tool, at this deployment's price. */
export const toolsFor = oncePerConfig((config): Tool[] =>
  PRODUCTS.map((product) => {
    const price = product.price(config);
    const discovery = mcpDiscovery(product, price);
    const resource = (origin: string) => ({
      url: `${origin}/mcp`,
      description: product.summary,
      ...discovery,
      service: serviceMetadata(origin),
    });
    return { product, shown: shownOf(product, price), resource };
  }),
);

const paying = ({ label }: Price) =>
  `Costs ${label}, paid with x402: a call without payment answers with the terms; sign them and call again, the payment in _meta["x402/payment"]. A call that fails is not charged. With a UUID in _meta["${IDEMPOTENCY_META}"] a repeated call is charged once.`;

function shownOf({ summary, description, schemas }: Product, price: Price) {
  return {
    title: summary,
    description: `${description} ${paying(price)}`,
    inputSchema: advertised(schemas.json),
    outputSchema: advertised(output),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  };
}

/**
 * Returns a schema for clients to see. Nothing is validated against it here: the service checks the arguments, of what
 * is paid for once a payment has come, with the same messages as over HTTP. It omits `$schema` because older clients know only their own
 * dialect.
 */
export function advertised(schema: z.ZodType): StandardSchemaWithJSON {
  const { $schema, ...json } = z.toJSONSchema(schema, { io: "input" });
  return {
    "~standard": {
      version: 1,
      vendor: "overprint",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { PaymentError } from "../payments/wire/errors.ts";
import type { Resource } from "../payments/wire/offer.ts";
import type { Price } from "../payments/wire/price.ts";
import { toolPaymentMeta } from "../payments/wire/renderings.ts";
import { mcpDiscovery } from "../service/about/discovery.ts";
import { IDEMPOTENCY_META } from "../service/request/idempotencyKey.ts";
import { jsonSchema } from "../service/request/jsonSchema.ts";
import { oncePerConfig } from "../service/request/oncePerConfig.ts";
import type { Exchange } from "../service/sale/callContext.ts";
import { PRODUCTS, type Product } from "../service/sale/products.ts";
import { offerFor } from "../service/sale/purchase.ts";
import { serviceMetadata } from "../service/sale/serviceMetadata.ts";
import { fileParams, fileSchema } from "./files.ts";
import { output } from "./results.ts";

/** A product as an MCP tool: its definition for clients, and the resource that its payments name. */
export interface Tool {
  product: Product;
  shown: ReturnType<typeof shownOf>;
  /** Returns the resource that a payment names. Its URL is the MCP endpoint of `origin` (x402 extension "bazaar"). */
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

/** Returns the definition of a tool with its terms, if the deployment can sell to the sender of the request. */
export function withPrice({ product, shown, resource }: Tool, exchange: Exchange) {
  if (!exchange.config.selling) return shown;
  try {
    const offer = offerFor(product, resource(new URL(exchange.request.url).origin), exchange);
    return { ...shown, _meta: { ...shown._meta, ...toolPaymentMeta(offer) } };
  } catch (error) {
    if (error instanceof PaymentError) return shown; // the answer to a call explains why nothing is sold
    throw error;
  }
}

const paying = ({ label }: Price) =>
  `Costs ${label}, paid with x402. Call without a payment to get the terms, sign them, and call again with the payment in _meta["x402/payment"]. A failed call is not charged. Send a UUID in _meta["${IDEMPOTENCY_META}"] so that a repeated call is charged once.`;

function shownOf(product: Product, price: Price) {
  const { summary, description, schemas } = product;
  return {
    title: summary,
    description: `${description} ${paying(price)}`,
    inputSchema: advertised(inputOf(product)),
    outputSchema: advertised(jsonSchema(output, { io: "input" })),
    annotations: {
      title: summary,
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false, // a call with the same arguments may be another sale after ten minutes
      openWorldHint: true,
    },
    _meta: { "openai/fileParams": fileParams(schemas.json) },
  };
}

/** Returns the schema of a tool's arguments, with an example call. */
function inputOf({ schemas, example }: Product) {
  const schema = jsonSchema(schemas.json, { io: "input" });
  const files = fileParams(schemas.json).map((name) => [name, fileSchema(name, schema.properties?.[name] as object)]);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(files) }, examples: [example] };
}

/**
 * Returns a schema that is only shown to clients. The SDK does not validate with it: the service validates the
 * arguments, with the same messages as over HTTP. It validates the arguments of a paid tool only after the payment is
 * verified.
 */
export function advertised(json: Record<string, unknown>): StandardSchemaWithJSON {
  return {
    "~standard": {
      version: 1,
      vendor: "overprint",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

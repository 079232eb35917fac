import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { PaymentError } from "../payments/wire/errors.ts";
import type { Resource } from "../payments/wire/offer.ts";
import type { Price } from "../payments/wire/price.ts";
import { toolPaymentMeta } from "../payments/wire/renderings.ts";
import { mcpDiscovery } from "../service/about/discovery.ts";
import { oncePerConfig } from "../service/request/oncePerConfig.ts";
import { result } from "../service/request/schemas.ts";
import type { Exchange } from "../service/sale/callContext.ts";
import { PRODUCTS, type Product } from "../service/sale/products.ts";
import { offerFor } from "../service/sale/purchase.ts";
import { serviceMetadata } from "../service/sale/serviceMetadata.ts";
import { fileParams } from "./files.ts";
import { terms } from "./results.ts";
import { argumentsOf, resultOf, withAttachments } from "./toolSchemas.ts";

/** A product as an MCP tool: the tool's definition for clients, and the resource that a payment for the tool names. */
export interface Tool {
  product: Product;
  shown: ReturnType<typeof shownOf>;
  /**
   * Returns the resource that a payment names. The URL of the resource is the MCP endpoint of `origin` (x402 extension
   * "bazaar").
   */
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

/**
 * Returns the definition of a tool as the client of this request sees it. Contains the payment terms if the deployment
 * can sell for this request. Declares file arguments as objects if the request comes from a host that sends attached
 * files as objects.
 */
export function shownTo(exchange: Exchange, { product, shown: common, resource }: Tool) {
  const shown = sendsAttachments(exchange.request) ? withFileObjects(common, product) : common;
  if (!exchange.config.selling) return shown;
  try {
    const offer = offerFor(product, resource(new URL(exchange.request.url).origin), exchange);
    return { ...shown, _meta: { ...shown._meta, ...toolPaymentMeta(offer) } };
  } catch (error) {
    // lists the tool without a price; the answer to a call explains why nothing is sold
    if (error instanceof PaymentError) return shown;
    throw error;
  }
}

/**
 * Returns whether a request comes from a host that sends an object for an attached file. Only ChatGPT is known to do
 * so. ChatGPT identifies itself in the User-Agent header.
 */
function sendsAttachments({ headers }: Request): boolean {
  return /\bopenai-mcp\b/i.test(headers.get("User-Agent") ?? "");
}

function withFileObjects(shown: Tool["shown"], { schemas }: Product): Tool["shown"] {
  const names = fileParams(schemas.json);
  const inputSchema = advertised(withAttachments(argumentsOf(schemas.json), names));
  return { ...shown, inputSchema, _meta: { "openai/fileParams": names } };
}

const paying = ({ label }: Price) =>
  `Costs ${label}, paid with x402: a call without a payment returns the terms. A failed call is not charged.`;

function shownOf(product: Product, price: Price) {
  const { summary, description, schemas } = product;
  return {
    title: summary,
    description: `${description} ${paying(price)}`,
    inputSchema: advertised(argumentsOf(schemas.json)),
    outputSchema: advertised(resultOf(result, terms)),
    // all other hints keep their defaults, because a call pays and fetches files
    annotations: { destructiveHint: false },
    _meta: {} as Record<string, unknown>,
  };
}

/**
 * Returns a schema that is only shown to clients. The SDK does not validate with this schema: the service validates the
 * arguments, with the same messages as over HTTP. The arguments of a paid tool are validated only after the payment is
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

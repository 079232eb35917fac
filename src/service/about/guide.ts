import * as z from "zod";
import { IMAGE_POSITIONS, TEMPLATES } from "../../engine/index.ts";
import type { Config } from "../../settings/config.ts";
import { limitsOf } from "../limits/limits.ts";
import { IDEMPOTENCY_KEY, IDEMPOTENCY_META } from "../request/idempotencyKey.ts";
import { UPLOADS_PATH } from "../request/uploads.ts";
import { PRODUCTS, type Product, priceLabel } from "../sale/products.ts";
import { SIGN_IN } from "../sale/signIn.ts";

/** Describes the service in one line, for agents, registries and clients. */
export function summaryOf(config: Config): string {
  return `Watermarks PDFs: a text or an image over every page. ${priceLabel(config)} a call, paid with x402.`;
}

/** Returns what can be read for free before paying, as data: templates, positions, limits and price. */
export function options(config: Config) {
  return {
    price: { label: priceLabel(config), networks: config.networks.map(({ name }) => name) },
    templates: Object.fromEntries(Object.entries(TEMPLATES).map(([name, { description }]) => [name, description])),
    positions: IMAGE_POSITIONS,
    limits: limitsOf(config),
  };
}

/** Returns how to call and how to pay, as Markdown: the part of {@link guide} that no schema says. */
export function guidance(origin: string, config: Config): string {
  const { limits, price } = options(config);
  return `## Calling

- HTTP: described by ${origin}/openapi.json. Bodies are JSON, multipart/form-data, or the PDF itself (application/pdf) with
  the other fields in the query.
- MCP (streamable HTTP): ${origin}/mcp

The answer has a link to the marked PDF. The link works for ${limits.link_seconds} seconds and needs no key.

## Files without a URL

POST ${origin}${UPLOADS_PATH} with {"name", "size", "type": "pdf" or "image"}, or the MCP tool request_upload, both free: the answer
has a \`handle\` (upload:…), and where to send the file, once, by PUT (\`curl\` is the command; a person can open the URL in a
browser and choose the file). \`file\` and \`image\` take the handle, any number of times, for ${limits.upload_seconds} seconds.
Free files have at most ${limits.upload_free_bytes} bytes, and an address has ${limits.uploads} of them at the same time; for
larger ones, or more, send a payment along: it is verified, not settled, and good for the call that follows.

## Paying

Call without a payment: the answer (402 over HTTP, an error with the terms over MCP) says what to sign. Call again with the
same fields and the payment: over HTTP in the header PAYMENT-SIGNATURE (x402 version 2) or X-PAYMENT (version 1), over MCP in
\`_meta["x402/payment"]\`. Networks: ${price.networks.join(", ")}.

A call that fails is not charged, and its payment can be used again. Send a key that nobody can guess, such as a UUID, with
each call you pay for: over HTTP in the header ${IDEMPOTENCY_KEY}, over MCP in \`_meta["${IDEMPOTENCY_META}"]\`. After a lost
answer, or a code that says to try again, repeat the call with the same key and fields: it is charged once, even with a payment
that is signed anew, and gives the same result. Without its key, a payment that was settled gives nothing any more, as it is
public by then; GET ${origin}/v1/purchases lists the links that a payer has bought, for the payer's signature (${SIGN_IN}).
`;
}

/** Returns the instructions for a model that uses the service, as Markdown: `/llms.txt` and the MCP server's guide. */
export function guide(origin: string, config: Config): string {
  const { templates, positions, limits } = options(config);
  return `# Overprint

> ${summaryOf(config)} No account, no API key.

${guidance(origin, config)}
${PRODUCTS.map((product) => section(product, config)).join("\n\n")}

## Templates

${list(templates)}

## Positions

${positions.join(", ")}; for text also diagonal.

## Limits

${list(limits)}
`;
}

function section({ summary, path, tool, schemas, price }: Product, config: Config): string {
  const { properties = {}, required = [] } = z.toJSONSchema(schemas.json, { io: "input" });
  const fields = Object.entries(properties).map(([name, property]) => {
    const { description, default: fallback } = property as { description?: string; default?: unknown };
    const need = required.includes(name) ? " (required)" : fallback === undefined ? "" : ` (default ${fallback})`;
    return [`${name}${need}`, name === "template" ? "See Templates." : description];
  });
  return `## ${summary}\n\nPOST ${path}, or the MCP tool ${tool}: ${price(config).label}\n\n${list(Object.fromEntries(fields))}`;
}

function list(entries: object): string {
  return Object.entries(entries)
    .map(([name, value]) => `- ${name}: ${value}`)
    .join("\n");
}

import * as z from "zod";
import { IMAGE_POSITIONS, TEMPLATES } from "../../engine/index.ts";
import type { Config } from "../../settings/config.ts";
import { IDEMPOTENCY_KEY, IDEMPOTENCY_META } from "../request/idempotencyKey.ts";
import { UPLOADS_PATH } from "../request/uploads.ts";
import { PRODUCTS, type Product, priceLabel } from "../sale/products.ts";
import { QUOTES_PATH } from "../sale/quoteSchemas.ts";
import { takesMpp } from "../sale/sentPayments.ts";
import { SIGN_IN } from "../sale/signIn.ts";
import { limitsOf } from "./limits.ts";

/** Describes the service in one line, for agents, registries and clients. */
export function summaryOf(config: Config): string {
  return `Watermarks PDFs: puts a text or an image on every page. ${priceLabel(config)} per call, paid with x402.`;
}

/** Returns the free information about the service as data: templates, positions, limits and price. */
export function options(config: Config) {
  return {
    price: { label: priceLabel(config), networks: config.networks.map(({ name }) => name) },
    templates: Object.fromEntries(Object.entries(TEMPLATES).map(([name, { description }]) => [name, description])),
    positions: IMAGE_POSITIONS,
    limits: limitsOf(config),
  };
}

/** The sentences about MPP, for deployments that accept MPP payments. */
const MPP_NOTE = `Clients of MPP (the HTTP authentication scheme
Payment) answer a challenge in WWW-Authenticate of the 402 with the header Authorization, over HTTP only. `;

/** The paragraph about payment channels, for deployments that offer them. */
const CHANNEL_GUIDANCE = `
For many calls, pay through a channel (scheme batch-settlement in the terms): deposit once, then sign a voucher for each call.
This saves a second or two per call. GET /v1/channel refunds the rest.
`;

/** Returns instructions for calling and paying as Markdown: the part of {@link guide} that no schema contains. */
export function guidance(origin: string, config: Config): string {
  const { limits, price } = options(config);
  return `## Calling

- HTTP: ${origin}/openapi.json describes it. Bodies are JSON, forms, or the PDF itself (application/pdf) with the other
  fields in the query.
- MCP (streamable HTTP): ${origin}/mcp

The answer has a link to the marked PDF. The link works for ${limits.link_seconds} seconds and needs no key.

## Files without a URL

POST ${origin}${UPLOADS_PATH} with {"name", "size", "type": "pdf" or "image"}, or call the MCP tool request_upload. The
answer has a \`handle\` (upload:…) and a URL. Send the file there once by PUT (the field \`curl\` has the command), or open the URL in a browser
and choose the file. Use the handle as \`file\` or \`image\`, any number of times, for ${limits.upload_seconds} seconds. Uploads are free for files
of at most ${limits.upload_free_bytes} bytes, and for at most ${limits.uploads} uploads of an address at a time. For larger files, or more uploads,
send a payment along: it is verified, not settled, and you can use it for the call that follows. State the size. Above ${limits.upload_part_bytes}
bytes, the answer also has URLs for parts: PUT each part, then POST to \`parts.complete\`.

## Let a person pay

If you cannot pay, call the MCP tool request_payment_link (or POST ${origin}${QUOTES_PATH}) with {"tool", "arguments"}. It is free, and
returns the \`url\` of a page where a person pays with a wallet, and a secret \`claim\`. Then get_result (or GET
${origin}${QUOTES_PATH}/<claim>) returns the result. Name files by URL or upload handle. A link works for ${limits.payment_link_seconds} seconds.

## Paying

Call without a payment first. The answer (402 over HTTP, an error with the terms over MCP) says what to sign. Then repeat the
call with the same fields and the payment: over HTTP in the header PAYMENT-SIGNATURE (x402 version 2) or X-PAYMENT (version 1),
over MCP in \`_meta["x402/payment"]\`. The packages @x402/fetch and @x402/axios (npm) and x402 (PyPI) do both. ${takesMpp(config) ? MPP_NOTE : ""}Price: ${price.label} per call. Networks: ${price.networks.join(", ")}.

A failed call is not charged, and you can use its payment again. With each paid call, send an idempotency key that cannot be
guessed, such as a UUID: over HTTP in the header ${IDEMPOTENCY_KEY}, over MCP in \`_meta["${IDEMPOTENCY_META}"]\`. After a lost answer,
or a code that says to try again, repeat the call with the same key and fields. It is charged once, even with a newly signed
payment, and returns the same result. ${config.defaultKey ? "Without a key, this holds for ten minutes. " : ""}Without its key, a settled payment returns nothing, because the payment is public. GET
${origin}/v1/purchases lists the links that a payer has bought, if the payer signs in (${SIGN_IN}).
${config.channels && config.channels.chains.length > 0 ? CHANNEL_GUIDANCE : ""}`;
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

${usableLimits(limits)}

GET ${origin}/v1/limits has all limits.
`;
}

/** Lists the limits that a caller can act on, with units. */
function usableLimits(limits: ReturnType<typeof limitsOf>): string {
  const lines = [
    `A PDF has at most ${size(limits.file_bytes)} and ${limits.file_pages} pages. In a form or as the body, it has at most ${size(limits.form_bytes)}.`,
    `A JSON body or an MCP message has at most ${size(limits.json_bytes)}. An MCP message without a payment has at most ${size(limits.mcp_unpaid_bytes)}.`,
    `An image has at most ${size(limits.image_bytes)} and ${limits.image_pixels / 1e6} megapixels.`,
    `A text has at most ${limits.text_characters} characters, and a file name ${limits.filename_characters}.`,
    `A URL must deliver its file within ${limits.fetch_seconds} seconds, after at most ${limits.fetch_redirects} redirects, on port ${limits.fetch_ports.join(" or ")}.`,
    `A call takes at most ${limits.work_seconds} seconds before its payment is settled.`,
    `A payer can use ${limits.payer_calls} payments at a time. An address gets at most ${limits.unpaid_calls_per_minute} answers with terms a minute.`,
  ];
  return lines.map((line) => `- ${line}`).join("\n");
}

/** Writes a number of bytes with its unit, such as `1 GB` or `262 KB`. */
function size(bytes: number): string {
  const [unit, name] = bytes >= 1e9 ? [1e9, "GB"] : bytes >= 1e6 ? [1e6, "MB"] : [1e3, "KB"];
  return `${Math.floor((10 * bytes) / unit) / 10} ${name}`;
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

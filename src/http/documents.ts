/** Handlers of the documents that describe the service: pages, guides and discovery files. */
import type { Context, Handler } from "hono";
import { developmentKey } from "../payments/facilitators/facilitators.ts";
import { API_CATALOG_TYPE, apiCatalog, mcpCatalog, securityTxt, sitemap } from "../service/about/catalogs.ts";
import { didDocument } from "../service/about/didDocument.ts";
import { wellKnown } from "../service/about/discovery.ts";
import { guidance, guide } from "../service/about/guide.ts";
import { limits, limitsOf } from "../service/about/limits.ts";
import { oncePerOrigin } from "../service/request/oncePerConfig.ts";
import { signsProof } from "../service/request/ownHosts.ts";
import { PRODUCTS, priceLabel } from "../service/sale/products.ts";
import type { Config } from "../settings/config.ts";
import { isLoopback } from "../shared/net/loopback.ts";
import { ChangelogPage, type ChangelogRelease } from "../site/changelogPage.tsx";
import { Connect } from "../site/connect.tsx";
import { Docs } from "../site/docs.tsx";
import { ErrorsPage, type Explanation } from "../site/errorsPage.tsx";
import { Home } from "../site/home.tsx";
import { LimitsPage } from "../site/limitsPage.tsx";
import { CALLING_POLICY, pagePolicy, READING_POLICY, SCRIPT_POLICY } from "../site/policies.ts";
import type { ApiReference } from "../site/reference.ts";
import { RetentionPage, type RetentionSection } from "../site/retentionPage.tsx";
import { robots } from "../site/robots.ts";
import type { ApiEnv } from "./environment.ts";
import { notFound } from "./errors.ts";
import { openapi } from "./openapi/document.ts";
import { accepted, sendPage } from "./page.ts";

// The OpenAPI document and the API reference take milliseconds to build and are polled, so they are cached per origin.
const description = oncePerOrigin(openapi);
const descriptionJson = oncePerOrigin((origin, config) => JSON.stringify(description(origin, config)));
const docs = oncePerOrigin((origin, config) => String(Docs({ ...referenceOf(origin, config) })));

function referenceOf(origin: string, config: Config) {
  // the part of the OpenAPI document that the page uses
  const reference = description(origin, config) as object as ApiReference;
  return { reference, links: config.links };
}

/**
 * The free tools of the MCP server. The list is here because the MCP server itself is loaded only for requests to it.
 */
const FREE_TOOLS = [
  { name: "request_upload", summary: "Request upload of a local file", isFree: true },
  { name: "request_payment_link", summary: "Request a page where a person pays for a call", isFree: true },
  { name: "get_result", summary: "Get the result of a call that a person has paid for", isFree: true },
];

const originOf = (c: Context<ApiEnv>) => new URL(c.req.url).origin;

/** Shows the home page to browsers, and the guide in text or Markdown to other clients. */
export const showHome: Handler<ApiEnv> = (c) => {
  const { config } = c.var;
  const origin = originOf(c);
  c.header("Vary", "Accept", { append: true });
  c.header("Link", '</openapi.json>; rel="service-desc"'); // RFC 8631: the link to the API description
  const type = accepted(c, ["text/plain", "text/html", "text/markdown"]);
  if (type !== "text/html") return c.body(guide(origin, config), 200, { "Content-Type": `${type}; charset=UTF-8` });

  const page = Home({ origin, config, developmentKey: developmentKey(config, isLoopback(c.req.raw)) });
  return sendPage(c, page, pagePolicy(config.fileHost));
};

/** Shows a browser how to connect an agent to the MCP endpoint. Passes all other requests on. */
export const showConnect: Handler<ApiEnv> = async (c, next) => {
  if (accepted(c, ["text/event-stream", "text/html"]) !== "text/html") return next();
  const { config } = c.var;
  c.header("Vary", "Accept", { append: true });
  const page = Connect({
    endpoint: `${originOf(c)}/mcp`,
    price: priceLabel(config),
    tools: [...PRODUCTS.map(({ tool: name, summary }) => ({ name, summary, isFree: false })), ...FREE_TOOLS],
    links: config.links,
  });
  return sendPage(c, page, SCRIPT_POLICY);
};

/** Sends the guide for language models (`/llms.txt`). */
export const sendGuide: Handler<ApiEnv> = (c) => c.text(guide(originOf(c), c.var.config));

/** Shows the API reference. On loopback in development, the page can call paid operations. */
export const showDocs: Handler<ApiEnv> = (c) => {
  const { config } = c.var;
  const key = developmentKey(config, isLoopback(c.req.raw));
  if (key === undefined) return sendPage(c, docs(originOf(c), config), SCRIPT_POLICY);
  return sendPage(c, Docs({ ...referenceOf(originOf(c), config), developmentKey: key }), CALLING_POLICY);
};

/** Shows every error code with its cause and remedy. */
export const showErrors: Handler<ApiEnv> = async (c) => {
  const file = await c.env.ASSETS.fetch(new URL("/assets/errors.json", c.req.url));
  const explanations = await file.json<Explanation[]>();
  return sendPage(c, ErrorsPage({ explanations, links: c.var.config.links }), READING_POLICY);
};

/** Shows every limit of this deployment. */
export const showLimits: Handler<ApiEnv> = (c) => {
  const { config } = c.var;
  const { shape } = limits();
  const shown = Object.entries(limitsOf(config)).map(([name, value]) => {
    const { description } = shape[name as keyof typeof shape];
    return { name, value, description };
  });
  return sendPage(c, LimitsPage({ limits: shown, links: config.links }), READING_POLICY);
};

/** Shows the data that the service stores, logs and sends to others. */
export const showRetention: Handler<ApiEnv> = async (c) => {
  const file = await c.env.ASSETS.fetch(new URL("/assets/retention.json", c.req.url));
  const sections = await file.json<RetentionSection[]>();
  const { linkTtlSeconds, links } = c.var.config;
  return sendPage(c, RetentionPage({ sections, linkTtlSeconds, links }), READING_POLICY);
};

/** Shows the changes that callers notice. */
export const showChangelog: Handler<ApiEnv> = async (c) => {
  const file = await c.env.ASSETS.fetch(new URL("/assets/changelog.json", c.req.url));
  const releases = await file.json<ChangelogRelease[]>();
  return sendPage(c, ChangelogPage({ releases, links: c.var.config.links }), READING_POLICY);
};

/** Sends the OpenAPI document. */
export const sendDescription: Handler<ApiEnv> = (c) =>
  c.body(descriptionJson(originOf(c), c.var.config), 200, { "Content-Type": "application/json" });

/** Sends every limit of this deployment. */
export const sendLimits: Handler<ApiEnv> = (c) => c.json(limitsOf(c.var.config));

/** Sends the discovery document that x402 indexes read. */
export const sendWellKnown: Handler<ApiEnv> = (c) => {
  const origin = originOf(c);
  return c.json(wellKnown(origin, guidance(origin, c.var.config), c.var.config));
};

/**
 * Sends the DID document with the keys that sign offers and receipts.
 * @throws Problem not_found if this deployment signs nothing
 */
export const sendDidDocument: Handler<ApiEnv> = async (c) => {
  const { host } = new URL(c.req.url);
  const document = signsProof(c.req.raw, c.var.config) && (await didDocument(host, c.var.config));
  return document ? c.json(document, 200, { "Content-Type": "application/did+json" }) : notFound(c);
};

/** Sends the rules for crawlers. */
export const sendRobots: Handler<ApiEnv> = (c) => c.text(robots(originOf(c)));

/** Sends the sitemap. */
export const sendSitemap: Handler<ApiEnv> = (c) =>
  c.body(sitemap(originOf(c)), 200, { "Content-Type": "application/xml" });

/** Sends the catalog of MCP servers. */
export const sendMcpCatalog: Handler<ApiEnv> = (c) => c.json(mcpCatalog(originOf(c)));

/** Sends the catalog of APIs. */
export const sendApiCatalog: Handler<ApiEnv> = (c) =>
  c.json(apiCatalog(originOf(c), c.var.config), 200, { "Content-Type": API_CATALOG_TYPE });

/**
 * Sends the security contact.
 * @throws Problem not_found if the operator has configured no contact
 */
export const sendSecurityTxt: Handler<ApiEnv> = (c) => {
  const text = securityTxt(originOf(c), c.var.config, Date.now());
  return text === undefined ? notFound(c) : c.text(text);
};

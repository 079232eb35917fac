import type { Context } from "hono";
import { HonoBase } from "hono/hono-base";
import { requestId } from "hono/request-id";
import { TrieRouter } from "hono/router/trie-router";
import { expectPlainBody, limitBody } from "./http/body.ts";
import { CHANNEL, refundChannel } from "./http/channel.ts";
import {
  sendApiCatalog,
  sendDescription,
  sendDidDocument,
  sendGuide,
  sendLimits,
  sendMcpCatalog,
  sendRobots,
  sendSecurityTxt,
  sendSitemap,
  sendWellKnown,
  showChangelog,
  showConnect,
  showDocs,
  showErrors,
  showHome,
  showLimits,
  showRetention,
} from "./http/documents.ts";
import type { ApiEnv } from "./http/environment.ts";
import { methodNotAllowed, notFound, onError } from "./http/errors.ts";
import { separateFiles } from "./http/fileHost.ts";
import { downloadFile, revokeLink } from "./http/files.ts";
import { HEALTH, health } from "./http/health.ts";
import { lingerOverBody } from "./http/linger.ts";
import { METRICS, sendMetrics } from "./http/metrics.ts";
import { OPEN_CHANNELS_PATH, operatorOnly, readChannels, readSales, SALES } from "./http/operator.ts";
import { RECORDS, receiveRecords, sendRecords } from "./http/operatorRecords.ts";
import { RESULTS, removeResults } from "./http/operatorResults.ts";
import { PURCHASES, readPurchases } from "./http/purchases.ts";
import { createPaymentLink, payQuote, readClaim, sendPreviewFile, showPayPage, withdrawClaim } from "./http/quotes.ts";
import { logRequest } from "./http/requestLog.ts";
import { crossOrigin, securityHeaders } from "./http/responseHeaders.ts";
import { revalidated } from "./http/revalidated.ts";
import { exchangeOf, refuseReading, sell } from "./http/sell.ts";
import { dropUnsettledNetworks, readSettings, refuseBlocked } from "./http/settings.ts";
import {
  completeUploadedParts,
  createUpload,
  listUploadedParts,
  receiveUploadedFile,
  receiveUploadedPart,
  showUploadPage,
} from "./http/uploads.ts";
import { serverCard } from "./mcp/serverCard.ts";
import {
  API_CATALOG,
  CHANGELOG,
  MCP_CATALOG,
  RETENTION,
  SECURITY_TXT,
  SERVER_CARD,
  SERVER_CARD_TYPE,
  SITEMAP,
} from "./service/about/catalogs.ts";
import { DID_DOCUMENT } from "./service/about/didDocument.ts";
import { WELL_KNOWN } from "./service/about/discovery.ts";
import { UPLOADS_PATH } from "./service/request/uploads.ts";
import { PRODUCTS } from "./service/sale/products.ts";
import { PAY_PATH, QUOTES_PATH } from "./service/sale/quoteSchemas.ts";
import { ICON } from "./service/sale/serviceMetadata.ts";
import { COMPLETE, PARTS } from "./service/sale/uploadParts.ts";
import { serveAsset } from "./site/assets.ts";
import { ChatView } from "./site/chatView.tsx";
import { FILES } from "./storage/link.ts";

/**
 * The Worker's routes: the middleware of all requests first, then every route. Hono's default routers would add 2 KB to
 * the script, and compile all routes for the first request of each isolate.
 */
export const app = new HonoBase<ApiEnv>({ router: new TrieRouter() });

const OPERATOR_PATHS: ReadonlySet<string> = new Set([SALES, OPEN_CHANNELS_PATH, METRICS, RESULTS, RECORDS]);

// Middleware, in the order in which it runs
app.use(requestId());
app.use(logRequest);
app.use(lingerOverBody);
app.use(securityHeaders);
// pages of other origins must not use the operator's routes
app.use((c, next) => (OPERATOR_PATHS.has(c.req.path) ? next() : crossOrigin(c, next)));
app.use(readSettings);
app.use(refuseBlocked);
app.use(separateFiles);
app.use(expectPlainBody);

const readOnly = methodNotAllowed("GET, HEAD");

// Routes of the pages and their assets
app.get("/", revalidated, dropUnsettledNetworks, showHome).all(readOnly);
app.get("/docs", revalidated, dropUnsettledNetworks, showDocs).all(readOnly);
app.get("/docs/errors", revalidated, showErrors).all(readOnly);
app.get("/docs/limits", revalidated, showLimits).all(readOnly);
app.get(CHANGELOG, revalidated, showChangelog).all(readOnly);
app.get(RETENTION, revalidated, showRetention).all(readOnly);
for (const path of ["/assets/*", "/fonts/*", ICON])
  app.get(path, (c) => serveAsset(c.req.raw, c.env.ASSETS)).all(readOnly);

// Paid calls
for (const product of PRODUCTS)
  app
    .post(product.path, dropUnsettledNetworks, limitBody, sell(product))
    .get(dropUnsettledNetworks, refuseReading(product))
    .all(methodNotAllowed("POST"));

// Routes of the uploads before a call and the results after it
app.post(UPLOADS_PATH, dropUnsettledNetworks, createUpload).all(methodNotAllowed("POST"));
app.get(`${UPLOADS_PATH}/:id`, showUploadPage).put(receiveUploadedFile).all(methodNotAllowed("GET, HEAD, PUT"));
app.get(`${UPLOADS_PATH}/:id${PARTS}`, listUploadedParts).all(readOnly);
app.put(`${UPLOADS_PATH}/:id${PARTS}/:number{[0-9]+}`, receiveUploadedPart).all(methodNotAllowed("PUT"));
app.post(`${UPLOADS_PATH}/:id${COMPLETE}`, completeUploadedParts).all(methodNotAllowed("POST"));
app.get(`${FILES}/:file`, downloadFile).delete(revokeLink).all(methodNotAllowed("GET, HEAD, DELETE"));

// Payment links
app.post(QUOTES_PATH, dropUnsettledNetworks, createPaymentLink).all(methodNotAllowed("POST"));
app.post(`${QUOTES_PATH}/:id${PAY_PATH}`, dropUnsettledNetworks, payQuote).all(methodNotAllowed("POST"));
app.post(`${QUOTES_PATH}/:id/preview/:field{file|image}`, sendPreviewFile).all(methodNotAllowed("POST"));
app.get(`${QUOTES_PATH}/:claim`, readClaim).delete(withdrawClaim).all(methodNotAllowed("GET, HEAD, DELETE"));
app.get(`${PAY_PATH}/:id`, dropUnsettledNetworks, showPayPage).all(readOnly);

// Accounts
app.get(CHANNEL, dropUnsettledNetworks, refundChannel).all(readOnly);
app.get(PURCHASES, readPurchases).all(readOnly);
app.get(SALES, operatorOnly, readSales).all(readOnly);
app.get(OPEN_CHANNELS_PATH, operatorOnly, readChannels).all(readOnly);
app.get(METRICS, operatorOnly, sendMetrics).all(readOnly);
app.get(RECORDS, operatorOnly, sendRecords).post(operatorOnly, receiveRecords).all(methodNotAllowed("GET, HEAD, POST"));
app.delete(RESULTS, operatorOnly, removeResults).all(methodNotAllowed("DELETE"));

// MCP
app.get("/mcp", showConnect);
app.all("/mcp", dropUnsettledNetworks, limitBody, serveMcpRequest);
for (const path of [SERVER_CARD, "/.well-known/mcp/server-card.json"])
  app.get(path, revalidated, sendServerCard).all(readOnly);
app.get(MCP_CATALOG, revalidated, sendMcpCatalog).all(readOnly);

// Routes of the machine-readable descriptions
app.get("/openapi.json", revalidated, dropUnsettledNetworks, sendDescription).all(readOnly);
app.get("/llms.txt", revalidated, dropUnsettledNetworks, sendGuide).all(readOnly);
app.get("/v1/limits", sendLimits).all(readOnly);
app.get(WELL_KNOWN, revalidated, dropUnsettledNetworks, sendWellKnown).all(readOnly);
app.get(API_CATALOG, revalidated, sendApiCatalog).all(readOnly);
app.get(SECURITY_TXT, sendSecurityTxt).all(readOnly);
app.get(DID_DOCUMENT, revalidated, sendDidDocument).all(readOnly);
app.get("/robots.txt", sendRobots).all(readOnly);
app.get(SITEMAP, sendSitemap).all(readOnly);
app.get(HEALTH, health).all(readOnly);

app.notFound(notFound);
app.onError(onError);

async function serveMcpRequest(c: Context<ApiEnv>): Promise<Response> {
  // The MCP server is loaded on demand. Loading takes a fifth of the start-up time, and most isolates never need it.
  const { serveMcp } = await import("./mcp/serve.ts");
  const onCall = (tool: string) => {
    c.var.facts.tool = tool;
  };
  return serveMcp(exchangeOf(c), onCall, (facts) => String(ChatView(facts)));
}

function sendServerCard(c: Context<ApiEnv>): Response {
  const card = serverCard(new URL(c.req.url).origin, c.var.config);
  return c.json(card, 200, { "Content-Type": SERVER_CARD_TYPE });
}

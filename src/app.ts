import { Hono } from "hono";
import { except } from "hono/combine";
import { cors } from "hono/cors";
import { requestId } from "hono/request-id";
import { secureHeaders } from "hono/secure-headers";
import { expectPlainBody, limitBody } from "./http/body.ts";
import type { ApiEnv } from "./http/environment.ts";
import { methodNotAllowed, notFound, onError } from "./http/errors.ts";
import { separateFiles } from "./http/fileHost.ts";
import { HEALTH, health } from "./http/health.ts";
import { lingerOverBody } from "./http/linger.ts";
import { openapi } from "./http/openapi/document.ts";
import { operatorOnly, readSales, SALES } from "./http/operator.ts";
import { accepted, sendPage } from "./http/page.ts";
import { PURCHASES, readPurchases } from "./http/purchases.ts";
import { logRequest } from "./http/requestLog.ts";
import { revalidated } from "./http/revalidated.ts";
import { exchangeOf, sell } from "./http/sell.ts";
import { leaveSettled, readSettings } from "./http/settings.ts";
import { openSlot, putFile, showSlot } from "./http/uploads.ts";
import { serverCard } from "./mcp/serverCard.ts";
import { developmentKey } from "./payments/facilitators/facilitators.ts";
import { DID_DOCUMENT, didDocument } from "./service/about/didDocument.ts";
import { ICON, WELL_KNOWN, wellKnown } from "./service/about/discovery.ts";
import { guidance, guide } from "./service/about/guide.ts";
import { limitsOf } from "./service/limits/limits.ts";
import { oncePerOrigin } from "./service/request/oncePerConfig.ts";
import { signsProof } from "./service/request/ownHosts.ts";
import { UPLOADS_PATH } from "./service/request/uploads.ts";
import { PRODUCTS } from "./service/sale/products.ts";
import { isLoopback } from "./shared/net/loopback.ts";
import { serveAsset } from "./site/assets.ts";
import { ChatView } from "./site/chatView.tsx";
import { Docs } from "./site/docs.tsx";
import { Home } from "./site/home.tsx";
import { pagePolicy, READING_POLICY } from "./site/policies.ts";
import type { ApiReference } from "./site/reference.ts";
import { ROBOTS } from "./site/robots.ts";
import { bucketOf } from "./storage/bucket.ts";
import { download } from "./storage/download.ts";
import { endLink, FILES, linkOf } from "./storage/link.ts";
import { isResultId } from "./storage/results.ts";

/** The service's middleware and routes. */
export const app = new Hono<ApiEnv>();

app.use(requestId());
app.use(logRequest);
app.use(lingerOverBody);
app.use(
  secureHeaders({
    // these speak to browsers of the past, or of pages, and a 402 has little room for headers
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    xDnsPrefetchControl: false,
    originAgentCluster: false,
    crossOriginOpenerPolicy: false,
    // CORS lets any origin read the answers; one that shows the icon of the terms has no need of it
    crossOriginResourcePolicy: "cross-origin",
  }),
);
app.use(
  except(
    SALES, // the books are for no web page
    cors({
      origin: "*",
      allowMethods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
      // no allowHeaders: whatever the pre-flight asks for is allowed. No cookies are involved, and clients add headers of
      // their own (tracing; the official x402 clients send even Access-Control-Expose-Headers)
      exposeHeaders: [
        "X-PAYMENT-RESPONSE",
        "Overprint-Notice",
        "PAYMENT-REQUIRED",
        "PAYMENT-RESPONSE",
        "X-Request-Id",
        "Retry-After",
        "ETag",
        "Accept-Ranges",
        "Content-Range",
        "Content-Length",
        "Content-Disposition",
        "Link",
        "Server-Timing",
      ],
      maxAge: 86_400,
    }),
  ),
);
app.use(readSettings);
app.use(separateFiles);
app.use(expectPlainBody);

/** What asks for a document by another method is told which there are. */
const readOnly = methodNotAllowed("GET, HEAD");

app
  .get("/", revalidated, leaveSettled, (c) => {
    const { origin } = new URL(c.req.url);
    c.header("Vary", "Accept", { append: true });
    c.header("Link", '</openapi.json>; rel="service-desc"'); // RFC 8631
    const type = accepted(c, ["text/plain", "text/html", "text/markdown"]);
    if (type !== "text/html")
      return c.body(guide(origin, c.var.config), 200, { "Content-Type": `${type}; charset=UTF-8` });
    const { config } = c.var;
    const page = Home({ origin, config, developmentKey: developmentKey(config, isLoopback(c.req.raw)) });
    return sendPage(c, page, pagePolicy(config.fileHost));
  })
  .all(readOnly);
for (const path of ["/assets/*", "/fonts/*", ICON])
  app.get(path, (c) => serveAsset(c.req.raw, c.env.ASSETS)).all(readOnly);

for (const product of PRODUCTS) {
  app.post(product.path, leaveSettled, limitBody, sell(product)).all(methodNotAllowed("POST"));
}

app
  .get(`${FILES}/:file`, (c) => {
    const link = linkOf(c.req.url);
    if (isResultId(link.id)) c.var.facts.file = link.id;
    return download(bucketOf(c.env), link, c.req.raw, Date.now);
  })
  .delete(async (c) => {
    await endLink(bucketOf(c.env), linkOf(c.req.url), Date.now);
    return c.body(null, 204);
  })
  .all(methodNotAllowed("GET, HEAD, DELETE"));

app.post(UPLOADS_PATH, leaveSettled, openSlot).all(methodNotAllowed("POST"));
app.get(`${UPLOADS_PATH}/:id`, showSlot).put(putFile).all(methodNotAllowed("GET, HEAD, PUT"));

app.get(PURCHASES, readPurchases).all(readOnly);
app.get(SALES, operatorOnly, readSales).all(readOnly);

app.all("/mcp", leaveSettled, limitBody, async (c) => {
  const { serveMcp } = await import("./mcp/serve.ts"); // a fifth of the start-up time, and most isolates never need it
  const onCall = (tool: string) => {
    c.var.facts.tool = tool;
  };
  return serveMcp(exchangeOf(c), onCall, (facts) => String(ChatView(facts)));
});
app
  .get("/.well-known/mcp/server-card.json", revalidated, (c) =>
    c.json(serverCard(new URL(c.req.url).origin, c.var.config), 200, {
      "Content-Type": "application/mcp-server-card+json",
    }),
  )
  .all(readOnly);

app
  .get("/llms.txt", revalidated, leaveSettled, (c) => c.text(guide(new URL(c.req.url).origin, c.var.config)))
  .all(readOnly);
app.get("/v1/limits", (c) => c.json(limitsOf(c.var.config))).all(readOnly);
app
  .get(WELL_KNOWN, revalidated, leaveSettled, (c) => {
    const { origin } = new URL(c.req.url);
    return c.json(wellKnown(origin, guidance(origin, c.var.config)));
  })
  .all(readOnly);
app
  .get(DID_DOCUMENT, revalidated, async (c) => {
    const { host } = new URL(c.req.url);
    const document = signsProof(c.req.raw, c.var.config) && (await didDocument(host, c.var.config));
    return document ? c.json(document, 200, { "Content-Type": "application/did+json" }) : notFound(c);
  })
  .all(readOnly);
app.get("/robots.txt", (c) => c.text(ROBOTS)).all(readOnly);

// both take milliseconds to make, and are polled
const description = oncePerOrigin(openapi);
const descriptionJson = oncePerOrigin((origin, config) => JSON.stringify(description(origin, config)));
const docs = oncePerOrigin((origin, config) => {
  const reference = description(origin, config) as object as ApiReference; // as far as a page reads it
  return String(Docs({ reference, repository: config.repositoryUrl }));
});

app
  .get("/openapi.json", revalidated, (c) =>
    c.body(descriptionJson(new URL(c.req.url).origin, c.var.config), 200, { "Content-Type": "application/json" }),
  )
  .all(readOnly);
app
  .get("/docs", revalidated, (c) => sendPage(c, docs(new URL(c.req.url).origin, c.var.config), READING_POLICY))
  .all(readOnly);

app.get(HEALTH, health).all(readOnly);

app.notFound(notFound);
app.onError(onError);

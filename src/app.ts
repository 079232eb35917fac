import { Hono } from "hono";
import { cors } from "hono/cors";
import { requestId } from "hono/request-id";
import { secureHeaders } from "hono/secure-headers";
import { limitBody } from "./api/body.ts";
import type { ApiEnv } from "./api/environment.ts";
import { methodNotAllowed, notFound, onError } from "./api/errors.ts";
import { separateFiles } from "./api/fileHost.ts";
import { openapi } from "./api/openapi.ts";
import { watermark } from "./api/watermark.ts";
import { configOf } from "./config.ts";
import { guide } from "./guide.ts";
import { limitsOf } from "./limits.ts";
import { serveMcp } from "./mcp/serve.ts";
import { serverCard } from "./mcp/serverCard.ts";
import { PRODUCTS } from "./sale/catalog.ts";
import { download } from "./storage/download.ts";
import { endLink, FILES, linkOf } from "./storage/link.ts";

/** The service's table of contents. */
export const app = new Hono<ApiEnv>();

app.use(requestId());
app.use(secureHeaders());
app.use(
  cors({
    origin: "*",
    allowMethods: ["GET", "HEAD", "POST", "DELETE"],
    // the official x402 clients send Access-Control-Expose-Headers as a request header
    allowHeaders: [
      "Content-Type",
      "X-PAYMENT",
      "PAYMENT-SIGNATURE",
      "Access-Control-Expose-Headers",
      "Range",
      "If-Range",
      "If-None-Match",
      "X-Request-Id",
      "MCP-Protocol-Version",
      "Mcp-Method",
      "Mcp-Name",
    ],
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
    ],
    maxAge: 86_400,
  }),
);
app.use(separateFiles);

for (const product of PRODUCTS) {
  app.on("POST", [product.path], ...watermark(product));
  app.all(product.path, methodNotAllowed("POST"));
}

app
  .get(`${FILES}/:file`, (c) => download(c.env.RESULTS, linkOf(c.req.url), c.req.raw, Date.now))
  .delete(async (c) => {
    await endLink(c.env.RESULTS, linkOf(c.req.url), Date.now);
    return c.body(null, 204);
  })
  .all(methodNotAllowed("GET, HEAD, DELETE"));

app.all("/mcp", limitBody, (c) =>
  serveMcp({
    request: c.req.raw,
    requestId: c.get("requestId"),
    env: c.env,
    config: configOf(c.env),
    waitUntil: (task) => c.executionCtx.waitUntil(task),
  }),
);
app.get("/.well-known/mcp/server-card.json", (c) =>
  c.json(serverCard(new URL(c.req.url).origin), 200, { "Content-Type": "application/mcp-server-card+json" }),
);

app.get("/llms.txt", (c) => c.text(guide(new URL(c.req.url).origin, configOf(c.env))));
app.get("/v1/limits", (c) => c.json(limitsOf(configOf(c.env)))).all(methodNotAllowed("GET, HEAD"));
app.get("/openapi.json", (c) => c.json(openapi(new URL(c.req.url).origin)));

app.notFound(notFound);
app.onError(onError);

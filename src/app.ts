import { Hono } from "hono";
import { cors } from "hono/cors";
import { requestId } from "hono/request-id";
import { secureHeaders } from "hono/secure-headers";
import type { ApiEnv } from "./api/environment.ts";
import { methodNotAllowed, notFound, onError } from "./api/errors.ts";
import { separateFiles } from "./api/fileHost.ts";
import { limitsOf } from "./api/limits.ts";
import { openapi } from "./api/openapi.ts";
import { ENDPOINTS, watermark } from "./api/watermark.ts";
import { configOf } from "./config.ts";
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

for (const endpoint of ENDPOINTS) {
  app.on("POST", [endpoint.path], ...watermark(endpoint));
  app.all(endpoint.path, methodNotAllowed("POST"));
}

app
  .get(`${FILES}/:file`, (c) => download(c.env.RESULTS, linkOf(c.req.url), c.req.raw, Date.now))
  .delete(async (c) => {
    await endLink(c.env.RESULTS, linkOf(c.req.url), Date.now);
    return c.body(null, 204);
  })
  .all(methodNotAllowed("GET, HEAD, DELETE"));

app.get("/v1/limits", (c) => c.json(limitsOf(configOf(c.env)))).all(methodNotAllowed("GET, HEAD"));
app.get("/openapi.json", (c) => c.json(openapi(new URL(c.req.url).origin)));

app.notFound(notFound);
app.onError(onError);

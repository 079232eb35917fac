import { cors } from "hono/cors";
import { secureHeaders } from "hono/secure-headers";

/** Sets the security headers of every response. */
export const securityHeaders = secureHeaders({
  // These headers are for old browsers or for pages only. A 402 has little room for headers.
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  xDnsPrefetchControl: false,
  originAgentCluster: false,
  crossOriginOpenerPolicy: false,
  // CORS lets any origin read the responses. The icon in the payment terms must load on any origin too.
  crossOriginResourcePolicy: "cross-origin",
});

/**
 * Lets web pages of any origin call the service.
 *
 * Without `allowHeaders`, a preflight may request any header. That is safe without cookies, and clients add headers for
 * tracing. The official x402 clients even send Access-Control-Expose-Headers.
 */
export const crossOrigin = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
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
});

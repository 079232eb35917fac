import { cors } from "hono/cors";
import { secureHeaders } from "hono/secure-headers";

/** Sets the security headers of every response. */
export const securityHeaders = secureHeaders({
  // The headers disabled here matter only to old browsers or to pages. They would take space that a 402 needs.
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  xDnsPrefetchControl: false,
  originAgentCluster: false,
  crossOriginOpenerPolicy: false,
  // CORS lets any origin read the responses, and any origin must be able to load the icon in the payment terms.
  crossOriginResourcePolicy: "cross-origin",
});

/**
 * Lets web pages of any origin call the service.
 *
 * `allowHeaders` is omitted so that a preflight may request any header, even Authorization. The value `*` would not
 * cover Authorization. Allowing any header is safe because the service uses no cookies. Clients add headers for
 * tracing, and the official x402 clients send even Access-Control-Expose-Headers.
 */
export const crossOrigin = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
  // Pages may always read Content-Length (Fetch, "CORS-safelisted response-header name").
  exposeHeaders: [
    "X-PAYMENT-RESPONSE",
    "Overprint-Notice",
    "PAYMENT-REQUIRED",
    "PAYMENT-RESPONSE",
    "WWW-Authenticate",
    "Payment-Receipt",
    "X-Request-Id",
    "Retry-After",
    "ETag",
    "Accept-Ranges",
    "Content-Range",
    "Content-Disposition",
    "Link",
    "Server-Timing",
  ],
  maxAge: 86_400,
});

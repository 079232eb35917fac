import { etag, RETAINED_304_HEADERS } from "hono/etag";

/**
 * Gives a document an ETag and answers 304 to a client with a current copy (RFC 9110, 13.1.2). Keeps the CORS headers,
 * so that other origins can read the 304.
 */
export const revalidated = etag({
  retainedHeaders: [...RETAINED_304_HEADERS, "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Link"],
});

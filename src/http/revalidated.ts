import { etag, RETAINED_304_HEADERS } from "hono/etag";

/**
 * Gives a document an ETag and answers 304 to a client with a current copy (RFC 9110, 13.1.2). The 304 keeps the CORS
 * headers, so that pages of other origins can read it.
 */
export const revalidated = etag({
  retainedHeaders: [...RETAINED_304_HEADERS, "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Link"],
});

import { etag, RETAINED_304_HEADERS } from "hono/etag";

/**
 * Gives a document an ETag, and answers 304 to who has it already (RFC 9110, 13.1.2). That answer can be read by other
 * origins as well.
 */
export const revalidated = etag({
  retainedHeaders: [...RETAINED_304_HEADERS, "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Link"],
});

/**
 * The public entry of `npm run serve`. Miniflare's own entry would obey headers such as `MF-Original-URL`. It would
 * also serve the whole bucket without a token to clients that send a local host name (`/cdn-cgi/local/r2/public/…`).
 * This entry forwards requests to the Worker, and supports only the headers that a reverse proxy needs.
 */
export default {
  /**
   * Forwards a request to the Worker. @param {Request} request @param {{ WORKER: { fetch: typeof fetch }, IS_LOCAL:
   * boolean }} env
   */
  fetch(request, { WORKER, IS_LOCAL }) {
    const url = new URL(request.url);
    if (request.headers.get("X-Forwarded-Proto") === "https") url.protocol = "https:";
    const passed = new Request(url, request);
    // The caller's address is unknown here, unless a proxy sends it. All other callers share the address "unknown",
    // which does not count as local.
    if (!IS_LOCAL && !passed.headers.has("CF-Connecting-IP")) passed.headers.set("CF-Connecting-IP", "unknown");
    return WORKER.fetch(passed);
  },
};

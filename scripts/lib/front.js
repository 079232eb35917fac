/**
 * The public entry of `npm run serve`. Miniflare's own entry serves the whole bucket without a token to clients that
 * send a local host name (`/cdn-cgi/local/r2/public/…`), and obeys headers such as `MF-Original-URL`. This one forwards
 * requests to the Worker, and supports only the features that a proxy in front needs.
 */
export default {
  /** @param {Request} request @param {{ WORKER: { fetch: typeof fetch }, IS_LOCAL: boolean }} env */
  fetch(request, { WORKER, IS_LOCAL }) {
    const url = new URL(request.url);
    if (request.headers.get("X-Forwarded-Proto") === "https") url.protocol = "https:";
    const passed = new Request(url, request);
    // The caller's address is unknown here. Without a proxy that sends it, all callers share one address, which is not
    // local.
    if (!IS_LOCAL && !passed.headers.has("CF-Connecting-IP")) passed.headers.set("CF-Connecting-IP", "unknown");
    return WORKER.fetch(passed);
  },
};

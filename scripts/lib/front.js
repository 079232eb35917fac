/**
 * What strangers reach of `npm run serve`. Miniflare's own door hands out the whole bucket, without a token, to whoever calls
 * it localhost (`/cdn-cgi/local/r2/public/…`), and obeys headers (`MF-Original-URL`): this one passes requests on to the
 * Worker, and does no more of what that door does than a proxy in front needs.
 */
export default {
  /** @param {Request} request @param {{ WORKER: { fetch: typeof fetch }, IS_LOCAL: boolean }} env */
  fetch(request, { WORKER, IS_LOCAL }) {
    const url = new URL(request.url);
    if (request.headers.get("X-Forwarded-Proto") === "https") url.protocol = "https:";
    const passed = new Request(url, request);
    // who calls is not to be seen here: without a proxy that says so all are one, and none is this machine
    if (!IS_LOCAL && !passed.headers.has("CF-Connecting-IP")) passed.headers.set("CF-Connecting-IP", "unknown");
    return WORKER.fetch(passed);
  },
};

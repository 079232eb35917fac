/**
 * The Worker for the benchmark of unpaid calls. It answers calls with the header X-Empty immediately, and treats calls
 * with the header X-From as if they came from the address in X-From.
 */
import { app } from "../src/app.ts";

export { Ledger } from "../src/service/account/ledger.ts";
// wrangler.toml binds this class, so the Worker must export it
export { Budget } from "../src/service/limits/quota.ts";

export default {
  fetch(request, env, context) {
    const { headers, url } = request;
    // V8's flag --expose-gc defines the function `gc`
    if (headers.has("X-Collect")) (globalThis as { gc?(): void }).gc?.();
    if (headers.has("X-Empty")) return new Response(null, { status: 402 });
    const address = headers.get("X-From");
    if (address === null) return app.fetch(request, env, context);
    const distant = new Request(url.replace(/^http:\/\/[^/]+/, "https://api.example.com"), request);
    distant.headers.set("CF-Connecting-IP", address);
    return app.fetch(distant, env, context);
  },
} satisfies ExportedHandler<Env>;

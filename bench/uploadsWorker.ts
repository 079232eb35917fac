/** The Worker for the benchmark of uploads. It has an additional endpoint that only stores a body in R2. */
import { app } from "../src/app.ts";

export { Ledger } from "../src/service/account/ledger.ts";
// wrangler.toml binds the class that the next line exports
export { Budget } from "../src/service/limits/quota.ts";

export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname !== "/store") return app.fetch(request, env, context);
    await env.RESULTS.put("stored", request.body);
    return new Response(null, { status: 204 });
  },
} satisfies ExportedHandler<Env>;

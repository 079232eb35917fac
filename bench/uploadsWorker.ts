/** The Worker for the benchmark of uploads. It can also store a body in R2 and do nothing else. */
import { app } from "../src/app.ts";

export { Ledger } from "../src/service/account/ledger.ts";
// wrangler.toml binds this class
export { Budget } from "../src/service/limits/quota.ts";

export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname !== "/store") return app.fetch(request, env, context);
    await env.RESULTS.put("stored", request.body);
    return new Response(null, { status: 204 });
  },
} satisfies ExportedHandler<Env>;

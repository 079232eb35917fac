/** The Worker for the benchmark of calls, which has their floor as well: a body is stored in R2, and copied there once. */
import { app } from "../src/app.ts";

// wrangler.toml binds these classes
export { Budget } from "../src/service/budget.ts";
export { Ledger } from "../src/service/ledger.ts";

export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname !== "/floor") return app.fetch(request, env, context);
    await env.RESULTS.put("floor/sent", request.body);
    const stored = await env.RESULTS.get("floor/sent");
    await env.RESULTS.put("floor/copy", stored!.body);
    return new Response(null, { status: 204 });
  },
} satisfies ExportedHandler<Env>;

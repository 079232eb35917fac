/** The Worker, which also tells what is in its spool. */
import { app } from "../../src/app.ts";
import { bucketOf } from "../../src/storage/bucket.ts";

export { Budget } from "../../src/service/budget.ts";
export { Ledger } from "../../src/service/ledger.ts";

export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname !== "/spool") return app.fetch(request, env, context);
    const { objects } = await bucketOf(env).list({ prefix: "spool/", startAfter: "", limit: 1000 });
    return Response.json(objects.map(({ key }) => key));
  },
} satisfies ExportedHandler<Env>;

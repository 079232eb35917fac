/** The Worker, which also tells what is in its spool, and in its uploads. */
import { app } from "../../src/app.ts";
import { bucketOf } from "../../src/storage/bucket.ts";

export { Budget } from "../../src/service/budget.ts";
export { Ledger } from "../../src/service/ledger.ts";

export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (!["/spool", "/uploads"].includes(pathname)) return app.fetch(request, env, context);
    const prefix = `${pathname.slice(1)}/`;
    const { objects } = await bucketOf(env).list({ prefix, startAfter: prefix, limit: 1000 });
    return Response.json(objects.map(({ key }) => key));
  },
} satisfies ExportedHandler<Env>;

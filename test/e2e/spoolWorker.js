/**
 * Wraps the Worker and adds routes that list the stored spool files, uploads and results. The build puts this file
 * beside the built Worker.
 */
import worker, { Budget, Ledger } from "./index.js";

export { Budget, Ledger };

export default {
  ...worker,
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (!["/spool", "/uploads", "/results"].includes(pathname)) return worker.fetch(request, env, context);
    const { objects } = await env.RESULTS.list({ prefix: `${pathname.slice(1)}/`, limit: 1000 });
    return Response.json(objects.map(({ key }) => key));
  },
};

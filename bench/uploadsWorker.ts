/** The Worker for the measurements of uploads. It has additional endpoints that only store a body in R2. */
import { app } from "../src/app.ts";

export { Ledger } from "../src/service/account/ledger.ts";
// wrangler.toml binds this class, so the Worker must export it
export { Budget } from "../src/service/limits/quota.ts";

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/store") {
      await env.RESULTS.put("stored", request.body);
      return new Response(null, { status: 204 });
    }
    if (pathname !== "/store-part") return app.fetch(request, env, context);
    const [id, number] = [searchParams.get("id"), Number(searchParams.get("number"))];
    if (id === null) return new Response((await env.RESULTS.createMultipartUpload("stored-in-parts")).uploadId);
    return Response.json(
      await env.RESULTS.resumeMultipartUpload("stored-in-parts", id).uploadPart(number, request.body!),
    );
  },
} satisfies ExportedHandler<Env>;

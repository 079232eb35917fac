/**
 * The Worker for the benchmarks of calls. It also serves four alternatives for comparison: storing a body in R2 and
 * copying it once, pdf-lib used as its readme shows, a Durable Object that does nothing, and an empty answer.
 */
import { degrees, PDFDocument } from "pdf-lib";
import { app } from "../src/app.ts";

export { Ledger } from "../src/service/account/ledger.ts";
// wrangler.toml binds these classes, so the Worker must export them
export { Budget } from "../src/service/limits/quota.ts";

async function storeAndCopy({ body }: Request, { RESULTS }: Env): Promise<void> {
  await RESULTS.put("floor/sent", body);
  const stored = await RESULTS.get("floor/sent");
  await RESULTS.put("floor/copy", stored!.body);
}

async function markWithPdfLib(request: Request, { RESULTS }: Env): Promise<void> {
  const form = await request.formData();
  const document = await PDFDocument.load(await (form.get("file") as File).arrayBuffer());
  for (const page of document.getPages())
    page.drawText(form.get("text") as string, { x: 50, y: 300, size: 50, rotate: degrees(45), opacity: 0.3 });
  await RESULTS.put("peer/marked", await document.save());
}

async function startObject(_: Request, { LEDGER }: Env): Promise<void> {
  await LEDGER.getByName(crypto.randomUUID()).binding();
}

const COMPARED: Record<string, typeof storeAndCopy> = {
  "/floor": storeAndCopy,
  "/pdf-lib": markWithPdfLib,
  "/object": startObject,
  "/empty": async () => {},
};

export default {
  async fetch(request, env, context) {
    const act = COMPARED[new URL(request.url).pathname];
    if (!act) return app.fetch(request, env, context);
    await act(request, env);
    return new Response(null, { status: 204 });
  },
} satisfies ExportedHandler<Env>;

/**
 * A Cloudflare Worker that marks PDFs with the engine, without the service and without a payment:
 *
 *   npm run build:packages -- engine
 *   npx wrangler dev --config examples/worker/wrangler.toml --port 8790
 *   curl -o marked.pdf --data-binary @examples/contract.pdf "http://127.0.0.1:8790/?text=DRAFT"
 *
 * The package `@overprint/engine` is not published yet, so the Worker imports what the first command builds.
 */
import { EngineError, watermark } from "../../packages/engine/dist/index.js";

/** Maximum size of a PDF in bytes. A Worker has 128 MB of memory. */
const MAX_BYTES = 25_000_000;

export default {
  async fetch(request) {
    if (request.method !== "POST") return new Response("Send a PDF with POST.\n", { status: 405 });
    const length = Number(request.headers.get("Content-Length"));
    if (!(length > 0 && length <= MAX_BYTES)) return new Response("Send at most 25 MB.\n", { status: 413 });
    const text = new URL(request.url).searchParams.get("text") ?? "DRAFT";
    try {
      const marked = await watermark(new Uint8Array(await request.arrayBuffer()), { text });
      const headers = { "Content-Type": "application/pdf", "Content-Length": String(marked.length) };
      return new Response(marked.stream(), { headers });
    } catch (error) {
      if (error instanceof EngineError) return new Response(`${error.message}\n`, { status: 422 });
      throw error;
    }
  },
};

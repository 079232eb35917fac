/**
 * A Worker for the benchmark of image marks. In each request, it repeatedly marks one page with the received image,
 * using the engine or pdf-lib.
 */
import { PDFDocument } from "pdf-lib";
import { watermark } from "../src/engine/index.ts";
import { onePage } from "../test/support/pdf.ts";

export { Ledger } from "../src/service/account/ledger.ts";
// wrangler.toml binds this class, so the Worker must export it
export { Budget } from "../src/service/limits/quota.ts";

/** Marks the page and returns the length of the output in bytes. */
type Marker = (image: Uint8Array) => Promise<number>;

const MARKERS: Record<string, Marker> = {
  async overprint(image) {
    let length = 0;
    for await (const chunk of (await watermark(onePage, { image })).chunks()) length += chunk.length;
    return length;
  },

  async "pdf-lib"(image) {
    const document = await PDFDocument.load(onePage);
    const embedded = image[0] === 0xff ? await document.embedJpg(image) : await document.embedPng(image);
    document.getPage(0).drawImage(embedded, { x: 50, y: 50, width: 400, height: 300, opacity: 0.3 });
    return (await document.save()).length;
  },
};

export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url);
    const marker = MARKERS[searchParams.get("marker") ?? ""];
    if (!marker) return new Response("ready");

    const image = await request.bytes();
    let length = 0;
    for (let run = 0; run < Number(searchParams.get("runs")); run++) length = await marker(image);
    return Response.json(length);
  },
} satisfies ExportedHandler<Env>;

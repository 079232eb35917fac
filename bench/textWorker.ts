/**
 * A Worker for the benchmark of text marks. In each request, it repeatedly marks one page, using the engine or pdf-lib.
 */
import fontkit from "@pdf-lib/fontkit";
import { PDFDocument, type PDFFont } from "pdf-lib";
import { chooseFonts } from "../src/engine/fonts/choose.ts";
import { watermark } from "../src/engine/index.ts";
import { onePage } from "../test/support/pdf.ts";

export { Ledger } from "../src/service/account/ledger.ts";
// wrangler.toml binds this class, so the Worker must export it
export { Budget } from "../src/service/limits/quota.ts";

/** Marks the page and returns the length of the output in bytes. */
type Marker = (text: string, env: Env) => Promise<number>;

const MARKERS: Record<string, Marker> = {
  async overprint(text, env) {
    const plan = await watermark(onePage, { text }, { loadFont: (path) => fontFile(path, env) });
    let length = 0;
    for await (const chunk of plan.chunks()) length += chunk.length;
    return length;
  },

  /**
   * Marks the page as pdf-lib's readme shows, but with the engine's font files. Each grapheme is drawn with a font that
   * covers it.
   */
  async "pdf-lib"(text, env) {
    const document = await PDFDocument.load(onePage);
    document.registerFontkit(fontkit);
    const fonts = new Map<string, PDFFont>();
    let x = 50;
    for (const { text: character, file } of chooseFonts(text, "bold")) {
      let font = fonts.get(file.path);
      if (!font) {
        font = await document.embedFont(await fontFile(file.path, env), { subset: true });
        fonts.set(file.path, font);
      }
      document.getPage(0).drawText(character, { x, y: 300, size: 20, font, opacity: 0.3 });
      x += font.widthOfTextAtSize(character, 20);
    }
    return (await document.save()).length;
  },
};

async function fontFile(path: string, env: Env): Promise<Uint8Array> {
  return new Uint8Array(await (await env.ASSETS.fetch(`https://assets.local/fonts/${path}`)).arrayBuffer());
}

export default {
  async fetch(request, env) {
    const { searchParams } = new URL(request.url);
    const marker = MARKERS[searchParams.get("marker") ?? ""];
    if (!marker) return new Response("ready");

    let length = 0;
    for (let run = 0; run < Number(searchParams.get("runs")); run++)
      length = await marker(searchParams.get("text")!, env);
    return Response.json(length - onePage.length);
  },
} satisfies ExportedHandler<Env>;

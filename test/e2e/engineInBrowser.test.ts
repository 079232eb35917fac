/** Tests that the bundled engine works in a browser, without the APIs of Node.js and Workers. */
import { basename, join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { IMAGE_SAMPLES } from "../../scripts/lib/imageSamples.ts";
import { loadFont } from "../../scripts/lib/loadFont.ts";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { TEXT_SAMPLES } from "../../scripts/lib/textSamples.ts";
import { type ImageMark, type TextMark, type WatermarkOptions, watermark } from "../../src/engine/index.ts";
import { encryptedPage, VECTORS } from "../engine/pdf/security/encryptedFile.ts";
import { joined } from "../support/bytes.ts";

const root = join(import.meta.dirname, "../..");
const date = new Date("2026-11-22T09:00:00Z");

/**
 * Marks a file in a separate JavaScript realm, which simulates a browser. Arguments and results are objects of that
 * realm.
 */
let watermarkThere: (source: Uint8Array, mark: TextMark | ImageMark, options: WatermarkOptions) => Promise<Uint8Array>;
let sample: Uint8Array;

beforeAll(async () => {
  sample = await samplePdf();
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/engine/index.ts")],
    bundle: true,
    format: "iife",
    globalName: "overprint",
    loader: { ".wasm": "file" },
    outdir: "/browser",
    write: false,
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const context = createContext({
    TextEncoder,
    MessageChannel,
    fetch: async (url: string) => ({ arrayBuffer: async () => files.get(basename(url))!.slice().buffer }),
    loadFont,
  });
  runInContext(new TextDecoder().decode(files.get("index.js")), context);
  watermarkThere = runInContext(
    `async (source, mark, options) => {
      const own = (bytes) => Uint8Array.from(bytes);
      const image = mark.image && own(mark.image);
      const plan = await overprint.watermark(own(source), image ? { ...mark, image } : mark, {
        ...options,
        loadFont: async (path) => own(await loadFont(path)),
      });
      const output = new Uint8Array(plan.length);
      let at = 0;
      for await (const chunk of plan.chunks()) {
        output.set(chunk, at);
        at += chunk.length;
      }
      return output;
    }`,
    context,
  );
});

async function expectSame(source: Uint8Array, mark: TextMark | ImageMark, options: WatermarkOptions = {}) {
  const settings = { ...options, date };
  const here = await joined((await watermark(source, mark as TextMark, { ...settings, loadFont })).chunks());
  const there = await watermarkThere(source, mark, settings);
  expect(Buffer.compare(here, there)).toBe(0);
}

describe("the engine in a browser", () => {
  test.each(Object.entries(TEXT_SAMPLES))(
    "the engine produces the same bytes in a browser as in Node.js for a text: %s",
    (_, text) => expectSame(sample, { text }),
  );

  test.each(["outline", "stamp", "tiled"] as const)(
    "the engine produces the same bytes in a browser as in Node.js for the template %s with page numbers",
    (template) => expectSame(sample, { text: "{page} of {pages}, {date}", template }),
  );

  test.each(Object.entries(IMAGE_SAMPLES))(
    "the engine produces the same bytes in a browser as in Node.js for an image: %s",
    (_, image) => expectSame(sample, { image }),
  );

  test.each(VECTORS.filter(({ dict }) => dict.p === -4))(
    "the engine produces the same bytes in a browser as in Node.js for an encrypted file: $name",
    (vector) => expectSame(encryptedPage(vector), { text: "DRAFT" }, { password: vector.user }),
  );

  test("the engine produces the same bytes in a browser as in Node.js for a file with object streams", async () => {
    const { PDFDocument } = await import("pdf-lib");
    const packed = await (await PDFDocument.load(sample)).save({ useObjectStreams: true });
    await expectSame(packed, { text: "DRAFT" });
  });
});

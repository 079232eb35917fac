import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callPaid } from "../../scripts/lib/pay.ts";
import { pdfium } from "../../scripts/lib/raster.ts";
import { TEXT_SAMPLES } from "../../scripts/lib/textSamples.ts";
import { TEMPLATES } from "../../src/engine/index.ts";
import { result } from "../../src/service/request/schemas.ts";
import { onePage, pagesOf } from "../support/pdf.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { EXTRACTORS, plainText } from "./extractors.ts";
import { columns, rasters, rows } from "./rasters.json";

let worker: StartedWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker?.stop());

async function mark(pdf: Uint8Array<ArrayBuffer>, fields: Record<string, string>): Promise<Uint8Array> {
  const form = new FormData();
  form.set("file", new File([pdf], "a.pdf"));
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const { output } = result.parse(await (await callPaid(`${worker.url}/v1/watermark/text`, form)).json());
  return new Uint8Array(await (await fetch(output.url)).arrayBuffer());
}

const blank = pagesOf(["/MediaBox [0 0 595 842] /Contents []"]);
const blankPages = (count: number) =>
  pagesOf(Array.from({ length: count }, () => "/MediaBox [0 0 595 842] /Contents []"));

/** Grayscale rendering of a page by PDFium: one byte per pixel, in rows from the top. */
interface GrayRaster {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** Renders every page of a PDF to fit into a box. The size of the box is in pixels. */
async function renderGray(pdf: Uint8Array, box: { width: number; height: number }): Promise<GrayRaster[]> {
  const document = await (await pdfium()).loadDocument(Buffer.from(pdf));
  const rasters: GrayRaster[] = [];
  for (const page of document.pages()) {
    const { originalWidth, originalHeight } = page.getOriginalSize();
    const scale = Math.min(box.width / originalWidth, box.height / originalHeight);
    const { width, height, data } = await page.render({ scale, colorSpace: "Gray", render: "bitmap" });
    rasters.push({ width, height, pixels: data });
  }
  document.destroy();
  return rasters;
}

/** Returns the darkness of a pixel, from 0 (white) to 1. */
const darkness = ({ pixels }: GrayRaster, pixel: number) => 1 - pixels[pixel]! / 255;

/** Returns the bounding box of all pixels darker than `least`, in pixels. `right` and `bottom` are exclusive. */
function inkBox(raster: GrayRaster, least: number) {
  const box = { left: raster.width, top: raster.height, right: 0, bottom: 0 };
  for (let y = 0; y < raster.height; y++)
    for (let x = 0; x < raster.width; x++) {
      if (darkness(raster, y * raster.width + x) < least) continue;
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x + 1);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y + 1);
    }
  return box;
}

describe("rendering of scripts", () => {
  const strip = pagesOf(["/MediaBox [0 0 595 200] /Contents []"]); // A larger page would only make the test slower.

  test.each(rasters)(
    "PDFium draws the text of a mark in $name as HarfBuzz draws it with the complete font: $text",
    async ({ text, aspect, ink }) => {
      const marked = await mark(strip, {
        text,
        template: "header",
        position: "center",
        font_size: "50",
        color: "#000000",
        opacity: "1",
      });
      const [raster] = (await renderGray(marked, { width: 2380, height: 800 })) as [GrayRaster];
      const box = inkBox(raster, 0.5);
      const [width, height] = [box.right - box.left, box.bottom - box.top];
      expect(Math.abs(width / height / aspect - 1)).toBeLessThan(0.03);

      let difference = 0;
      for (let row = 0; row < rows; row++)
        for (let column = 0; column < columns; column++) {
          let dark = 0;
          let pixels = 0;
          for (let y = Math.floor(box.top + (row * height) / rows); y < box.top + ((row + 1) * height) / rows; y++)
            for (
              let x = Math.floor(box.left + (column * width) / columns);
              x < box.left + ((column + 1) * width) / columns;
              x++
            ) {
              dark += darkness(raster, y * raster.width + x);
              pixels++;
            }
          difference += Math.abs(dark / pixels - Number.parseInt(ink[row * columns + column]!, 16) / 15);
        }
      expect(difference / (rows * columns)).toBeLessThan(0.05);
    },
  );
});

describe("text extraction", () => {
  /** Scripts that some readers do not recognize as right-to-left. These readers extract the text in visual order. */
  const turned = ["Adlam", "Rohingya", "Mende", "Yezidi"];
  /**
   * Scripts that a reader does not extract in logical order. In Thaana, every word ends with a vowel mark. MuPDF and
   * pdf.js move this mark to the start of the line or word.
   */
  const otherwise = { PDFium: turned, MuPDF: ["Thaana"], "pdf.js": [...turned, "Thaana"] };

  test.each(Object.entries(TEXT_SAMPLES))(
    "PDFium, MuPDF and pdf.js extract %s text in logical order, apart from known exceptions",
    async (script, text) => {
      const marked = await mark(onePage, { text, template: "horizontal" });
      for (const [reader, scripts] of Object.entries(otherwise)) {
        const [found] = (await EXTRACTORS[reader as keyof typeof otherwise](marked)).map(plainText);
        expect(found === plainText(text), `${reader}: ${found}`).toBe(!scripts.includes(script));
      }
    },
  );

  test.each(
    ["diagonal", "stamp", "sidebar", "outline"].flatMap((template) =>
      ["Latin", "Arabic", "Devanagari", "Japanese"].map((script) => [template, script] as const),
    ),
  )(
    "readers extract slanted, rotated or hollow text of the template %s in logical order: %s",
    async (template, script) => {
      const text = TEXT_SAMPLES[script]!;
      const marked = await mark(onePage, { text, template });
      for (const reader of ["PDFium", "MuPDF"] as const)
        expect((await EXTRACTORS[reader](marked)).map(plainText), reader).toEqual([plainText(text)]);
    },
  );

  test.each(["horizontal", "header", "stamp", "outline", "tiled"])(
    "readers extract the text only once, although the mark also draws edges and copies: %s",
    async (template) => {
      const marked = await mark(blank, { text: "CONFIDENTIAL", template, rotation: "0" });
      for (const [reader, extract] of Object.entries(EXTRACTORS))
        expect(
          (await extract(marked)).map((text) => text.trim()),
          reader,
        ).toEqual(["CONFIDENTIAL"]);
    },
  );

  test.each(["footer", "diagonal", "outline", "tiled"])(
    "readers extract the text and its page number together: %s",
    async (template) => {
      const marked = await mark(blankPages(12), { text: "Page {page} of {pages}", template, rotation: "0" });
      const texts = Array.from({ length: 12 }, (_, i) => `Page ${i + 1} of 12`);
      expect((await EXTRACTORS.PDFium(marked)).map(plainText)).toEqual(texts);
      expect((await EXTRACTORS.MuPDF(marked)).map(plainText)).toEqual(texts);
      // pdf.js omits spaces at the ends of the parts in which a text is drawn.
      const spaceless = texts.map((text) => text.replaceAll(" ", ""));
      expect((await EXTRACTORS["pdf.js"](marked)).map((text) => text.replaceAll(" ", ""))).toEqual(spaceless);
    },
  );
});

test("page-number placeholders add less than 550 bytes per page", async () => {
  const pages = blankPages(1500);
  const [numbered, plain] = await Promise.all(
    ["Page {page}", "Page 1500"].map(async (text) => (await mark(pages, { text })).length),
  );
  expect((numbered! - plain!) / 1500).toBeLessThan(550);
});

describe("opacity of overlapping letters", () => {
  test.each([
    ["horizontal", "سري للغاية"],
    ["horizontal", "क्षत्रिय हिन्दी"],
    ["horizontal", "机密文件"],
    ["outline", "سري للغاية"],
    ["outline", "AVAWAT"],
    ["stamp", "خفیہ"],
    ["tiled", "نسخة {page}"],
  ])("letters with an opacity of 0.3 are not darker where they overlap: %s, %s", async (template, text) => {
    const marked = await mark(blank, { text, template, color: "#000000", opacity: "0.3" });
    const [raster] = (await renderGray(marked, { width: 1190, height: 1684 })) as [GrayRaster];
    let darkest = 0;
    for (let pixel = 0; pixel < raster.width * raster.height; pixel++)
      darkest = Math.max(darkest, darkness(raster, pixel));
    expect(darkest).toBeGreaterThan(0.28);
    expect(darkest).toBeLessThan(0.32);
  });
});

describe("margins of text templates", () => {
  const sizes = ["0 0 595 842", "0 0 595 420", "0 0 960 540", "0 0 120 120", "0 0 2000 100"];
  const pages = pagesOf(
    ["0", "90", "180"].flatMap((turn) => sizes.map((size) => `/MediaBox [${size}] /Rotate ${turn} /Contents []`)),
  );
  const texts = {
    one: "X",
    word: "CONFIDENTIAL",
    marks: "ปู่ที่ กู้\nລັບ ñ̃̃ Å",
    long: "word ".repeat(99).trim(),
    unbroken: "y".repeat(500),
  };

  test.each(
    Object.keys(TEMPLATES)
      .filter((template) => template !== "tiled")
      .flatMap((template) => Object.entries(texts).map(([name, text]) => [template, name, text] as const)),
  )("the template %s keeps a text within the page's margins: %s", async (template, _, text) => {
    const marked = await mark(pages, { text, template, color: "#000000", opacity: "1" });
    for (const raster of await renderGray(marked, { width: 600, height: 600 })) {
      const { left, top, right, bottom } = inkBox(raster, 0.02);
      expect(right, "there is ink").toBeGreaterThan(left);
      expect(Math.min(left, top, raster.width - right, raster.height - bottom)).toBeGreaterThan(0);
    }
  });
});

/**
 * `npm run contact-sheet` makes images for visual inspection. The script marks pages with the running Worker: every
 * template on pages of every kind, typical settings of customers on documents that look real, a text in every writing
 * system, and an image of every kind. The script renders the results with PDFium and MuPDF to `out/`. It also renders
 * `docs/templates.png`, the image of the templates in `docs/text-marks.md`.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { degrees, PDFDocument, type PDFPage, rgb, StandardFonts } from "pdf-lib";
import { TEMPLATES } from "../src/engine/index.ts";
import { IMAGE_SAMPLES } from "./lib/imageSamples.ts";
import { callPaid } from "./lib/pay.ts";
import { grid, pngOf, type Raster, renderPages, renderPagesByMupdf } from "./lib/raster.ts";
import { REAL_DOCUMENTS, realDocument } from "./lib/realDocuments.ts";
import { TEXT_SAMPLES } from "./lib/textSamples.ts";
import { startWorker } from "./lib/worker.ts";

const root = join(import.meta.dirname, "..");
const [A4, A5_LANDSCAPE, SLIDE, SQUARE] = [
  [595, 842],
  [595, 420],
  [960, 540],
  [120, 120],
] as const;
const CARD = [96, 96] as const;
const CELL = { width: 260, height: 260 };
const LARGE_CELL = { width: 420, height: 420 };
const SMALL_CELL = { width: 96, height: 96 };
const THUMBNAIL = { width: 190, height: 269 };

/** Typical texts: short texts, long texts, and texts with line breaks and placeholders. */
const TEXTS = {
  short: "DRAFT",
  long: "This copy was made for the sole use of Example Trading Company Limited of Rotterdam and must not be passed on, published or stored by anyone else. If you find it, please destroy it and write to legal@example.com.",
  lines: "CONFIDENTIAL\nPage {page} of {pages}\n{date}",
};

/** The settings that customers choose most. An entry without `text` is an image mark. */
const CUSTOMER_SETTINGS: Record<string, Record<string, string>> = {
  diagonal: { text: "CONFIDENTIAL" },
  footer: {
    text: "Licensed to Example Trading Company Limited, order 2026-00417-B, 25 November 2026. This copy is for internal use by one reader; it must not be passed on or published. VAT NL001234567B01",
    template: "footer",
  },
  stamp: { text: "PAID", template: "stamp" },
  tiled: { text: "DRAFT", template: "tiled" },
  logo: { position: "bottom-right", scale: "0.2", opacity: "1" },
};

/** Names of the settings whose mark can move to the emptiest place of a page. */
const MOVABLE = ["footer", "stamp", "tiled", "logo"];

const ENGINES = { pdfium: renderPages, mupdf: renderPagesByMupdf };

const worker = await startWorker();
try {
  const mark = async (
    pdf: Uint8Array<ArrayBuffer>,
    fields: Record<string, string | File>,
    operation: "text" | "image" = "text",
  ): Promise<Uint8Array> => {
    const form = new FormData();
    form.set("file", new File([pdf], "sheet.pdf"));
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const response = await callPaid(`${worker.url}/v1/watermark/${operation}`, form);
    if (!response.ok) throw new Error(await response.text());
    const { output } = (await response.json()) as { output: { url: string } };
    return new Uint8Array(await (await fetch(output.url)).arrayBuffer());
  };
  await mkdir(join(root, "out"), { recursive: true });
  await mkdir(join(root, "docs"), { recursive: true });

  /** Renders the pages of several PDFs with each renderer, in rows of `length` pages. */
  const draw = async (name: string, pdfs: Uint8Array[], length: number, cell = CELL) => {
    for (const [engine, render] of Object.entries(ENGINES)) {
      const rasters: Raster[] = [];
      for (const pdf of pdfs) rasters.push(...(await render(pdf, cell)));
      await save(`out/${name}-${engine}.png`, grid(inRows(rasters, length), cell));
    }
  };

  const kinds = await pages([A4, A5_LANDSCAPE, SLIDE, A4, SQUARE], 3);
  for (const [name, text] of Object.entries({ confidential: "CONFIDENTIAL", ...TEXTS })) {
    const marked: Uint8Array[] = [];
    for (const template of Object.keys(TEMPLATES)) marked.push(await mark(kinds, { text, template }));
    await draw(`templates-${name}`, marked, 5);
  }

  const documents = await Promise.all(REAL_DOCUMENTS.map(realDocument));
  const logo = new File([await readFile(join(root, "examples/logo.png"))], "logo.png");
  const settings = Object.entries(CUSTOMER_SETTINGS);
  const moved = settings
    .filter(([name]) => MOVABLE.includes(name))
    .map(([name, fields]) => [`${name}-auto`, { ...fields, position: "auto" }] as const);
  for (const [name, fields] of [...settings, ...moved]) {
    const marked: Uint8Array[] = [];
    for (const document of documents)
      marked.push(
        await ("text" in fields ? mark(document, fields) : mark(document, { ...fields, image: logo }, "image")),
      );
    await draw(`documents-${name}`, marked, 5, LARGE_CELL);
  }

  const page = await pages([A4]);
  const scripts: Uint8Array[] = [];
  for (const text of Object.values(TEXT_SAMPLES))
    scripts.push(await mark(page, { text, template: "diagonal", opacity: "0.6" }));
  await draw("scripts", scripts, 8);

  const card = await pages([CARD], undefined, "");
  const images: Uint8Array[] = [];
  for (const [name, bytes] of Object.entries(IMAGE_SAMPLES)) {
    const image = new File([new Uint8Array(bytes)], name);
    images.push(await mark(card, { image, opacity: "1", scale: "1", margin: "0" }, "image"));
  }
  await draw("images", images, 8, SMALL_CELL);
  for (const [index, name] of Object.keys(IMAGE_SAMPLES).entries())
    console.log(`  row ${Math.floor(index / 8) + 1}, column ${(index % 8) + 1}: ${name}`);

  const thumbnails: Raster[] = [];
  for (const template of Object.keys(TEMPLATES)) {
    const marked = await mark(await pages([A4], undefined, template), {
      text: "CONFIDENTIAL",
      template,
      opacity: "0.5",
    });
    thumbnails.push(...(await renderPages(marked, THUMBNAIL)));
  }
  await save("docs/templates.png", grid(inRows(thumbnails, 4), THUMBNAIL));
} finally {
  await worker.stop();
}

/** Creates a PDF with pages of text of the given sizes. The page at index `turned` has a /Rotate of 90. */
async function pages(
  sizes: readonly (readonly [number, number])[],
  turned?: number,
  title = "Agreement",
): Promise<Uint8Array<ArrayBuffer>> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const [index, [width, height]] of sizes.entries()) {
    const page: PDFPage = document.addPage([width, height]);
    if (index === turned) page.setRotation(degrees(90));
    const unit = Math.min(width, height) / 60;
    page.drawText(title, { x: 5 * unit, y: height - 9 * unit, size: 3 * unit, font });
    for (let y = height - 14 * unit; y > 7 * unit; y -= 2.4 * unit)
      page.drawRectangle({ x: 5 * unit, y, width: width - 10 * unit, height: 0.7 * unit, color: rgb(0.8, 0.82, 0.86) });
  }
  return new Uint8Array(await document.save());
}

function inRows<T>(items: readonly T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, row) =>
    items.slice(row * length, (row + 1) * length),
  );
}

async function save(path: string, raster: Raster): Promise<void> {
  const png = pngOf(raster);
  await writeFile(join(root, path), png);
  console.log(`${path}: ${raster.width} x ${raster.height}, ${(png.length / 1024).toFixed(0)} KB`);
}

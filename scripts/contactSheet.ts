/**
 * `npm run contact-sheet`: every template on pages of every kind, and every script, through the running Worker, drawn by
 * PDFium into `out/`; and the README's picture of the templates, `docs/templates.png`. To be looked at.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { degrees, PDFDocument, type PDFPage, rgb, StandardFonts } from "pdf-lib";
import { TEMPLATES } from "../src/schemas.ts";
import { callPaid } from "./lib/pay.ts";
import { grid, pngOf, type Raster, renderPages } from "./lib/raster.ts";
import { TEXT_SAMPLES } from "./lib/textSamples.ts";
import { startWorker } from "./lib/worker.ts";

const root = join(import.meta.dirname, "..");
const [A4, A5_LANDSCAPE, SLIDE, SQUARE] = [
  [595, 842],
  [595, 420],
  [960, 540],
  [120, 120],
] as const;
const CELL = { width: 260, height: 260 };
const THUMBNAIL = { width: 190, height: 269 };

/** Texts as they come: short, long, broken by the caller, numbered. */
const TEXTS = {
  short: "DRAFT",
  long: "This copy was made for the sole use of Example Trading Company Limited of Rotterdam and must not be passed on, published or stored by anyone else; whoever finds it is asked to destroy it and to write to legal@example.com.",
  lines: "CONFIDENTIAL\nPage {page} of {pages}\n{date}",
};

const worker = await startWorker();
try {
  const mark = async (pdf: Uint8Array<ArrayBuffer>, fields: Record<string, string>): Promise<Uint8Array> => {
    const form = new FormData();
    form.set("file", new File([pdf], "sheet.pdf"));
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const response = await callPaid(`${worker.url}/v1/watermark/text`, form);
    if (!response.ok) throw new Error(await response.text());
    const { output } = (await response.json()) as { output: { url: string } };
    return new Uint8Array(await (await fetch(output.url)).arrayBuffer());
  };
  await mkdir(join(root, "out"), { recursive: true });
  await mkdir(join(root, "docs"), { recursive: true });

  const kinds = await pages([A4, A5_LANDSCAPE, SLIDE, A4, SQUARE], 3);
  for (const [name, text] of Object.entries({ confidential: "CONFIDENTIAL", ...TEXTS })) {
    const rows: Raster[][] = [];
    for (const template of TEMPLATES) rows.push(await renderPages(await mark(kinds, { text, template }), CELL));
    await save(`out/templates-${name}.png`, grid(rows, CELL));
  }

  const page = await pages([A4]);
  const scripts: Raster[] = [];
  for (const text of Object.values(TEXT_SAMPLES))
    scripts.push(...(await renderPages(await mark(page, { text, template: "diagonal", opacity: "0.6" }), CELL)));
  await save("out/scripts.png", grid(inRows(scripts, 8), CELL));

  const thumbnails: Raster[] = [];
  for (const template of TEMPLATES) {
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

/** Pages of text of the given sizes, the one at `turned` by 90°. */
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

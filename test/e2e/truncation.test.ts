import type { Matrix } from "mupdf";
import { describe, expect, test } from "vitest";
import { ownMupdf } from "../support/mupdf.ts";
import { pdfOf, streamOf } from "../support/pdf.ts";
import { PdfWriter } from "../support/pdfWriter.ts";
import { SEEDS } from "../support/seeds.ts";
import { stamp } from "../support/stamp.ts";
import { render } from "./render.ts";

/** Whether a reader shows anything on a page (`ink`), and whether it shows the mark. */
type Shown = { ink: boolean; mark: boolean };

/**
 * Returns whether a page shows anything, and whether it shows the mark. Searches from the lower right corner, where the
 * mark is. A search from the top would read hundreds of millions of pixels.
 */
function shownIn(pixels: Uint8Array | Uint8ClampedArray, channels: number): Shown {
  let ink = false;
  for (let at = pixels.length - channels; at >= 0; at -= channels) {
    if (pixels[at]! >= 240 && pixels[at + 1]! >= 240 && pixels[at + 2]! >= 240) continue;
    ink = true;
    const isMagenta = pixels[at]! > 230 && pixels[at + 1]! < 25 && pixels[at + 2]! > 230;
    if (isMagenta) return { ink, mark: true };
  }
  return { ink, mark: false };
}

/** Number of failures after which the tests reload MuPDF, because an instance breaks after many failed calls. */
const MAX_FAILURES = 200;
let mupdf = await ownMupdf();
let failures = 0;
/** Scale of one pixel for two points. Small renderings are faster, and this size suffices here. */
const HALF: Matrix = [0.5, 0, 0, 0.5, 0, 0];

/** Renderers for damaged files, by reader. A renderer throws an error if the reader cannot show the file. */
const READERS: Record<string, (pdf: Uint8Array) => Shown[] | Promise<Shown[]>> = {
  PDFium: async (pdf) => {
    const pages = await render(pdf);
    return pages.map(({ rgba }) => shownIn(rgba, 4));
  },
  MuPDF: (pdf) => {
    const document = mupdf.Document.openDocument(pdf, "application/pdf");
    return Array.from({ length: document.countPages() }, (_, index) => {
      const pixmap = document.loadPage(index).toPixmap(HALF, mupdf.ColorSpace.DeviceRGB, false);
      const shown = shownIn(pixmap.getPixels(), 3);
      pixmap.destroy();
      return shown;
    });
  },
};

/** Returns the pages that a reader shows, or an empty list if the reader fails. */
async function shownBy(reader: string, pdf: Uint8Array): Promise<Shown[]> {
  try {
    return await READERS[reader]!(pdf);
  } catch (error) {
    // The reader itself crashed, for a reason unrelated to the file.
    if (error instanceof WebAssembly.RuntimeError) throw error;
    if (++failures % MAX_FAILURES === 0) mupdf = await ownMupdf();
    return [];
  }
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

/**
 * Sources that these tests skip. PDFium cannot open some of them even undamaged. Others contain uncompressed PDFs as
 * attachments, which stay unmarked. In a truncated file, readers may mistake an attachment's pages for pages of the
 * file.
 */
const EXCLUDED = ["catalog in the trailer", "attachments", "an attachment in an update"];
const SOURCES = Object.fromEntries(Object.entries(SEEDS).filter(([name]) => !EXCLUDED.includes(name)));

describe.each(Object.keys(READERS))("truncated results in %s", (reader) => {
  test.each(Object.entries(SOURCES))(
    "a marked file that is truncated within or at the end of the copied source shows no page without its mark: %s",
    async (_, source) => {
      const ends = [...latin1(source).matchAll(/%%EOF/g)].map(({ index }) => index + 6);
      expect(ends.length).toBeGreaterThan(0);
      expect((await shownBy(reader, source)).some(({ ink }) => ink)).toBe(true);

      const output = await stamp(source);
      for (const end of [...ends, source.length, Math.floor(source.length / 2)])
        for (const { ink, mark } of await shownBy(reader, output.subarray(0, end))) expect(ink && !mark).toBe(false);
    },
  );

  test.each(Object.entries({ ...SOURCES, ...mixed() }))(
    "a marked file that is truncated within the added bytes shows no page without its mark: %s",
    async (_, source) => {
      const output = await stamp(source);
      const text = latin1(output);
      const tail = text.indexOf("/Watermark") - 1000;
      const ends = [...text.matchAll(/endobj|stream\r?\n|xref|trailer|%%EOF/g)].map(
        (word) => word.index + word[0].length,
      );
      const cuts = ends.filter((end) => end > tail).flatMap((end) => [end - 12, end, end + 9, end + 60]);
      expect(cuts.length).toBeGreaterThan(20);
      for (const end of new Set(cuts))
        for (const { ink, mark } of await shownBy(reader, output.subarray(0, end)))
          expect(ink && !mark, `cut at ${end} of ${output.length}`).toBe(false);
    },
  );
});

/**
 * Returns three files. The first has its pages in an object stream, but not their resources. The second has the
 * resources in an object stream, but not the pages. The third has a page as a direct object in /Kids.
 */
function mixed(): Record<string, Uint8Array> {
  const box = "/MediaBox [0 0 300 400]";
  const file = (pagesPacked: boolean) => {
    const writer = new PdfWriter();
    const [catalog, node, first, second, resources, xobjects] = Array.from({ length: 6 }, () => writer.reserve());
    const contents = writer.stream("", Buffer.from("0.5 g 10 10 100 100 re f"));
    const page = `<< /Type /Page /Parent ${node} 0 R ${box} /Contents ${contents} 0 R`;
    const pages: [number, string][] = [
      [first!, `${page} /Resources ${resources} 0 R >>`],
      [second!, `${page} /Resources << /XObject ${xobjects} 0 R >> >>`],
    ];
    const shared: [number, string][] = [
      [resources!, "<< /ProcSet [/PDF] >>"],
      [xobjects!, "<< >>"],
      [node!, `<< /Type /Pages /Count 2 /Kids [${first} 0 R ${second} 0 R] >>`],
    ];
    writer.objectStream([[catalog!, `<< /Type /Catalog /Pages ${node} 0 R >>`], ...(pagesPacked ? pages : shared)]);
    for (const [num, text] of pagesPacked ? shared : pages) writer.object(text, num);
    return writer.finish(catalog!, "stream");
  };
  return {
    "pages in object streams, but not their resources": file(true),
    "resources in object streams, but not the pages": file(false),
    "pages written directly in a /Kids array": pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      `<< /Type /Pages /Count 2 /Kids [<< /Type /Page /Parent 2 0 R ${box} /Contents 3 0 R >> 4 0 R] /Resources 5 0 R >>`,
      streamOf("0.5 g 10 10 100 100 re f"),
      `<< /Type /Page /Parent 2 0 R ${box} /Contents 3 0 R >>`,
      "<< >>",
    ]),
  };
}

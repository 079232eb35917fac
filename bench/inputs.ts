import { deflateSync } from "node:zlib";
import { PdfWriter } from "../test/support/pdfWriter.ts";

/** Inputs of the benchmark, generated from a fixed seed. */
export const INPUTS = {
  a: { title: "10 pages, 100 KB", make: () => textPages(10, 10_000, "classic") },
  b: { title: "1,000 pages, 18 MB, object streams", make: () => textPages(1000, 18_000, "stream") },
  c: { title: "100 scans, 50 MB", make: () => scans(100, 500_000) },
  d: { title: "10,000 pages, 60 MB, in one list", make: () => textPages(10_000, 6_000, "classic") },
} as const;

export type InputName = keyof typeof INPUTS;

/** Makes a PDF of `count` pages of text. Each page has about `bytes` bytes of content. */
export function textPages(count: number, bytes: number, table: "classic" | "stream"): Uint8Array<ArrayBuffer> {
  const random = seeded(count);
  return pagesWith(() => pageOfText(random, bytes, table === "stream"), count, table);
}

/** Makes a PDF of identical pages of text, in a tenth of the time that {@link textPages} takes. */
export function samePages(count: number, bytes: number): Uint8Array<ArrayBuffer> {
  const page = pageOfText(seeded(count), bytes, false);
  return pagesWith(() => page, count, "classic");
}

/** Makes a PDF whose pages belong to one page tree node and share one /Font dictionary. */
function pagesWith(contentsOfNext: () => Uint8Array, count: number, table: "classic" | "stream") {
  const writer = new PdfWriter();
  const [catalog, pages, fonts] = [writer.reserve(), writer.reserve(), writer.reserve()];
  const small: [number, string][] = [
    [catalog, `<< /Type /Catalog /Pages ${pages} 0 R >>`],
    [fonts, "<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"],
  ];
  const kids: string[] = [];
  for (let index = 0; index < count; index++) {
    const contents = writer.stream(table === "stream" ? "/Filter /FlateDecode" : "", contentsOfNext());
    const page = writer.reserve();
    kids.push(`${page} 0 R`);
    small.push([
      page,
      `<< /Type /Page /Parent ${pages} 0 R /MediaBox [0 0 595 842] /Resources << /Font ${fonts} 0 R /ProcSet [/PDF /Text] >> /Contents ${contents} 0 R >>`,
    ]);
  }
  small.push([pages, `<< /Type /Pages /Count ${count} /Kids [${kids.join(" ")}] >>`]);

  if (table === "classic") for (const [number, body] of small) writer.object(body, number);
  else for (let at = 0; at < small.length; at += 100) writer.objectStream(small.slice(at, at + 100));
  return writer.finish(catalog, table);
}

/** Makes a PDF of short pages with one link each. Each page needs four objects. */
export function linkedPages(count: number): Uint8Array<ArrayBuffer> {
  const writer = new PdfWriter();
  const [catalog, pages, fonts] = [writer.reserve(), writer.reserve(), writer.reserve()];
  writer.object(`<< /Type /Catalog /Pages ${pages} 0 R >>`, catalog);
  writer.object("<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>", fonts);
  const kids = Array.from({ length: count }, (_, index) => {
    const contents = writer.stream("", Buffer.from(`BT /F1 24 Tf 72 700 Td (Page ${index + 1}) Tj ET`));
    const action = writer.object(`<< /S /URI /URI (https://example.com/${index + 1}) >>`);
    const link = writer.object(
      `<< /Type /Annot /Subtype /Link /Rect [72 690 200 730] /Border [0 0 0] /A ${action} 0 R >>`,
    );
    const page = `<< /Type /Page /Parent ${pages} 0 R /MediaBox [0 0 595 842] /Resources << /Font ${fonts} 0 R >> /Contents ${contents} 0 R /Annots [${link} 0 R] >>`;
    return `${writer.object(page)} 0 R`;
  });
  writer.object(`<< /Type /Pages /Count ${count} /Kids [${kids.join(" ")}] >>`, pages);
  return writer.finish(catalog, "classic");
}

/**
 * Makes a PDF of pages that consist of one image each, like the files of scanners. The image data are noise, which
 * cannot be compressed.
 */
export function scans(count: number, bytes: number): Uint8Array<ArrayBuffer> {
  const random = seeded(count);
  const writer = new PdfWriter();
  const [catalog, pages] = [writer.reserve(), writer.reserve()];
  writer.object(`<< /Type /Catalog /Pages ${pages} 0 R >>`, catalog);
  const side = Math.floor(Math.sqrt(bytes));
  const kids: string[] = [];
  for (let index = 0; index < count; index++) {
    const pixels = Buffer.from(Uint32Array.from({ length: Math.ceil((side * side) / 4) }, random).buffer).subarray(
      0,
      side * side,
    );
    const image = writer.stream(
      `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /ColorSpace /DeviceGray /BitsPerComponent 8`,
      pixels,
    );
    const contents = writer.stream("", Buffer.from("q 595 0 0 842 0 0 cm /Im0 Do Q"));
    kids.push(
      `${writer.object(`<< /Type /Page /Parent ${pages} 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /Im0 ${image} 0 R >> >> /Contents ${contents} 0 R >>`)} 0 R`,
    );
  }
  writer.object(`<< /Type /Pages /Count ${count} /Kids [${kids.join(" ")}] >>`, pages);
  return writer.finish(catalog, "classic");
}

function pageOfText(random: () => number, bytes: number, compressed: boolean): Uint8Array {
  let text = "BT /F1 9 Tf 11 TL 40 800 Td\n";
  // random letters compress to about 0.6 of their length
  const length = compressed ? bytes / 0.6 : bytes;
  while (text.length < length - 80) {
    let line = "";
    while (line.length < 70) line += `${random().toString(36)} `;
    text += `(${line}) Tj T*\n`;
  }
  const data = Buffer.from(`${text}ET`, "latin1");
  return compressed ? deflateSync(data, { level: 6 }) : data;
}

/** Returns a generator of 32-bit numbers that are the same in every run (xorshift). */
export function seeded(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/**
 * Files that might cost more work than their size justifies. Each function returns a file with `n` parts. If `n`
 * doubles, the work may at most double.
 */
import { deflateSync } from "node:zlib";
import { encode } from "./bytes.ts";
import { OWN, withOwnNames } from "./ownNames.ts";
import { PdfWriter } from "./pdfWriter.ts";

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Returns a PDF with a cross-reference table. `make` writes the objects of the PDF. */
function documentOf(make: (writer: PdfWriter, tree: number) => string): Uint8Array<ArrayBuffer> {
  const writer = new PdfWriter();
  const [catalog, tree] = [writer.reserve(), writer.reserve()];
  writer.object(`<</Type/Catalog/Pages ${tree} 0 R>>`, catalog);
  const kids = make(writer, tree);
  writer.object(`<</Type/Pages/MediaBox[0 0 200 200]/Kids[${kids}]>>`, tree);
  return writer.finish(catalog, "classic");
}

/**
 * Returns a PDF whose pages are stored in object streams of `perStream` pages. Each page is followed by `padding`
 * spaces. `at` returns the position of a page in the page tree.
 */
export function packedPages(count: number, perStream: number, padding: number, at: (index: number) => number) {
  const writer = new PdfWriter();
  const [catalog, tree] = [writer.reserve(), writer.reserve()];
  const contents = writer.stream("", encode("0 g 0 0 9 9 re f"));
  const pages = range(count).map(() => writer.reserve());
  for (let first = 0; first < count; first += perStream) {
    writer.objectStream(
      pages
        .slice(first, first + perStream)
        .map((num) => [num, `<</Type/Page/Parent ${tree} 0 R/Contents ${contents} 0 R>>${" ".repeat(padding)}`]),
    );
  }
  const kids = range(count).map((index) => `${pages[at(index)]} 0 R`);
  writer.objectStream([
    [catalog, `<</Type/Catalog/Pages ${tree} 0 R>>`],
    [tree, `<</Type/Pages/MediaBox[0 0 200 200]/Kids[${kids.join(" ")}]>>`],
  ]);
  return writer.finish(catalog, "stream");
}

/**
 * Returns a PDF of one page with `count` content streams. The length of each content stream is stored in a separate
 * object stream.
 */
export function lengthsApart(count: number): Uint8Array<ArrayBuffer> {
  const writer = new PdfWriter();
  const lengths = range(count).map(() => writer.reserve());
  const contents = lengths.map((num) => writer.object(`<</Length ${num} 0 R>>\nstream\n0 g\nendstream`));
  for (const num of lengths) writer.objectStream([[num, "3"]]);
  const [catalog, tree, page] = [writer.reserve(), writer.reserve(), writer.reserve()];
  writer.objectStream([
    [catalog, `<</Type/Catalog/Pages ${tree} 0 R>>`],
    [tree, `<</Type/Pages/MediaBox[0 0 9 9]/Kids[${page} 0 R]>>`],
    [page, `<</Type/Page/Parent ${tree} 0 R/Contents[${contents.map((num) => `${num} 0 R`).join(" ")}]>>`],
  ]);
  return writer.finish(catalog, "stream");
}

/** Returns the index of a page in an order in which consecutive pages alternate between the two halves of the file. */
export const alternating = (count: number) => (index: number) => (index % 2) * (count / 2) + Math.floor(index / 2);
/** Returns the index of a page in a pseudorandom order. `count` must not be a multiple of 7919. */
export const shuffled = (count: number) => (index: number) => (index * 7919) % count;

/**
 * Returns a file with an object stream that has these filters and data. The file claims that this object stream
 * contains the catalog.
 */
function packedBy(filters: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const writer = new PdfWriter();
  const catalog = writer.reserve();
  writer.objectStream([[catalog, "<</Type/Catalog/Pages 9 0 R>>"]]);
  writer.stream(`/Type/ObjStm/N 1/First 4/Filter[${filters}]`, data, 2);
  return writer.finish(catalog, "stream");
}

/** Returns a file with a chain of cross-reference streams. Each stream inflates to a megabyte. */
function xrefChain(count: number, predictor: string): Uint8Array {
  const data = deflateSync(new Uint8Array(1 << 20));
  let text =
    "%PDF-1.5\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]>>endobj 3 0 obj<</Type/Page>>endobj\n";
  let previous = "";
  for (const index of range(count)) {
    const at = text.length;
    const dict = `/Type/XRef/Size 10/Root 1 0 R/W[1 2 1]/Filter/FlateDecode${predictor}${previous}`;
    text += `${index + 4} 0 obj<<${dict}/Length ${data.length}>>stream\n${data.toString("latin1")}\nendstream endobj\n`;
    previous = `/Prev ${at}`;
  }
  return encode(`${text}startxref\n${previous.slice(6)}\n%%EOF`);
}

/** Returns a file whose cross-reference table lists objects that all extend to the end of the file. */
function overlapping(count: number): Uint8Array<ArrayBuffer> {
  const offsets: number[] = [];
  let text = "%PDF-1.4\n";
  const add = (body: string) => {
    offsets.push(text.length);
    text += `${offsets.length} 0 obj${body}`;
  };
  add("<</Type/Catalog/Pages 2 0 R>>endobj\n");
  add(
    `<</Type/Pages/MediaBox[0 0 9 9]/Kids[${range(count)
      .map((i) => `${i + 3} 0 R`)
      .join(" ")}]>>endobj\n`,
  );
  for (const _ of range(count)) add("<</Type/Page/A ");
  text += `0${">>".repeat(count)}endobj\n`;
  return tabled(text, offsets);
}

/** Returns a file with content streams that have a wrong /Length and no `endstream`. */
function endlessContents(count: number): Uint8Array<ArrayBuffer> {
  const offsets: number[] = [];
  let text = "%PDF-1.4\n";
  const add = (body: string) => {
    offsets.push(text.length);
    text += `${offsets.length} 0 obj${body}`;
  };
  add("<</Type/Catalog/Pages 2 0 R>>endobj\n");
  add(
    `<</Type/Pages/MediaBox[0 0 9 9]/Kids[${range(count)
      .map((i) => `${2 * i + 3} 0 R`)
      .join(" ")}]>>endobj\n`,
  );
  for (const index of range(count)) {
    add(`<</Type/Page/Contents ${2 * index + 4} 0 R>>endobj\n`);
    add("<</Length 1>>stream\n0 g\n");
  }
  return tabled(text, offsets);
}

function tabled(text: string, offsets: number[]): Uint8Array<ArrayBuffer> {
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = offsets.length + 1;
  return encode(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF`,
  );
}

/** The hostile files by name. A file has about 10 KB to 200 KB if `n` is 1000. */
export const HOSTILE_FILES: Record<string, (n: number) => Uint8Array> = {
  "pages that alternate between two large object streams": (n) => packedPages(2 * n, n, 8000, alternating(2 * n)),
  "pages of many object streams in random order": (n) => packedPages(10 * n, 100, 1000, shuffled(10 * n)),
  "pages that each have their own object stream": (n) => packedPages(4 * n, 1, 0, (index) => index),
  "ASCII85 under Flate": (n) => packedBy("/FlateDecode/ASCII85Decode", deflateSync(Buffer.alloc(n * 8000, "z"))),
  "ASCIIHex under Flate": (n) => packedBy("/FlateDecode/ASCIIHexDecode", deflateSync(Buffer.alloc(n * 16_000, "4"))),
  "RunLength under Flate": (n) =>
    packedBy("/FlateDecode/RunLengthDecode", deflateSync(Buffer.alloc(n * 400, "\x81x", "latin1"))),
  "LZW under Flate": (n) => packedBy("/FlateDecode/LZWDecode", deflateSync(Buffer.alloc(n * 1000, "\x80\x0b\x60\x50"))),
  "Flate under Flate": (n) => packedBy("/FlateDecode/FlateDecode", deflateSync(deflateSync(Buffer.alloc(n * 16_000)))),
  "compressed cross-reference streams": (n) => xrefChain(n / 20, ""),
  "cross-reference streams with a predictor": (n) => xrefChain(n / 20, "/DecodeParms<</Predictor 15/Columns 4>>"),
  "objects with a string that never ends": (n) =>
    encode(
      `%PDF-1.4\n${range(10 * n)
        .map((i) => `${i + 1} 0 obj<</A(`)
        .join("")}`,
    ),
  "objects with an array that never ends": (n) =>
    encode(
      `%PDF-1.4\n${range(10 * n)
        .map((i) => `${i + 1} 0 obj[`)
        .join("")}`,
    ),
  "objects with a string that ends in the last object": (n) =>
    encode(
      `%PDF-1.4\n${range(10 * n)
        .map((i) => `${i + 1} 0 obj<</A(`)
        .join("")}${")>>".repeat(10 * n)}`,
    ),
  "members with a string that never ends": (n) => {
    const writer = new PdfWriter();
    const members = range(10 * n).map((): [number, string] => [writer.reserve(), "<</A("]);
    writer.objectStream(members);
    return writer.finish(9_999_999, "stream");
  },
  "one array of contents for all pages": (n) =>
    documentOf((writer, tree) => {
      const stream = writer.stream("", encode("0 g"));
      const array = writer.object(`[${`${stream} 0 R `.repeat(n)}]`);
      return range(n)
        .map(() => `${writer.object(`<</Type/Page/Parent ${tree} 0 R/Contents ${array} 0 R>>`)} 0 R`)
        .join(" ");
    }),
  "contents that all refer to one object, which is not a stream": (n) =>
    documentOf((writer, tree) => {
      const other = writer.object(`<<${"/A 1".repeat(n)}>>`);
      return `${writer.object(`<</Type/Page/Parent ${tree} 0 R/Contents[${`${other} 0 R `.repeat(10 * n)}]>>`)} 0 R`;
    }),
  "contents that cannot be read": (n) =>
    documentOf((writer, tree) => {
      const other = writer.object(`<<${"/A[".repeat(n)}`);
      return `${writer.object(`<</Type/Page/Parent ${tree} 0 R/Contents[${`${other} 0 R `.repeat(10 * n)}]>>`)} 0 R`;
    }),
  "one array of kids for all nodes": (n) =>
    documentOf((writer, tree) => {
      const [array, page] = [writer.reserve(), writer.reserve()];
      const nodes = range(n).map(() => writer.object(`<</Type/Pages/Parent ${tree} 0 R/Kids ${array} 0 R>>`));
      writer.object(`<</Type/Page/Parent ${tree} 0 R>>`, page);
      writer.object(`[${nodes.map((node) => `${node} 0 R`).join(" ")} ${page} 0 R]`, array);
      return nodes.map((node) => `${node} 0 R`).join(" ");
    }),
  "one box of many numbers": (n) =>
    documentOf((writer, tree) => {
      const box = writer.object(`[0 0 9 9${" 1".repeat(50 * n)}]`);
      const pages = range(n).map(() => writer.object(`<</Type/Page/Parent ${tree} 0 R/MediaBox ${box} 0 R>>`));
      return pages.map((page) => `${page} 0 R`).join(" ");
    }),
  "nodes that are listed twice each": (n) =>
    documentOf((writer, tree) => {
      let below = writer.object(`<</Type/Pages/Parent ${tree} 0 R/Count 0/Kids[]>>`);
      for (const _ of range(n)) below = writer.object(`<</Type/Pages/Kids[${below} 0 R ${below} 0 R]>>`);
      return `${below} 0 R ${writer.object(`<</Type/Page/Parent ${tree} 0 R>>`)} 0 R`;
    }),
  "XObjects with the names that the mark uses": (n) =>
    withOwnNames(
      documentOf((writer, tree) => {
        const names = range(10 * n).map((index) => `/${OWN}${index}x 9 0 R`);
        return `${writer.object(`<</Type/Page/Parent ${tree} 0 R/Resources<</XObject<<${names.join("")}>>>>>>`)} 0 R`;
      }),
    ),
  "kids that do not end": (n) => {
    const kids = range(n).map((index) => `${index + 3} 0 R`);
    const pages = range(n).map((index) => `${index + 3} 0 obj<</Type/Page/A[(${"x".repeat(40)})`);
    return encode(
      `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[${kids.join(" ")}]>>endobj\n${pages.join("\n")}\ntrailer<</Root 1 0 R>>`,
    );
  },
  "trailers within trailers": (n) =>
    encode(`%PDF-1.4\n1 0 obj<<>>endobj\n${"trailer<</A".repeat(10 * n)} 1${">>".repeat(10 * n)}`),
  "trailers that never end": (n) => encode(`%PDF-1.4\n1 0 obj<<>>endobj\n${"trailer<</A".repeat(10 * n)}`),
  "objects that overlap": overlapping,
  "contents without an end": endlessContents,
};

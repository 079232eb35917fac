import { deflateSync } from "node:zlib";
import { pdfOf, streamOf } from "./pdf.ts";
import { PdfWriter } from "./pdfWriter.ts";

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const textOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

/** Small PDFs of each structure a reader must know: what the fuzzer starts from. */
export const SEEDS: Record<string, Uint8Array> = {
  "classic table": classic(),
  "object streams": objectStreams(),
  "incremental update": updated(classic()),
  hybrid: hybrid(),
  "page tree of five levels": deep(),
};

function classic(): Uint8Array {
  return pdfOf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] /MediaBox [0 0 300 400] /Resources << /Font << /F1 6 0 R >> >> >>",
      "<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Rotate 90 /CropBox [10 10 200 300] >>",
      "<< /Type /Page /Parent 2 0 R /Contents [5 0 R 7 0 R] /Annots [8 0 R] >>",
      streamOf("q 0.5 g 10 10 100 100 re f Q"),
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      streamOf("BT /F1 12 Tf 20 20 Td (words) Tj ET"),
      "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (http://example.com/\\)) >> >>",
    ],
    "/Info << /Title (A \\(title\\)) >> /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]",
  );
}

function objectStreams(): Uint8Array {
  const writer = new PdfWriter();
  const [catalog, pages, first, second] = [writer.reserve(), writer.reserve(), writer.reserve(), writer.reserve()];
  const contents = writer.stream("/Filter /FlateDecode", deflateSync("0.5 g 10 10 100 100 re f"));
  writer.objectStream([
    [catalog, `<< /Type /Catalog /Pages ${pages} 0 R >>`],
    [pages, `<< /Type /Pages /Count 2 /Kids [${first} 0 R ${second} 0 R] /MediaBox [0 0 300 400] >>`],
    [first, `<< /Type /Page /Parent ${pages} 0 R /Contents ${contents} 0 R /Resources << /ProcSet [/PDF] >> >>`],
  ]);
  writer.objectStream([[second, `<< /Type /Page /Parent ${pages} 0 R /Contents [${contents} 0 R] /UserUnit 2 >>`]]);
  return writer.finish(catalog, "stream");
}

function updated(base: Uint8Array): Uint8Array {
  const text = textOf(base);
  const before = /startxref\n(\d+)/.exec(text)![1];
  const object = "3 0 obj\n<< /Type /Page /Parent 2 0 R /Contents 7 0 R >>\nendobj\n";
  const xref = text.length + object.length;
  const entry = `${String(text.length).padStart(10, "0")} 00000 n \n`;
  return latin1(
    `${text}${object}xref\n3 1\n${entry}trailer\n<< /Size 9 /Root 1 0 R /Prev ${before} >>\nstartxref\n${xref}\n%%EOF\n`,
  );
}

function hybrid(): Uint8Array {
  const text = textOf(classic());
  const rows = deflateSync(Uint8Array.of(0, 0, 0, 0));
  const stream = `10 0 obj\n${streamOf(textOf(rows), "/Type /XRef /Size 11 /W [1 2 1] /Index [9 1] /Filter /FlateDecode")}\nendobj\n`;
  const [head, tail] = [text.slice(0, text.indexOf("xref\n")), text.slice(text.indexOf("xref\n"))];
  return latin1(
    head +
      stream +
      tail
        .replace("/Root", `/XRefStm ${head.length} /Root`)
        .replace(/startxref\n\d+/, `startxref\n${head.length + stream.length}`),
  );
}

function deep(): Uint8Array {
  const levels = Array.from(
    { length: 5 },
    (_, level) =>
      `<< /Type /Pages /Count 1 /Kids [${level + 3} 0 R] ${level ? `/Parent ${level + 1} 0 R` : "/MediaBox [0 0 100 100]"} >>`,
  );
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    ...levels,
    "<< /Type /Page /Parent 6 0 R /Contents 8 0 R >>",
    streamOf("0 0 9 9 re f"),
  ]);
}

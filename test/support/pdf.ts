import { encode } from "./bytes.ts";

/**
 * Returns a PDF of these objects with a cross-reference table. The objects are numbered from 1, and the first is the
 * catalog.
 */
export function pdfOf(objects: string[], trailer = ""): Uint8Array<ArrayBuffer> {
  let file = "%PDF-1.7\n";
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const xref = file.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${xref}\n%%EOF\n`;
  return encode(file);
}

/** Returns the text of a stream object. */
export function streamOf(content: string, entries = ""): string {
  return `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`;
}

/**
 * Returns a PDF with plain pages. Each string contains the entries of one page, except /Type, /Parent and the empty
 * /Contents.
 */
export function pagesOf(pages: string[]): Uint8Array<ArrayBuffer> {
  const kids = pages.map((_, index) => `${index + 4} 0 R`).join(" ");
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    streamOf("0.9 g 0 0 10 10 re f"),
    ...pages.map((entries) => `<< /Type /Page /Parent 2 0 R /Contents 3 0 R ${entries} >>`),
  ]);
}

/** A PDF of one A4 page. */
export const onePage = pagesOf(["/MediaBox [0 0 595 842]"]);

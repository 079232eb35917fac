import * as mupdf from "mupdf";
import { getDocument } from "unpdf/pdfjs";
import { pdfium } from "../../scripts/lib/raster.ts";

/** Returns the text of each page of a PDF, as a reader extracts it for search and copy. */
type Extractor = (pdf: Uint8Array) => Promise<string[]>;

/** Text extraction of each reader, by the name of the reader. */
export const EXTRACTORS: Readonly<Record<"PDFium" | "MuPDF" | "pdf.js", Extractor>> = {
  async PDFium(pdf) {
    const document = await (await pdfium()).loadDocument(Buffer.from(pdf));
    const texts = Array.from(document.pages(), (page) => page.getText());
    document.destroy();
    return texts;
  },
  async MuPDF(pdf) {
    const document = mupdf.Document.openDocument(pdf, "application/pdf");
    return Array.from({ length: document.countPages() }, (_, index) =>
      document.loadPage(index).toStructuredText("preserve-whitespace").asText(),
    );
  },
  async "pdf.js"(pdf) {
    const document = await getDocument({ data: pdf.slice(), verbosity: 0 }).promise;
    const texts: string[] = [];
    for (let number = 1; number <= document.numPages; number++) {
      const { items } = await (await document.getPage(number)).getTextContent();
      texts.push(items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join(""));
    }
    await document.loadingTask.destroy();
    return texts;
  },
};

/** Returns a text without the characters that readers add: line breaks, surrounding spaces and directional marks. */
export function plainText(text: string): string {
  return text
    .replace(/[\u200e\u200f\u202a-\u202e]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .normalize("NFC");
}

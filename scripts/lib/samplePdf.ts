import { degrees, PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from "pdf-lib";

const PARAGRAPH =
  "The parties agree that every page of this document shall carry its mark where the reader sees it, whichever way the page was scanned, cropped or turned before it came to be signed.";

/**
 * Creates a contract of four pages: upright, landscape, rotated by /Rotate, and with a crop box away from the origin.
 */
export async function samplePdf(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.TimesRoman);

  write(document.addPage([595, 842]), font, "1. An upright page", 60, 780, 475);
  write(document.addPage([842, 595]), font, "2. A landscape page", 60, 533, 720);

  const turned = document.addPage([842, 595]);
  turned.setRotation(degrees(90));
  write(turned, font, "3. A page turned by its /Rotate", 60, 533, 720);

  const cropped = document.addPage([800, 1000]);
  cropped.setCropBox(100, 80, 595, 842);
  write(cropped, font, "4. A page cropped off its origin", 160, 860, 475);

  return document.save();
}

function write(page: PDFPage, font: PDFFont, title: string, x: number, top: number, width: number) {
  page.drawText(title, { x, y: top, size: 22, font, color: rgb(0.1, 0.1, 0.3) });
  for (let i = 0; i < 4; i++)
    page.drawText(PARAGRAPH, { x, y: top - 50 - i * 90, size: 13, lineHeight: 18, font, maxWidth: width });
}

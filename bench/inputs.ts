import { PDFDocument, StandardFonts } from "pdf-lib";

/** A PDF of pages full of text, about 8 KB each. */
export async function textPages(count: number): Promise<Uint8Array<ArrayBuffer>> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let page = 0; page < count; page++) {
    const sheet = document.addPage([595, 842]);
    for (let line = 0; line < 60; line++) {
      const words = Array.from({ length: 12 }, (_, word) =>
        ((page * 7919 + line * 104729 + word * 1299709) % 99991).toString(36),
      );
      sheet.drawText(words.join(" "), { x: 50, y: 790 - line * 12, size: 9, font });
    }
  }
  return new Uint8Array(await document.save({ useObjectStreams: false }));
}

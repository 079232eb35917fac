/** The marked pages that the page at `/` shows as pictures: one for each template, and pages that other tools get wrong. */
import { concatTransformationMatrix, degrees, PDFDocument, type PDFPage, rgb } from "pdf-lib";
import { TEMPLATES, type TemplateName, type TextMark, watermark } from "../../src/engine/index.ts";
import { loadFont } from "./loadFont.ts";
import { sampleContract } from "./sampleContract.ts";

/** Longest side of a picture in pixels: about twice its size on the page at `/`. */
const SIDES = { template: 300, contract: 440, large: 600, small: 400 };

const INK = rgb(0.13, 0.14, 0.17);
const LINE = rgb(0.85, 0.86, 0.88);

/** A picture: its name in `web/pictures/`, its longest side in pixels, and the marked page. */
export interface SitePicture {
  name: string;
  side: number;
  pdf: Uint8Array;
}

/** Marks the pages of all pictures. */
export async function sitePictures(): Promise<SitePicture[]> {
  const pictures: SitePicture[] = [];
  const add = async (name: string, side: number, paint: (page: PDFPage) => void, options: TextMark) => {
    const source = await PDFDocument.create();
    paint(source.addPage([212, 300]));
    pictures.push({ name, side, pdf: await markedBytes(await source.save(), options) });
  };
  for (const name of Object.keys(TEMPLATES) as TemplateName[]) {
    const isLine = TEMPLATES[name].sizeShare < 0.03;
    await add(`template-${name}`, SIDES.template, (page) => write(page), {
      text: isLine ? "Draft of 1 May" : "DRAFT",
      template: name,
      opacity: 0.75,
      ...(isLine && { fontSizePt: 13 }), // enlarges marks of one line, which would otherwise be unreadable in a small picture
    });
  }

  const mark: TextMark = { text: "CONFIDENTIAL", color: "#d6006c", opacity: 0.75 };
  const contract = await sampleContract();
  pictures.push({ name: "before", side: SIDES.contract, pdf: contract });
  pictures.push({ name: "after", side: SIDES.contract, pdf: await markedBytes(contract, { ...mark, opacity: 0.6 }) });
  await add(
    "landscape",
    SIDES.large,
    (page) => {
      page.setSize(300, 212);
      chart(page);
    },
    mark,
  );
  await add(
    "turned",
    SIDES.small,
    (page) => {
      // stores the content sideways, as a scanner does, with a /Rotate that turns the page upright
      page.setSize(300, 212);
      page.setRotation(degrees(90));
      page.pushOperators(concatTransformationMatrix(0, 1, -1, 0, 300, 0));
      write(page);
    },
    mark,
  );
  await add(
    "cropped",
    SIDES.small,
    (page) => {
      page.setSize(380, 460);
      page.setCropBox(60, 90, 212, 300);
      write(page, 60, 90);
    },
    mark,
  );
  return pictures;
}

/** Marks a PDF and returns its bytes. */
export async function markedBytes(source: Uint8Array, mark: TextMark): Promise<Uint8Array> {
  const plan = await watermark(source, mark, { loadFont, date: new Date("2026-01-01") });
  const chunks: Uint8Array[] = [];
  for await (const chunk of plan.chunks()) chunks.push(chunk.slice());
  return Buffer.concat(chunks);
}

/** Draws a page of a letter: a heading, and bars for lines. */
function write(page: PDFPage, left = 0, bottom = 0): void {
  page.drawRectangle({ x: left + 22, y: bottom + 246, width: 84, height: 9, color: INK });
  page.drawRectangle({ x: left + 22, y: bottom + 234, width: 52, height: 4, color: LINE });
  const lengths = [168, 160, 168, 150, 96, 0, 168, 164, 168, 158, 168, 60, 0, 168, 150, 120];
  for (const [row, length] of lengths.entries())
    if (length > 0)
      page.drawRectangle({ x: left + 22, y: bottom + 212 - row * 11, width: length, height: 4, color: LINE });
}

/** Draws a page of a report: a heading, and the columns of a chart. */
function chart(page: PDFPage): void {
  page.drawRectangle({ x: 22, y: 176, width: 110, height: 9, color: INK });
  page.drawRectangle({ x: 22, y: 164, width: 66, height: 4, color: LINE });
  for (const [column, height] of [46, 70, 58, 92, 80, 112, 104].entries())
    page.drawRectangle({ x: 22 + column * 37.5, y: 24, width: 25, height, color: LINE });
}

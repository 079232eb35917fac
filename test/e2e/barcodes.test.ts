/** Tests that the QR code of a boarding pass can still be scanned after marking. */
import jsqr from "jsqr";
import { describe, expect, it } from "vitest";
import { loadFont } from "../../scripts/lib/loadFont.ts";
import { renderPagesByMupdf } from "../../scripts/lib/raster.ts";
import { type TextMark, watermark } from "../../src/engine/index.ts";
import { joined } from "../support/bytes.ts";
import { pdfOf, streamOf } from "../support/pdf.ts";
import { QR_ROWS, QR_TEXT } from "../support/qrCode.ts";

const MODULES = QR_ROWS.length;
const SIDE = 110;
const DARK = "#";

/** Content that draws each module (cell) of the QR code as a rectangle. */
const RECTANGLES = QR_ROWS.flatMap((row, y) =>
  Array.from(row, (module, x) => (module === DARK ? `${x} ${MODULES - 1 - y} 1 1 re f` : "")),
).join("\n");
/** Content that draws each run of dark modules in a row as a thick line. */
const LINES = QR_ROWS.flatMap((row, y) => {
  const middle = MODULES - 0.5 - y;
  return Array.from(
    row.matchAll(/#+/g),
    ({ 0: run, index }) => `${index} ${middle} m ${index + run.length} ${middle} l S`,
  );
}).join("\n");
/** Returns the samples of an image that shows the QR code, in hexadecimal. */
const samples = (dark: string, light: string) =>
  QR_ROWS.map((row) => Array.from(row, (module) => (module === DARK ? dark : light)).join("")).join("");
const BITS = QR_ROWS.map((row) => {
  const bits = Array.from(row.padEnd(32, "."), (module) => (module === DARK ? "0" : "1")).join("");
  return Number.parseInt(bits, 2).toString(16).padStart(8, "0");
}).join("");
const image = (entries: string, data: string) =>
  streamOf(
    `${data}>`,
    `/Type/XObject/Subtype/Image/Width ${MODULES}/Height ${MODULES}${entries}/Filter/ASCIIHexDecode`,
  );

/**
 * Returns a boarding pass with the QR code in its upper right corner, where the template `stamp` draws its mark by
 * default.
 */
function boardingPass(code: string, xobject: string): Uint8Array {
  const scale = SIDE / MODULES;
  const text = ["BOARDING PASS", "FRA - JFK", "Seat 7C", "Gate B42", "Boarding 09:35"]
    .map((line, i) => `BT /F ${i === 0 ? 24 : 14} Tf 40 ${250 - 40 * i} Td (${line}) Tj ET`)
    .join("\n");
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 300] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >>",
    streamOf(`${text}\nq ${scale} 0 0 ${scale} 365 165 cm ${code} Q`),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    xobject,
  ]);
}

const NO_IMAGE = image("/BitsPerComponent 1/ImageMask true", BITS);
const IMAGE = `${MODULES} 0 0 ${MODULES} 0 0 cm /X Do`;
const PASSES: [string, Uint8Array][] = [
  ["rectangles", boardingPass(RECTANGLES, NO_IMAGE)],
  ["one path", boardingPass(`${RECTANGLES.replaceAll(" f", "")} f`, NO_IMAGE)],
  ["lines", boardingPass(`1 w ${LINES}`, NO_IMAGE)],
  ["an image of bits", boardingPass(IMAGE, image("/BitsPerComponent 1/ColorSpace/DeviceGray", BITS))],
  ["a gray image", boardingPass(IMAGE, image("/BitsPerComponent 8/ColorSpace/DeviceGray", samples("00", "ff")))],
  ["an RGB image", boardingPass(IMAGE, image("/BitsPerComponent 8/ColorSpace/DeviceRGB", samples("101030", "ffffff")))],
];

async function read(pdf: Uint8Array): Promise<string | undefined> {
  const [{ rgb, width, height }] = (await renderPagesByMupdf(pdf, { width: 500, height: 300 })) as [
    { rgb: Uint8Array; width: number; height: number },
  ];
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i++) rgba.set(rgb.subarray(3 * i, 3 * i + 3), 4 * i);
  return jsqr(rgba, width, height)?.data;
}

describe.each(PASSES)("the QR code of a boarding pass drawn as %s", (_, pass) => {
  it.each<TextMark>([
    { text: "COPY COPY COPY", template: "stamp", opacity: 1 },
    { text: "COPY", template: "tiled", opacity: 1, fontSizePt: 20 },
  ])(
    "a $template mark with the position auto leaves a QR code readable, but one with the default position does not",
    async (mark) => {
      const marked = async (position: TextMark["position"]) =>
        joined((await watermark(pass, { ...mark, position }, { loadFont })).chunks());
      expect(await read(pass)).toBe(QR_TEXT);
      expect(await read(await marked(undefined))).not.toBe(QR_TEXT);
      expect(await read(await marked("auto"))).toBe(QR_TEXT);
    },
  );
});

/** Tests that all readers show marks that are drawn under the page's content. */
import { expect, test } from "vitest";
import { loadFont } from "../../scripts/lib/loadFont.ts";
import { watermark } from "../../src/engine/index.ts";
import { encodeJpeg } from "../engine/images/encodeJpeg.ts";
import { encodePng } from "../engine/images/encodePng.ts";
import { joined } from "../support/bytes.ts";
import { pagesOf, pdfOf, streamOf } from "../support/pdf.ts";
import { pngOf } from "../support/png.ts";
import { readersOf } from "./readers.ts";

const SIDE = 200;
const CONTENTS: [string, string][] = [
  ["content", "0 0 1 rg 90 0 20 200 re f"],
  ["malformed content", "0 0 1 rg 90 0 20 200 re f q ( "],
];
const disc = (x: number, y: number) => [255, 0, 255, (x - 3.5) ** 2 + (y - 3.5) ** 2 < 16 ? 200 : 60];
const IMAGES: [string, Uint8Array][] = [
  ["an opaque PNG", pngOf(8, 8, [255, 0, 255])],
  ["a PNG with alpha", encodePng({ width: 8, height: 8, bitDepth: 8, colorType: 6, samples: disc })],
  ["a JPEG", encodeJpeg({ width: 1, height: 1, color: () => [105, 212, 235] })],
];

const pages = readersOf(SIDE).flatMap((reader) =>
  IMAGES.flatMap((image) => CONTENTS.map((content) => ({ reader, image, content }))),
);

test.each(pages.map((page) => [page.reader.name, page.image[0], page.content[0], page] as const))(
  "%s draws the mark (%s) under the content of the page: %s",
  async (_, _image, _content, { reader, image, content }) => {
    if (reader.missing) return;
    const source = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${SIDE} ${SIDE}] /Contents 4 0 R >>`,
      streamOf(content[1]),
    ]);
    const plan = await watermark(source, { image: image[1], layer: "under", opacity: 0.5, scale: 0.8, marginPt: 0 });
    const [page] = await reader.draw(await joined(plan.chunks()), 1);
    const at = (x: number, y: number) => Array.from(page!.rgb.subarray(3 * (y * SIDE + x), 3 * (y * SIDE + x) + 3));
    const isNear = (actual: number[], expected: number[]) =>
      actual.every((value, i) => Math.abs(value - expected[i]!) < 12);
    expect([at(60, 100), at(140, 100)].every((pixel) => isNear(pixel, [255, 128, 255]))).toBe(true);
    expect(isNear(at(100, 100), [0, 0, 255])).toBe(true);
    expect(isNear(at(10, 100), [255, 255, 255])).toBe(true);
  },
);

test("text under the content of a page is visible where the page is blank", async () => {
  const mark = { text: "HHH", layer: "under", color: "#ff00ff", opacity: 0.5, template: "horizontal" } as const;
  const output = await joined(
    (await watermark(pagesOf([`/MediaBox [0 0 ${SIDE} ${SIDE}]`]), mark, { loadFont })).chunks(),
  );
  for (const reader of readersOf(SIDE)) {
    if (reader.missing) continue;
    const { rgb } = (await reader.draw(output, 1))[0]!;
    let pixels = 0;
    for (let i = 0; i < rgb.length; i += 3) if (rgb[i]! > 240 && Math.abs(rgb[i + 1]! - 128) < 12) pixels++;
    expect(pixels, reader.name).toBeGreaterThan(500);
  }
});

/** Renders the marked sample pages with PDFium, and compares them with the stored pictures of the page at `/`. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { expect, test } from "vitest";
import { renderPages } from "../../scripts/lib/raster.ts";
import { sitePictures } from "../../scripts/lib/sitePictures.ts";

const folder = join(import.meta.dirname, "../../web/pictures");
const pictures = await sitePictures();

test("web/pictures contains one WebP file for each picture of the site, and no other files", async () => {
  expect((await readdir(folder)).toSorted()).toEqual(pictures.map(({ name }) => `${name}.webp`).toSorted());
});

test.each(pictures)(
  "the website picture $name shows what PDFium draws (if not, run `npm run draw-pictures`)",
  async ({ name, side, pdf }) => {
    const [page] = await renderPages(pdf, { width: side, height: side });
    const { width, height, rgb } = page!;
    const picture = await loadImage(await readFile(join(folder, `${name}.webp`)));
    expect([picture.width, picture.height]).toEqual([width, height]);
    const canvas = createCanvas(width, height);
    const ink = canvas.getContext("2d");
    ink.drawImage(picture, 0, 0);
    const { data } = ink.getImageData(0, 0, width, height);
    let wrong = 0;
    for (let pixel = 0; pixel < width * height; pixel++) {
      const differs = [0, 1, 2].some(
        (channel) => Math.abs(data[4 * pixel + channel]! - rgb[3 * pixel + channel]!) > 40,
      );
      if (differs) wrong++;
    }
    expect(wrong / (width * height)).toBeLessThan(0.005); // WebP compression blurs some edges.
  },
);

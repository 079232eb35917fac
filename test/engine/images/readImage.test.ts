import { expect, test } from "vitest";
import { readImage } from "../../../src/engine/images/readImage.ts";
import { encodePng, type PngSpec } from "./encodePng.ts";
import { expectPixels, LIMITS, noise, pixelsOf } from "./expected.ts";
import { render } from "./render.ts";

const spec = (side: number): PngSpec => ({
  ...{ width: side, height: side, colorType: 6, bitDepth: 8 },
  samples: (x, y) => [0, 1, 2, 3].map((channel) => noise(x, y, channel, 8)),
});

test("readImage decodes a PNG only once for several marked files", async () => {
  const png = encodePng(spec(9));
  const picture = await readImage(png, LIMITS);
  expect(await readImage(png.slice(), LIMITS)).toBe(picture);
  expect(await readImage(encodePng(spec(10)), LIMITS)).not.toBe(picture);
});

test("readImage caches a PNG once if two calls read the PNG concurrently", async () => {
  const png = encodePng(spec(11));
  const [one, other] = await Promise.all([readImage(png, LIMITS), readImage(png, LIMITS)]);
  expect([other, await readImage(png, LIMITS)]).toEqual([one, one]);
});

test("readImage decodes a cached PNG again if the next call has other size limits", async () => {
  const png = encodePng(spec(9));
  expect(await readImage(png, { ...LIMITS, maxBitDepth: 8 })).not.toBe(await readImage(png, LIMITS));
  await expect(readImage(png, { maxPixels: 80 })).rejects.toMatchObject({ code: "image_too_large" });
});

test("readImage retains a copy of an image's bytes, so that the caller may reuse the original buffer", async () => {
  const png = encodePng({ ...spec(9), colorType: 2, samples: (x, y) => [x, y, 255] });
  const body = new Uint8Array(png.length + 20);
  body.set(png, 10);
  const picture = await readImage(body.subarray(10, -10), LIMITS);
  body.fill(0);
  expectPixels(await render(picture), pixelsOf({ ...spec(9), colorType: 2, samples: (x, y) => [x, y, 255] }));
});

test("readImage does not cache an image of more than 1 MB", async () => {
  const png = encodePng(spec(600));
  expect(png.length).toBeGreaterThan(2 ** 20);
  expect(await readImage(png, LIMITS)).not.toBe(await readImage(png, LIMITS));
});

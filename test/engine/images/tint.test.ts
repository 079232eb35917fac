import { describe, expect, it } from "vitest";
import type { ImageLimits } from "../../../src/engine/images/checkSize.ts";
import { readImage } from "../../../src/engine/images/readImage.ts";
import { decodeEntry, tinted } from "../../../src/engine/images/tint.ts";
import { adobe, encodeJpeg } from "./encodeJpeg.ts";
import { encodePng } from "./encodePng.ts";
import { BACKGROUND, type Rgb, renderPage, Sink } from "./render.ts";

const LIMITS: ImageLimits = { maxPixels: 10_000, hasHardMask: true };
const TINT = 0.3;

it("a tint mixes each color byte with white", () => {
  expect(tinted(Uint8Array.of(0, 100, 255), TINT)).toEqual(Uint8Array.of(179, 209, 255));
});

it.each([
  [3, 1, false, ""],
  [1, 0.25, false, "/Decode [0.75 1]"],
  [3, 0.25, false, "/Decode [0.75 1 0.75 1 0.75 1]"],
  [4, 0.25, false, "/Decode [0 0.25 0 0.25 0 0.25 0 0.25]"],
  [4, 0.25, true, "/Decode [0.25 0 0.25 0 0.25 0 0.25 0]"],
])(
  "returns the /Decode entry for %i components with the tint %d, inverted: %s",
  (components, tint, isInverted, expected) => {
    expect(decodeEntry(components, tint, isInverted)).toBe(expected);
  },
);

/** Returns the color of the first pixel of an image on a green page. */
async function firstPixel(image: Uint8Array, tint: number): Promise<Rgb> {
  const sink = new Sink();
  const { xobject } = (await readImage(image, LIMITS)).embed(sink, tint);
  const content = `${BACKGROUND.map((value) => value / 255).join(" ")} rg 0 0 8 8 re f 8 0 0 8 0 0 cm /I Do`;
  return (await renderPage(content, { width: 8, height: 8 }, `/XObject << /I ${xobject} >>`, sink))[0]!;
}

const png = (spec: Partial<Parameters<typeof encodePng>[0]> & { colorType: number }) =>
  encodePng({ width: 8, height: 8, bitDepth: 8, samples: () => [60, 20, 200], ...spec } as Parameters<
    typeof encodePng
  >[0]);
const jpeg = (color: number[], ...segments: Uint8Array[]) =>
  encodeJpeg({ width: 1, height: 1, color: () => color, segments });

describe("a tinted image", () => {
  it.each<[string, Uint8Array, number?]>([
    ["an RGB PNG", png({ colorType: 2 })],
    ["a gray PNG", png({ colorType: 0, samples: () => [60] })],
    ["a PNG with 16 bits per sample", png({ colorType: 2, bitDepth: 16, samples: () => [9999, 20, 60_000] })],
    ["a PNG with a palette", png({ colorType: 3, palette: [[60, 20, 200]], samples: () => [0] })],
    ["a gray JPEG", jpeg([60])],
    ["a color JPEG", jpeg([100, 200, 90])],
    ["a CMYK JPEG", jpeg([200, 20, 60, 0]), 25],
    ["an inverted CMYK JPEG", jpeg([55, 235, 195, 255], adobe(0)), 25],
  ])("a tint mixes the colors of %s with white", async (_, image, tolerance = 2) => {
    const [whole, mixed] = [await firstPixel(image, 1), await firstPixel(image, TINT)];
    // CMYK has a larger tolerance, because mixing inks only approximates mixing the displayed colors.
    for (const [i, channel] of mixed.entries())
      expect(Math.abs(channel - (255 - TINT * (255 - whole[i]!)))).toBeLessThanOrEqual(tolerance);
  });

  it.each([
    [127, BACKGROUND],
    [128, [197, 185, 239]],
    [255, [197, 185, 239]],
  ] as [number, Rgb][])(
    "a pixel of a tinted image is either fully visible or invisible, depending on its alpha: %i",
    async (alpha, expected) => {
      const image = png({ colorType: 6, samples: () => [60, 20, 200, alpha] });
      const pixel = await firstPixel(image, TINT);
      for (const [i, channel] of pixel.entries()) expect(Math.abs(channel - expected[i]!)).toBeLessThanOrEqual(2);
    },
  );
});

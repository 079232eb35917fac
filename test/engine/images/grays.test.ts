import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { displayProfile, sampledCurveTag } from "../../../src/engine/images/iccWriter.ts";
import { readImage } from "../../../src/engine/images/readImage.ts";
import { encode } from "../../support/bytes.ts";
import { concat, encodePng, type PngSpec, uint16, uint32 } from "./encodePng.ts";
import { colorOf, expectPixels, LIMITS, pixelsOf } from "./expected.ts";
import { profile } from "./profile.ts";
import { render, Sink } from "./render.ts";

const SIDE = 16;
const value = (x: number, y: number, bits: number) => Math.floor(((x * SIDE + y) / 255) * (2 ** bits - 1));

/**
 * Returns an image with three color channels and only gray pixels. `colored` is the index of a pixel that is not gray,
 * if any.
 */
function image(more: Partial<PngSpec>, colored?: number): PngSpec {
  const { bitDepth = 8, colorType = 2 } = more;
  const samples = (x: number, y: number) => {
    const gray = value(x, y, bitDepth);
    const rgb = [gray, gray, y * SIDE + x === colored ? gray ^ 1 : gray];
    return colorType === 6 ? [...rgb, x === y ? 0 : ((255 - x) * (2 ** bitDepth - 1)) / 255] : rgb;
  };
  return { width: SIDE, height: SIDE, colorType, bitDepth, samples, ...more };
}

async function spaceOf(spec: PngSpec, sink = new Sink()): Promise<string | undefined> {
  (await readImage(encodePng(spec), LIMITS)).embed(sink);
  return /\/ColorSpace (\/Device\w+|\[.*?\]) \/BitsPerComponent \d+ (?!.*\/Colors 1 .*\/DeviceGray)/.exec(
    sink.text.split("\n").at(-1)!,
  )?.[1];
}

const KINDS = ([2, 6] as const).flatMap((colorType) =>
  [8, 16].flatMap((bitDepth) => [false, true].map((interlaced) => ({ colorType, bitDepth, interlaced }))),
);

describe("an RGB image", () => {
  test.each(KINDS)(
    "writes an RGB image with only gray pixels as gray (color type $colorType, $bitDepth bits, interlaced $interlaced)",
    async (kind) => {
      const spec = image(kind);
      expect(await spaceOf(spec)).toBe("/DeviceGray");
      expectPixels(await render(await readImage(encodePng(spec), LIMITS)), pixelsOf(spec), 2);
    },
  );

  test.each(KINDS)(
    "keeps an RGB image with one colored pixel as RGB (color type $colorType, $bitDepth bits, interlaced $interlaced)",
    async (kind) => {
      for (const colored of [1, 100, SIDE * SIDE - 2]) {
        const spec = image(kind, colored);
        expect(await spaceOf(spec)).toBe("/DeviceRGB");
        expectPixels(await render(await readImage(encodePng(spec), LIMITS)), pixelsOf(spec));
      }
    },
  );

  test("writes an RGB image as gray if its only colored pixels are fully transparent", async () => {
    const { samples } = image({ colorType: 6 });
    const spec = image({ colorType: 6, samples: (x, y) => (x === y ? [200, 0, 0, 0] : samples(x, y)) });
    expect(await spaceOf(spec)).toBe("/DeviceGray");
  });

  test.each([8, 16])(
    "writes a gray RGB image of %i bits with a transparent color as a gray image",
    async (bitDepth) => {
      const key = value(5, 5, bitDepth);
      for (const named of [
        [key, key, key],
        [key, 0, key],
      ]) {
        const spec = image({ bitDepth, chunks: [{ type: "tRNS", data: uint16(...named) }] });
        expect(await spaceOf(spec)).toBe("/DeviceGray");
        const paint = (samples: number[]) => {
          const [r, g, b] = colorOf(spec, samples);
          return [r, g, b, samples.join() === named.join() ? 0 : 1] as const;
        };
        expectPixels(await render(await readImage(encodePng(spec), LIMITS)), pixelsOf(spec, paint));
      }
    },
  );

  test("writes a gray RGB image with a gray sRGB profile if device color spaces are not allowed", async () => {
    const sink = new Sink({ deviceColors: [] });
    expect(await spaceOf(image({}), sink)).toMatch(/^\[\/ICCBased/);
    expect(sink.text).toContain("/N 1");
  });

  test("writes a gray RGB image with a gray profile of the image's gamma", async () => {
    const spec = image({ chunks: [{ type: "gAMA", data: uint32(100_000) }] });
    const sink = new Sink();
    await spaceOf(spec, sink);
    expect(sink.text).toContain("/N 1 ");
  });

  test("writes a gray RGB image with a gray version of its profile if the profile's three curves are equal", async () => {
    const [curve, steeper] = [sampledCurveTag([0, 0.3, 1]), sampledCurveTag([0, 0.2, 1])];
    for (const blue of [curve, steeper]) {
      const bytes = displayProfile("RGB ", "A screen", { rTRC: curve, gTRC: curve, bTRC: blue });
      const iCCP = concat(encode("a name\0\0"), new Uint8Array(deflateSync(bytes)));
      const sink = new Sink();
      await spaceOf(image({ chunks: [{ type: "iCCP", data: iCCP }] }), sink);
      const [written] = sink.streams(blue === curve ? "/N 1 " : "/N 3 ");
      if (blue === curve) expect(Buffer.from(inflateSync(written!)).includes(Buffer.from(curve))).toBe(true);
      else expect(inflateSync(written!)).toEqual(Buffer.from(bytes));
    }
  });

  test("keeps a gray RGB image as RGB if its profile has no tone curves", async () => {
    const iCCP = concat(encode("a name\0\0"), new Uint8Array(deflateSync(profile({ space: "RGB " }))));
    const sink = new Sink();
    await spaceOf(image({ chunks: [{ type: "iCCP", data: iCCP }] }), sink);
    expect(sink.text).toContain("/N 3 ");
  });
});

test("writes an image with a palette of grays as a gray image", async () => {
  const palette = Array.from({ length: 16 }, (_, i) => [i * 17, i * 17, i * 17]);
  const spec: PngSpec = { width: 16, height: 1, colorType: 3, bitDepth: 4, palette, samples: (x) => [x] };
  const sink = new Sink();
  (await readImage(encodePng(spec), LIMITS)).embed(sink);
  expect(sink.text).toContain("[/Indexed /DeviceGray 15 ");
  expectPixels(await render(await readImage(encodePng(spec), LIMITS)), pixelsOf(spec));
  expect(inflateSync(sink.streams("/Indexed")[0]!)).toHaveLength(9);
});

import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readImage } from "../../../src/engine/images/readImage.ts";
import { encode } from "../../support/bytes.ts";
import { CHANNELS, chunk, concat, encodePng, KINDS, type Kind, type PngSpec, uint16, uint32 } from "./encodePng.ts";
import { colorOf, expectPixels, LIMITS, noise, pixelsOf, type Rgba } from "./expected.ts";
import { render, Sink } from "./render.ts";

const WITH_ALPHA = KINDS.filter(({ colorType }) => colorType === 4 || colorType === 6);
const WITHOUT_ALPHA = KINDS.filter(({ colorType }) => colorType !== 4 && colorType !== 6);

/**
 * Returns an image of noise. At 13 x 9 pixels, rows end within a byte at every depth below 8, and Adam7 uses all
 * passes.
 */
function noisy({ colorType, bitDepth }: Kind, more: Partial<PngSpec> = {}): PngSpec {
  const channels = CHANNELS[colorType];
  return {
    width: 13,
    height: 9,
    colorType,
    bitDepth,
    samples: (x, y) => Array.from({ length: channels }, (_, channel) => noise(x, y, channel, bitDepth)),
    ...(colorType === 3 && { palette: paletteOf(bitDepth) }),
    ...more,
  };
}

function paletteOf(bitDepth: number): number[][] {
  return Array.from({ length: 2 ** bitDepth }, (_, i) => [0, 1, 2].map((channel) => noise(i, 77, channel, 8)));
}

async function written(spec: PngSpec): Promise<Sink> {
  const sink = new Sink();
  (await readImage(encodePng(spec), LIMITS)).embed(sink);
  return sink;
}

async function expectShown(spec: PngSpec, paint?: (samples: number[]) => Rgba): Promise<void> {
  expectPixels(await render(await readImage(encodePng(spec), LIMITS)), pixelsOf(spec, paint));
}

/** Returns the concatenated data of a PNG's IDAT chunks. */
function imageData(png: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 8; at < png.length; ) {
    const length = new DataView(png.buffer).getUint32(at);
    if (String.fromCharCode(...png.subarray(at + 4, at + 8)) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return concat(...parts);
}

describe("the pixels of a PNG", () => {
  test.each(KINDS.flatMap((kind) => [false, true].map((interlaced) => ({ ...kind, interlaced }))))(
    "shows the pixels of a PNG of color type $colorType with $bitDepth bits, interlaced $interlaced",
    async ({ interlaced, ...kind }) => {
      const spec = noisy(kind, { interlaced });
      expect(await readImage(encodePng(spec), LIMITS)).toMatchObject({ width: 13, height: 9 });
      await expectShown(spec);
    },
  );

  test.each(
    [...WITH_ALPHA, { colorType: 3 as const, bitDepth: 2 }].flatMap((kind) =>
      [0, 1, 2, 3, 4].map((filter) => ({ ...kind, filter })),
    ),
  )(
    "shows the pixels of a PNG of color type $colorType with $bitDepth bits and filter $filter on every scanline",
    async ({ filter, ...kind }) => {
      await expectShown(noisy(kind, { filter: () => filter }));
      await expectShown(noisy(kind, { filter: () => filter, interlaced: true }));
    },
  );

  const sides = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  test.each([
    ...sides.map((side) => [side, side]),
    ...sides.map((side) => [side, 1]),
    ...sides.map((side) => [1, side]),
  ])(
    "shows the pixels of a small interlaced PNG, some of whose passes may be empty: %i x %i pixels",
    async (width, height) => {
      for (const kind of [KINDS[0]!, { colorType: 3 as const, bitDepth: 4 }, { colorType: 6 as const, bitDepth: 8 }])
        await expectShown(noisy(kind, { width, height, interlaced: true }));
    },
  );

  test.each([1, 2, 7, 100])("shows the pixels of a PNG with IDAT chunks of only %i bytes", async (idatLength) => {
    for (const kind of [
      { colorType: 2 as const, bitDepth: 8 },
      { colorType: 6 as const, bitDepth: 8 },
    ])
      await expectShown(noisy(kind, { idatLength }));
  });

  test.each([0, 1, 9])("shows the pixels of a PNG at compression level %i", async (level) => {
    for (const kind of [
      { colorType: 2 as const, bitDepth: 8 },
      { colorType: 6 as const, bitDepth: 8 },
    ])
      await expectShown(noisy(kind, { level }));
  });

  test("shows the pixels of a PNG whose scanlines are longer than a decompressed chunk", async () => {
    const wide = {
      width: 33_000,
      height: 3,
      samples: (x: number, y: number) => [x & 255, (x >> 8) & 255, 255, 1 + ((x + y) & 127)],
    };
    const tall = { width: 40, height: 5_000, samples: (x: number, y: number) => [y & 255, y >> 8, x, (x + y) & 255] };
    await expectShown({ colorType: 6, bitDepth: 8, ...tall });
    const sink = await written({ colorType: 6, bitDepth: 8, ...wide, filter: () => 0 });
    const [color] = sink.streams("/DeviceRGB");
    const expected = pixelLines(wide.height, wide.width, (x, y) => wide.samples(x, y).slice(0, 3));
    expect(Buffer.compare(inflateSync(color!), expected)).toBe(0);
  });

  test("ignores bytes after a PNG's compressed data and after its IEND chunk", async () => {
    for (const kind of [
      { colorType: 2 as const, bitDepth: 8 },
      { colorType: 6 as const, bitDepth: 8 },
    ]) {
      const spec = noisy(kind);
      const png = encodePng(spec);
      const head = png.subarray(0, 33);
      const padded = concat(
        head,
        chunk("IDAT", concat(imageData(png), encode("trailing"))),
        chunk("IEND", new Uint8Array()),
        encode("junk"),
      );
      expectPixels(await render(await readImage(padded, LIMITS)), pixelsOf(spec));
    }
  });

  test("reads a PNG from a byte array that is a view into a larger buffer", async () => {
    const spec = noisy({ colorType: 6, bitDepth: 8 });
    const png = encodePng(spec);
    const buffer = concat(encode("before!"), png, encode("after"));
    expectPixels(await render(await readImage(buffer.subarray(7, 7 + png.length), LIMITS)), pixelsOf(spec));
  });

  test("ignores PNG chunks that do not affect the picture", async () => {
    const chunks = [
      { type: "tEXt", data: encode("Title\0A mark") },
      { type: "pHYs", data: concat(uint32(1, 4), Uint8Array.of(0)) },
      { type: "bKGD", data: uint16(1, 2, 3) },
      { type: "sBIT", data: Uint8Array.of(5, 6, 5) },
      { type: "prVt", data: encode("private") },
      { type: "PLTE", data: Uint8Array.of(1, 2, 3, 4, 5, 6) },
    ];
    await expectShown(noisy({ colorType: 2, bitDepth: 8 }, { chunks }));
  });
});

describe("the image data of a PNG", () => {
  test.each(WITHOUT_ALPHA)(
    "copies the image data of a PNG of color type $colorType with $bitDepth bits",
    async (kind) => {
      const spec = noisy(kind, { idatLength: 50 });
      const sink = await written(spec);
      expect(sink.streams("/Subtype /Image")).toEqual([imageData(encodePng(spec))]);
    },
  );

  test.each(WITH_ALPHA)(
    "splits a PNG of color type $colorType with $bitDepth bits into colors and a soft mask",
    async (kind) => {
      const sink = await written(noisy(kind));
      const space = kind.colorType === 6 ? "/DeviceRGB" : "/DeviceGray";
      expect(sink.objects).toHaveLength(2);
      expect(sink.text).toMatch(new RegExp(`/ColorSpace ${space} /BitsPerComponent ${kind.bitDepth} .*/SMask 4 0 R$`));
    },
  );

  const opaque = [0, 1, 2, 3, 4].flatMap((filter) => WITH_ALPHA.map((kind) => ({ ...kind, filter })));

  test.each(opaque)(
    "writes no soft mask for an opaque PNG: color type $colorType, $bitDepth bits, filter $filter",
    async ({ filter, ...kind }) => {
      for (const interlaced of [false, true]) {
        const spec = withAlpha(kind, () => 2 ** kind.bitDepth - 1, { filter: () => filter, interlaced });
        expect((await written(spec)).text).not.toContain("/SMask");
        await expectShown(spec);
      }
    },
  );

  test.each(opaque)(
    "writes a soft mask for a PNG with one nearly opaque pixel: color type $colorType, $bitDepth bits, filter $filter",
    async ({ filter, ...kind }) => {
      for (const [atX, atY] of [
        [0, 0],
        [12, 0],
        [5, 4],
        [0, 8],
        [12, 8],
      ]) {
        const almost = (x: number, y: number) => 2 ** kind.bitDepth - (x === atX && y === atY ? 2 : 1);
        expect((await written(withAlpha(kind, almost, { filter: () => filter }))).text).toContain("/SMask");
      }
    },
  );

  function withAlpha(kind: Kind, alpha: (x: number, y: number) => number, more: Partial<PngSpec>): PngSpec {
    const spec = noisy(kind, more);
    return { ...spec, samples: (x, y) => [...spec.samples(x, y).slice(0, -1), alpha(x, y)] };
  }
});

describe("the transparent color of a PNG", () => {
  const kinds = KINDS.filter(({ colorType }) => colorType === 0 || colorType === 2);

  test.each(kinds.flatMap((kind) => [false, true].map((interlaced) => ({ ...kind, interlaced }))))(
    "the transparent color of a PNG is transparent: color type $colorType, $bitDepth bits, interlaced $interlaced",
    async ({ interlaced, ...kind }) => {
      const spec = noisy(kind, { interlaced });
      const transparent = spec.samples(4, 3);
      // Readers ignore the bits of a transparent color above the image's bit depth.
      const unused = kind.bitDepth < 16 ? 0xffff ^ (2 ** kind.bitDepth - 1) : 0;
      spec.chunks = [{ type: "tRNS", data: uint16(...transparent.map((sample) => sample | unused)) }];
      await expectShown(spec, (samples) => {
        const [r, g, b] = colorOf(spec, samples);
        return [r, g, b, samples.join() === transparent.join() ? 0 : 1];
      });
    },
  );

  test("copies the image data of a PNG if no pixel has the transparent color", async () => {
    for (const kind of kinds) {
      const colored = CHANNELS[kind.colorType] === 3;
      const spec = noisy(kind, {
        samples: () => (colored ? [1, 0, 1] : [1]),
        chunks: [{ type: "tRNS", data: colored ? uint16(1, 1, 1) : uint16(0) }],
      });
      const sink = await written(spec);
      expect(sink.streams("/Image")).toEqual([imageData(encodePng(spec))]);
      expect(sink.text).not.toMatch(/Mask/);
    }
  });

  test("writes a PNG's transparent color as a 1-bit soft mask, or as a stencil mask if transparency is forbidden", async () => {
    for (const kind of kinds) {
      const spec = noisy(kind);
      spec.chunks = [{ type: "tRNS", data: uint16(...spec.samples(4, 3)) }];
      expect((await written(spec)).text).toMatch(/\/ColorSpace \/DeviceGray \/BitsPerComponent 1 [\s\S]*\/SMask/);
      const archive = new Sink({ pdfa: { part: 1, intent: 3 } });
      const picture = await readImage(encodePng(spec), { ...LIMITS, maxBitDepth: 8 });
      picture.embed(archive);
      expect(archive.text).toMatch(/\/ImageMask true \/Decode \[1 0\] \/BitsPerComponent 1 [\s\S]*\/Mask \d+ 0 R$/);
      expect(archive.text).not.toMatch(/SMask|Interpolate|BitsPerComponent 16/);
      expect(await render(picture, archive)).toEqual(await render(picture, new Sink()));
    }
  });

  test("masks the pixels of the transparent color in the last row of a large PNG", async () => {
    const [width, height] = [64_000, 20];
    const samples = (_: number, y: number) => [y === height - 1 ? 7 : 8];
    const chunks = [{ type: "tRNS", data: uint16(7) }];
    const sink = await written({ width, height, colorType: 0, bitDepth: 16, samples, chunks, filter: () => 0 });
    const lines = new Uint8Array(inflateSync(sink.streams("/BitsPerComponent 1 ")[0]!));
    const expected = Array.from({ length: height }, (_, y) => [
      0,
      ...Array<number>(8_000).fill(y < height - 1 ? 255 : 0),
    ]);
    expect(Buffer.compare(lines, Uint8Array.from(expected.flat()))).toBe(0);
  });
});

describe("a palette with transparency", () => {
  const depths = [1, 2, 4, 8].flatMap((bitDepth) => [false, true].map((interlaced) => ({ bitDepth, interlaced })));

  test.each(depths)(
    "applies the alpha of each palette entry of a PNG with $bitDepth bits, interlaced $interlaced",
    async ({ bitDepth, interlaced }) => {
      const alphas = Array.from({ length: 2 ** bitDepth - 1 }, (_, i) => noise(i, 5, 5, 8));
      const spec = noisy(
        { colorType: 3, bitDepth },
        { interlaced, chunks: [{ type: "tRNS", data: Uint8Array.from(alphas) }] },
      );
      expect((await written(spec)).text).toContain("/SMask");
      await expectShown(spec, ([index]) => withAlpha(spec, index!, (alphas[index!] ?? 255) / 255));
    },
  );

  test.each([
    { name: "one entry", alphas: [255, 0] },
    { name: "the first entry", alphas: [0] },
    { name: "several entries", alphas: [255, 0, 0, 255, 0, 255] },
  ])(
    "writes the alpha of a palette as a 1-bit mask if its transparent entries are fully transparent: $name",
    async ({ alphas }) => {
      const spec = noisy({ colorType: 3, bitDepth: 4 }, { chunks: [{ type: "tRNS", data: Uint8Array.from(alphas) }] });
      expect((await written(spec)).text).toMatch(/\/DeviceGray \/BitsPerComponent 1 [\s\S]*\/SMask/);
      await expectShown(spec, ([index]) => withAlpha(spec, index!, (alphas[index!] ?? 255) / 255));
    },
  );

  test("copies the image data of a PNG if its pixels use only opaque palette entries", async () => {
    const alphas = Uint8Array.of(0, 100);
    const spec = noisy({ colorType: 3, bitDepth: 4 }, { chunks: [{ type: "tRNS", data: alphas }], samples: () => [7] });
    const sink = await written(spec);
    expect(sink.streams("/Image")).toEqual([imageData(encodePng(spec))]);
  });

  test("writes no mask for a PNG if all entries of its palette are opaque", async () => {
    const spec = noisy(
      { colorType: 3, bitDepth: 4 },
      { chunks: [{ type: "tRNS", data: new Uint8Array(16).fill(255) }] },
    );
    expect((await written(spec)).text).not.toMatch(/Mask/);
  });

  test("ignores alpha values of a PNG beyond the end of its palette", async () => {
    const alphas = new Uint8Array(256).fill(255, 0, 16);
    const spec = noisy({ colorType: 3, bitDepth: 4 }, { chunks: [{ type: "tRNS", data: alphas }] });
    expect((await written(spec)).text).not.toMatch(/Mask/);
  });

  function withAlpha(spec: PngSpec, index: number, alpha: number): Rgba {
    const [r, g, b] = colorOf(spec, [index]);
    return [r, g, b, alpha];
  }
});

test("removes palette entries of a PNG that its bit depth cannot address", async () => {
  const spec = noisy({ colorType: 3, bitDepth: 2 }, { palette: paletteOf(8) });
  expect((await written(spec)).text).toContain("/Indexed /DeviceRGB 3 ");
  await expectShown(spec);
});

test.each([
  { orientation: 1, size: { width: 13, height: 9 } },
  { orientation: 6, size: { width: 9, height: 13 } },
])("applies the Exif orientation $orientation of a PNG", async ({ orientation, size }) => {
  const exif = concat(encode("MM\0*"), uint32(8), uint16(1, 0x0112, 3), uint32(1), uint16(orientation, 0), uint32(0));
  const spec = noisy({ colorType: 2, bitDepth: 8 }, { chunks: [{ type: "eXIf", data: exif }] });
  const picture = await readImage(encodePng(spec), LIMITS);
  expect(picture).toMatchObject(size);

  const stored = pixelsOf(spec);
  const turned = Array.from({ length: 13 * 9 }, (_, i) => stored[(8 - (i % 9)) * 13 + Math.floor(i / 9)]!);
  expectPixels(await render(picture), orientation === 6 ? turned : stored);
});

test("embedding a decoded picture in several documents produces the same result", async () => {
  const picture = await readImage(encodePng(noisy({ colorType: 6, bitDepth: 8 })), LIMITS);
  expect(await render(picture)).toEqual(await render(picture));
});

function pixelLines(height: number, width: number, samples: (x: number, y: number) => number[]): Uint8Array {
  return Uint8Array.from(
    Array.from({ length: height }, (_, y) => [
      0,
      ...Array.from({ length: width }, (_, x) => samples(x, y)).flat(),
    ]).flat(),
  );
}

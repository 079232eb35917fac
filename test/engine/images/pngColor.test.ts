import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readImage } from "../../../src/engine/images/readImage.ts";
import { encode } from "../../support/bytes.ts";
import { chunk, concat, encodePng, type PngSpec, uint32 } from "./encodePng.ts";
import { colorOf, expectPixels, LIMITS, pixelsOf } from "./expected.ts";
import { profile } from "./profile.ts";
import { type Rgb, render, renderPage, Sink } from "./render.ts";

const SRGB_COLORS = uint32(31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000);
const ADOBE_RGB_COLORS = uint32(31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000);

const KINDS = {
  gray: { colorType: 0, samples: (x: number) => [x * 28] },
  RGB: { colorType: 2, samples: (x: number) => [x * 28, 252 - x * 28, 128] },
  indexed: {
    colorType: 3,
    samples: (x: number) => [x & 1],
    palette: [
      [200, 100, 50],
      [50, 100, 200],
    ],
  },
  "gray with alpha": { colorType: 4, samples: (x: number) => [x * 28, 255] },
  "RGB with alpha": { colorType: 6, samples: (x: number) => [x * 28, 252 - x * 28, 128, 255] },
} as const;

function spec(kind: keyof typeof KINDS, chunks: Record<string, Uint8Array>): PngSpec {
  const { palette, ...rest } = { palette: undefined, ...KINDS[kind] };
  return {
    width: 10,
    height: 2,
    bitDepth: 8,
    ...rest,
    ...(palette && { palette: palette.map((color) => [...color]) }),
    chunks: Object.entries(chunks).map(([type, data]) => ({ type, data })),
  };
}

async function written(png: Uint8Array): Promise<Sink> {
  const sink = new Sink();
  (await readImage(png, LIMITS)).embed(sink);
  return sink;
}

async function colorSpace(kind: keyof typeof KINDS, chunks: Record<string, Uint8Array>): Promise<string | undefined> {
  const { text } = await written(encodePng(spec(kind, chunks)));
  return /\/ColorSpace (\/\w+|\[.*?\](?= \/BitsPerComponent))/.exec(text)?.[1];
}

function iccp(bytes: Uint8Array): Uint8Array {
  return concat(encode("a name\0\0"), new Uint8Array(deflateSync(bytes)));
}

describe("the color space of a PNG", () => {
  test.each([
    ["gray samples and no color chunks", "gray", {}, "/DeviceGray"],
    ["RGB samples and no color chunks", "RGB", {}, "/DeviceRGB"],
    ["an sRGB chunk", "RGB", { sRGB: Uint8Array.of(0) }, "/DeviceRGB"],
    [
      "an sRGB chunk with another gamma for older decoders",
      "RGB",
      { gAMA: uint32(100000), sRGB: Uint8Array.of(0) },
      "/DeviceRGB",
    ],
    ["the gamma and chromaticities of sRGB", "RGB", { gAMA: uint32(45455), cHRM: SRGB_COLORS }, "/DeviceRGB"],
    ["a gamma close to that of sRGB", "RGB", { gAMA: uint32(45000) }, "/DeviceRGB"],
    ["a gamma of 0", "RGB", { gAMA: uint32(0) }, "/DeviceRGB"],
    ["chromaticities of 0", "RGB", { cHRM: uint32(0, 0, 0, 0, 0, 0, 0, 0) }, "/DeviceRGB"],
    [
      "collinear chromaticities",
      "RGB",
      { cHRM: uint32(31270, 32900, 10000, 10000, 20000, 20000, 30000, 30000) },
      "/DeviceRGB",
    ],
    ["chromaticities of the wrong length", "RGB", { cHRM: uint32(1, 2) }, "/DeviceRGB"],
    ["a gamma that no profile can contain", "RGB", { gAMA: uint32(100) }, "/DeviceRGB"],
    ["gray samples and chromaticities", "gray", { cHRM: ADOBE_RGB_COLORS }, "/DeviceGray"],
  ] as const)("uses a device color space for a PNG with %s", async (_, kind, chunks, expected) => {
    expect(await colorSpace(kind, chunks)).toBe(expected);
  });

  test.each(Object.keys(KINDS) as (keyof typeof KINDS)[])(
    "adds a profile for the gamma of a PNG, so that its linear samples have the right brightness (%s)",
    async (kind) => {
      const linear = spec(kind, { gAMA: uint32(100000) });
      const expected = pixelsOf(linear, (samples) => {
        const [r, g, b, alpha] = colorOf(linear, samples);
        return [encoded(r), encoded(g), encoded(b), alpha];
      });
      expectPixels(await render(await readImage(encodePng(linear), LIMITS)), expected, 2);
    },
  );

  test("applies the ICC profile for a PNG's gamma to the colors of its palette", async () => {
    expect(await colorSpace("indexed", { gAMA: uint32(100000) })).toBe("[/Indexed [/ICCBased 4 0 R] 1 5 0 R]");
  });

  // The expected primary colors are those of AdobeRGB1998.icc, adapted to the white point D50 by Adobe.
  test("adds a profile for the chromaticities of a PNG, with the sRGB gamma if the PNG declares none", async () => {
    const sink = await written(encodePng(spec("RGB", { cHRM: ADOBE_RGB_COLORS })));
    const bytes = new Uint8Array(inflateSync(sink.streams("/N 3 ")[0]!));
    const adobeRgb = {
      rXYZ: [0.60974, 0.31111, 0.01947],
      gXYZ: [0.20528, 0.62567, 0.06087],
      bXYZ: [0.14919, 0.06322, 0.74457],
    };
    for (const [name, color] of Object.entries(adobeRgb)) {
      const data = tagData(bytes, name);
      for (const [i, value] of color.entries()) expect(data.getInt32(8 + i * 4) / 0x10000, name).toBeCloseTo(value, 3);
    }
    expect(tagData(bytes, "gTRC").getUint16(12) / 256).toBeCloseTo(2.2, 2);
  });

  /** Applies the sRGB transfer function to a linear value. */
  function encoded(light: number): number {
    return light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
  }

  function tagData(bytes: Uint8Array, name: string): DataView {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const entry = Buffer.from(bytes).indexOf(name, 132);
    return new DataView(bytes.buffer, bytes.byteOffset + view.getUint32(entry + 4), view.getUint32(entry + 8));
  }
});

describe("a PNG in a PDF that may not contain device colors", () => {
  const calibrated = () => new Sink({ deviceColors: [] });
  const samples = (x: number, y: number) => [x + 16 * y, (x * 37 + y * 101) & 255, (x * y * 7) & 255];

  test.each([
    ["RGB", 2, 3],
    ["gray", 0, 1],
  ] as const)(
    "an image has the same pixels with an sRGB profile as with a device color space: %s",
    async (_, colorType, components) => {
      const spec: PngSpec = {
        width: 16,
        height: 16,
        colorType,
        bitDepth: 8,
        samples: (x, y) => samples(x, y).slice(0, components),
      };
      const pixels: Rgb[][] = [];
      for (const sink of [new Sink(), calibrated()]) {
        const { xobject } = (await readImage(encodePng(spec), LIMITS)).embed(sink);
        expect(sink.text.includes("/ICCBased")).toBe(sink.deviceColors.size === 0);
        pixels.push(await renderPage("16 0 0 16 0 0 cm /I Do", spec, `/XObject << /I ${xobject} >>`, sink));
      }
      expect(pixels[1]).toEqual(pixels[0]);
    },
  );

  test("uses an sRGB profile for the palette of a PNG if device color spaces are not allowed", async () => {
    const sink = calibrated();
    (await readImage(encodePng(spec("indexed", {})), LIMITS)).embed(sink);
    expect(sink.text).toMatch(/\[\/Indexed \[\/ICCBased \d+ 0 R\] 1 /);
  });
});

describe("an ICC profile in a PNG", () => {
  test.each([
    ["gray", "GRAY", 1],
    ["gray with alpha", "GRAY", 1],
    ["RGB", "RGB ", 3],
    ["RGB with alpha", "RGB ", 3],
    ["indexed", "RGB ", 3],
  ] as const)("copies the compressed ICC profile of a PNG (%s)", async (kind, space, components) => {
    const chunkData = iccp(profile({ space }));
    const sink = await written(
      encodePng(spec(kind, { iCCP: chunkData, sRGB: Uint8Array.of(0), gAMA: uint32(100000) })),
    );
    expect(sink.text).toContain("[/ICCBased 4 0 R]");
    expect(sink.streams(`/N ${components} `)).toEqual([chunkData.subarray(8)]);
  });

  test.each([
    ["is for another number of components", iccp(profile({ space: "GRAY" }))],
    ["is for CMYK", iccp(profile({ space: "CMYK" }))],
    ["is not a profile", iccp(profile({ signature: "abcd" }))],
    ["is of version 5", iccp(profile({ version: 5 }))],
    ["is a device link", iccp(profile({ deviceClass: "link" }))],
    ["is cut off", iccp(profile({}).subarray(0, 150))],
    ["is shorter than a header", iccp(new Uint8Array(100))],
    ["is not compressed", concat(encode("a name\0\0"), profile({}))],
    ["is a decompression bomb", iccp(concat(profile({}), new Uint8Array(10_000_000)))],
    ["has no name", encode("name")],
    ["is empty", new Uint8Array()],
  ])("omits a PNG's ICC profile that %s", async (_, iCCP) => {
    expect(await colorSpace("RGB", { iCCP })).toBe("/DeviceRGB");
  });

  test("omits a PNG's ICC profile if the checksum of its chunk is wrong", async () => {
    const png = encodePng(spec("RGB", {}));
    const damaged = chunk("iCCP", iccp(profile({})));
    damaged[damaged.length - 1]! ^= 1;
    expect((await written(concat(png.subarray(0, 33), damaged, png.subarray(33)))).text).toContain(
      "/ColorSpace /DeviceRGB",
    );
  });
});

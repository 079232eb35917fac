import { constants, deflateRawSync, deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { encode } from "../../support/bytes.ts";
import { chunk, concat, encodePng, header, type PngSpec, SIGNATURE, uint16, uint32 } from "./encodePng.ts";
import { LIMITS, noise, rejection } from "./expected.ts";

const RGB: PngSpec = {
  width: 5,
  height: 4,
  colorType: 2,
  bitDepth: 8,
  samples: (x, y) => [noise(x, y, 0, 8), noise(x, y, 1, 8), noise(x, y, 2, 8)],
};
const RGBA: PngSpec = { ...RGB, colorType: 6, samples: (x, y) => [...RGB.samples(x, y), noise(x, y, 3, 8)] };
const INDEXED: PngSpec = {
  ...RGB,
  colorType: 3,
  bitDepth: 2,
  samples: (x, y) => [noise(x, y, 0, 2)],
  palette: [
    [0, 0, 0],
    [1, 1, 1],
    [2, 2, 2],
    [3, 3, 3],
  ],
  chunks: [{ type: "tRNS", data: Uint8Array.of(1, 2, 3) }],
};
const KINDS = { RGB, RGBA, INDEXED, interlaced: { ...RGB, interlaced: true } };

const IHDR = chunk("IHDR", header(RGB));
const IDAT = chunk("IDAT", new Uint8Array(deflateSync(new Uint8Array(4 * 16))));
const IEND = chunk("IEND", new Uint8Array());
const PLTE = chunk("PLTE", new Uint8Array(6));

function png(...chunks: Uint8Array[]): Uint8Array {
  return concat(SIGNATURE, ...chunks);
}

function headerWith(changes: Partial<PngSpec>): Uint8Array {
  return chunk("IHDR", header({ ...RGB, ...changes }));
}

function headerWithByte(at: number, value: number): Uint8Array {
  return chunk("IHDR", header(RGB).with(at, value));
}

/** Flips a bit in the last data byte of the first chunk of this type, so that the chunk's CRC is wrong. */
function withWrongCrc(bytes: Uint8Array, type: string): Uint8Array {
  const at = Buffer.from(bytes).indexOf(type);
  const last = at + 3 + new DataView(bytes.buffer).getUint32(at - 4);
  return bytes.with(last, bytes[last]! ^ 1);
}

test("accepts a PNG that has only the required chunks", async () => {
  expect(await rejection(png(IHDR, IDAT, IEND))).toBe("accepted");
});

test.each(Object.entries(KINDS))("rejects a PNG (%s) as damaged if it is truncated at any byte", async (_, spec) => {
  const bytes = encodePng(spec);
  for (let length = 8; length < bytes.length; length++)
    expect(await rejection(bytes.subarray(0, length)), `${length} bytes`).toMatchObject({ code: "damaged_image" });
});

test.each([
  { name: "RGB", type: "IHDR", spec: RGB },
  { name: "RGB", type: "IDAT", spec: RGB },
  { name: "indexed", type: "PLTE", spec: INDEXED },
  { name: "indexed", type: "tRNS", spec: INDEXED },
])("rejects a PNG with a wrong checksum in its $type chunk as damaged", async ({ type, spec }) => {
  expect(await rejection(withWrongCrc(encodePng(spec), type))).toMatchObject({
    code: "damaged_image",
    detail: expect.stringContaining(type),
  });
});

describe("damaged PNGs", () => {
  test.each([
    ["no header", png(IDAT, IEND)],
    ["two headers", png(IHDR, IHDR, IDAT, IEND)],
    ["a header that is too long", png(chunk("IHDR", concat(header(RGB), uint16(0))), IDAT, IEND)],
    ["no image data", png(IHDR, IEND)],
    ["only an empty IDAT chunk", png(IHDR, chunk("IDAT", new Uint8Array()), IEND)],
    ["no palette", png(headerWith({ colorType: 3 }), IDAT, IEND)],
    ["an empty palette", png(headerWith({ colorType: 3 }), chunk("PLTE", new Uint8Array()), IDAT, IEND)],
    [
      "an incomplete color in the palette",
      png(headerWith({ colorType: 3 }), chunk("PLTE", new Uint8Array(4)), IDAT, IEND),
    ],
    ["a palette after the image data", png(headerWith({ colorType: 3 }), IDAT, PLTE, IEND)],
    ["two palettes", png(headerWith({ colorType: 3 }), PLTE, PLTE, IDAT, IEND)],
    ["a palette in a gray image", png(headerWith({ colorType: 0 }), PLTE, IDAT, IEND)],
    ["50,000 empty chunks", png(IHDR, ...Array(50_000).fill(chunk("teSt", new Uint8Array())), IDAT, IEND)],
    ["another chunk between IDAT chunks", png(IHDR, IDAT, chunk("tEXt", encode("a\0b")), IDAT, IEND)],
    ["a chunk type with characters other than letters", png(IHDR, chunk("I\0AT", new Uint8Array()), IDAT, IEND)],
    ["a chunk that is longer than the file", png(IHDR, concat(uint32(0xffffffff), IDAT.subarray(4)), IEND)],
    ["a transparent color of the wrong length", png(IHDR, chunk("tRNS", uint16(1)), IDAT, IEND)],
    ["color type 1", png(headerWithByte(9, 1), IDAT, IEND)],
    ["color type 9", png(headerWithByte(9, 9), IDAT, IEND)],
    ["a bit depth of 0", png(headerWithByte(8, 0), IDAT, IEND)],
    ["a bit depth of 4 in RGB", png(headerWithByte(8, 4), IDAT, IEND)],
    ["a bit depth of 99", png(headerWithByte(8, 99), IDAT, IEND)],
    ["a bit depth of 16 with a palette", png(headerWith({ colorType: 3, bitDepth: 16 }), PLTE, IDAT, IEND)],
    ["an unknown compression method", png(headerWithByte(10, 1), IDAT, IEND)],
    ["an unknown filter method", png(headerWithByte(11, 1), IDAT, IEND)],
    ["an unknown interlace method", png(headerWithByte(12, 2), IDAT, IEND)],
    ["a width of 0", png(headerWith({ width: 0 }), IDAT, IEND)],
    ["a height of 0", png(headerWith({ height: 0 }), IDAT, IEND)],
    ["changed line ends", concat(Uint8Array.of(137, 80, 78, 71, 10, 26, 10), IHDR, IDAT, IEND)],
    ["bytes that were sent as text", concat(Uint8Array.of(63, 80, 78, 71, 13, 10, 26, 10), IHDR, IDAT, IEND)],
  ])("rejects a damaged PNG: %s", async (_, bytes) => {
    expect(await rejection(bytes)).toMatchObject({ code: "damaged_image" });
  });

  const changes: [string, (lines: Uint8Array) => Uint8Array][] = [
    ["less image data than its size requires", (lines) => lines.subarray(0, -1)],
    ["an empty zlib stream", () => new Uint8Array()],
    ["more image data than its size requires", (lines) => concat(lines, Uint8Array.of(0))],
    ["an unknown filter type", (lines) => lines.with(0, 5)],
  ];
  test.each(
    Object.entries(KINDS).flatMap(([kind, spec]) =>
      changes.map(([what, tamper]) => ({ kind, what, spec: { ...spec, tamper } })),
    ),
  )("rejects a damaged PNG: $what ($kind)", async ({ spec }) => {
    expect(await rejection(encodePng(spec))).toMatchObject({ code: "damaged_image" });
  });

  const lines = new Uint8Array(4 * 16);
  const compressed = new Uint8Array(deflateSync(lines));
  test.each([
    ["that is not compressed", lines],
    ["without a zlib header", new Uint8Array(deflateRawSync(lines))],
    ["with an unknown compression method", compressed.with(0, 0x79)],
    ["with a wrong checksum at its end", compressed.with(-1, compressed.at(-1)! ^ 1)],
    ["that ends early", compressed.subarray(0, -5)],
    ["that needs a preset dictionary", new Uint8Array(deflateSync(lines, { dictionary: Buffer.from("a") }))],
  ])("rejects a damaged PNG: image data %s", async (_, data) => {
    expect(await rejection(png(IHDR, chunk("IDAT", data), IEND))).toMatchObject({ code: "damaged_image" });
  });
});

test.each([
  ["a PNG in Apple's format for apps", png(chunk("CgBI", uint32(0x50002002)), IHDR, IDAT, IEND), "Apple"],
  ["a PNG with a critical chunk outside of the standard", png(IHDR, chunk("FdAT", uint32(1)), IDAT, IEND), "FdAT"],
])("rejects %s as unsupported and states the reason", async (_, bytes, name) => {
  expect(await rejection(bytes)).toMatchObject({ code: "unsupported_image", detail: expect.stringContaining(name) });
});

describe("the limits of PNG dimensions", () => {
  test.each([
    ["one pixel over the limit", { width: 5, height: 4 }, 19],
    ["a side above the maximum", { width: 65_536, height: 1 }, LIMITS.maxPixels],
    ["sides that overflow when multiplied", { width: 0x8000_0000, height: 0x8000_0000 }, LIMITS.maxPixels],
    [
      "an interlaced image that does not fit in memory",
      { width: 6_000, height: 6_000, interlaced: true },
      LIMITS.maxPixels,
    ],
  ])("rejects a PNG as too large: %s", async (_, size, maxPixels) => {
    expect(await rejection(png(headerWith(size), IDAT, IEND), { maxPixels })).toMatchObject({
      code: "image_too_large",
    });
  });

  test("accepts a PNG with exactly the maximum number of pixels", async () => {
    expect(await rejection(png(IHDR, IDAT, IEND), { maxPixels: 20 })).toBe("accepted");
  });
});

describe("a decompression bomb", () => {
  // The bomb has 10 MB of zeros followed by a block of an invalid type. An error about this block would show that the
  // whole bomb was decompressed.
  const zeros = deflateSync(new Uint8Array(10_000_000), { finishFlush: constants.Z_SYNC_FLUSH });
  const bomb = concat(zeros, Uint8Array.of(0xff));

  test.each(Object.entries(KINDS))(
    "rejects a decompression bomb in a PNG (%s) before decompressing all of it",
    async (_, spec) => {
      const palette = spec.palette ? [chunk("PLTE", Uint8Array.from(spec.palette.flat()))] : [];
      const file = png(chunk("IHDR", header(spec)), ...palette, chunk("IDAT", bomb), IEND);
      expect(await rejection(file)).toEqual({
        code: "damaged_image",
        detail: expect.stringContaining("has more image data than its size requires"),
      });
    },
  );

  test("rejects a PNG as damaged if its required image data cannot be decompressed", async () => {
    const size = { ...RGB, width: 4000, height: 1000 };
    const file = png(chunk("IHDR", header(size)), chunk("IDAT", bomb), IEND);
    expect(await rejection(file, { maxPixels: 4_000_000 })).toEqual({
      code: "damaged_image",
      detail: expect.stringContaining("cannot be decompressed"),
    });
  });
});

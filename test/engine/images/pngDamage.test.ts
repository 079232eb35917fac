import { deflateRawSync, deflateSync, inflateSync } from "node:zlib";
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

/** Changes one bit of the last byte of the first chunk of this type, but not its CRC. */
function spoiled(bytes: Uint8Array, type: string): Uint8Array {
  const at = Buffer.from(bytes).indexOf(type);
  const last = at + 3 + new DataView(bytes.buffer).getUint32(at - 4);
  return bytes.with(last, bytes[last]! ^ 1);
}

test("the undamaged PNGs of these tests are valid", async () => {
  expect(await rejection(png(IHDR, IDAT, IEND))).toBe("not refused");
});

test.each(Object.entries(KINDS))("a PNG (%s) truncated anywhere is rejected as damaged", async (_, spec) => {
  const bytes = encodePng(spec);
  for (let length = 8; length < bytes.length; length++)
    expect(await rejection(bytes.subarray(0, length)), `${length} bytes`).toMatchObject({ code: "damaged_image" });
});

test.each([
  { name: "RGB", type: "IHDR", spec: RGB },
  { name: "RGB", type: "IDAT", spec: RGB },
  { name: "indexed", type: "PLTE", spec: INDEXED },
  { name: "indexed", type: "tRNS", spec: INDEXED },
])("a wrong checksum of $type is rejected as damage", async ({ type, spec }) => {
  expect(await rejection(spoiled(encodePng(spec), type))).toMatchObject({
    code: "damaged_image",
    detail: expect.stringContaining(type),
  });
});

describe("a PNG is rejected as damaged", () => {
  test.each([
    ["without a header", png(IDAT, IEND)],
    ["with two headers", png(IHDR, IHDR, IDAT, IEND)],
    ["with a header that is too long", png(chunk("IHDR", concat(header(RGB), uint16(0))), IDAT, IEND)],
    ["without image data", png(IHDR, IEND)],
    ["with an empty IDAT chunk for all image data", png(IHDR, chunk("IDAT", new Uint8Array()), IEND)],
    ["without a palette", png(headerWith({ colorType: 3 }), IDAT, IEND)],
    ["with an empty palette", png(headerWith({ colorType: 3 }), chunk("PLTE", new Uint8Array()), IDAT, IEND)],
    [
      "with a part of a color in its palette",
      png(headerWith({ colorType: 3 }), chunk("PLTE", new Uint8Array(4)), IDAT, IEND),
    ],
    ["with its palette after the image data", png(headerWith({ colorType: 3 }), IDAT, PLTE, IEND)],
    ["with two palettes", png(headerWith({ colorType: 3 }), PLTE, PLTE, IDAT, IEND)],
    ["with a palette though it is gray", png(headerWith({ colorType: 0 }), PLTE, IDAT, IEND)],
    ["with 50,000 empty chunks", png(IHDR, ...Array(50_000).fill(chunk("teSt", new Uint8Array())), IDAT, IEND)],
    ["with chunks between its IDATs", png(IHDR, IDAT, chunk("tEXt", encode("a\0b")), IDAT, IEND)],
    ["with a chunk type that is not letters", png(IHDR, chunk("I\0AT", new Uint8Array()), IDAT, IEND)],
    ["with a chunk that is longer than the file", png(IHDR, concat(uint32(0xffffffff), IDAT.subarray(4)), IEND)],
    ["with a transparent color of the wrong length", png(IHDR, chunk("tRNS", uint16(1)), IDAT, IEND)],
    ["of color type 1", png(headerWithByte(9, 1), IDAT, IEND)],
    ["of color type 9", png(headerWithByte(9, 9), IDAT, IEND)],
    ["of 0 bits", png(headerWithByte(8, 0), IDAT, IEND)],
    ["of 4 bits in RGB", png(headerWithByte(8, 4), IDAT, IEND)],
    ["of 99 bits", png(headerWithByte(8, 99), IDAT, IEND)],
    ["of 16 bits with a palette", png(headerWith({ colorType: 3, bitDepth: 16 }), PLTE, IDAT, IEND)],
    ["of an unknown compression", png(headerWithByte(10, 1), IDAT, IEND)],
    ["of an unknown filter method", png(headerWithByte(11, 1), IDAT, IEND)],
    ["of an unknown interlacing", png(headerWithByte(12, 2), IDAT, IEND)],
    ["of no width", png(headerWith({ width: 0 }), IDAT, IEND)],
    ["of no height", png(headerWith({ height: 0 }), IDAT, IEND)],
    ["if its line ends were changed", concat(Uint8Array.of(137, 80, 78, 71, 10, 26, 10), IHDR, IDAT, IEND)],
    ["if its bytes were taken for text", concat(Uint8Array.of(63, 80, 78, 71, 13, 10, 26, 10), IHDR, IDAT, IEND)],
  ])("%s", async (_, bytes) => {
    expect(await rejection(bytes)).toMatchObject({ code: "damaged_image" });
  });

  const lies: [string, (lines: Uint8Array) => Uint8Array][] = [
    ["less image data than its size requires", (lines) => lines.subarray(0, -1)],
    ["no image data in a valid stream", () => new Uint8Array()],
    ["more image data than its size requires", (lines) => concat(lines, Uint8Array.of(0))],
    ["a filter that does not exist", (lines) => lines.with(0, 5)],
  ];
  test.each(
    Object.entries(KINDS).flatMap(([kind, spec]) =>
      lies.map(([what, tamper]) => ({ kind, what, spec: { ...spec, tamper } })),
    ),
  )("with $what ($kind)", async ({ spec }) => {
    expect(await rejection(encodePng(spec))).toMatchObject({ code: "damaged_image" });
  });

  const lines = new Uint8Array(4 * 16);
  const compressed = new Uint8Array(deflateSync(lines));
  test.each([
    ["that is not compressed", lines],
    ["without zlib's header", new Uint8Array(deflateRawSync(lines))],
    ["of an unknown method", compressed.with(0, 0x79)],
    ["with a wrong check sum at its end", compressed.with(-1, compressed.at(-1)! ^ 1)],
    ["that ends early", compressed.subarray(0, -5)],
    ["that needs a dictionary", new Uint8Array(deflateSync(lines, { dictionary: Buffer.from("a") }))],
  ])("with image data %s", async (_, data) => {
    expect(await rejection(png(IHDR, chunk("IDAT", data), IEND))).toMatchObject({ code: "damaged_image" });
  });
});

test.each([
  ["Apple's format for apps", png(chunk("CgBI", uint32(0x50002002)), IHDR, IDAT, IEND), "Apple"],
  ["a critical chunk of an extension", png(IHDR, chunk("FdAT", uint32(1)), IDAT, IEND), "FdAT"],
])("%s is rejected as unsupported, with its name", async (_, bytes, name) => {
  expect(await rejection(bytes)).toMatchObject({ code: "unsupported_image", detail: expect.stringContaining(name) });
});

describe("a PNG is rejected as too large", () => {
  test.each([
    ["with one pixel too many", { width: 5, height: 4 }, 19],
    ["with a side no JPEG could have", { width: 65_536, height: 1 }, LIMITS.maxPixels],
    ["with sides that overflow when multiplied", { width: 0x8000_0000, height: 0x8000_0000 }, LIMITS.maxPixels],
    [
      "if it is interlaced and has to be in memory whole",
      { width: 6_000, height: 6_000, interlaced: true },
      LIMITS.maxPixels,
    ],
  ])("%s", async (_, size, maxPixels) => {
    expect(await rejection(png(headerWith(size), IDAT, IEND), { maxPixels })).toMatchObject({
      code: "image_too_large",
    });
  });

  test("from one pixel over the limit", async () => {
    expect(await rejection(png(IHDR, IDAT, IEND), { maxPixels: 20 })).toBe("not refused");
  });
});

describe("a decompression bomb", () => {
  const bomb = new Uint8Array(deflateSync(new Uint8Array(100_000_000)));

  test.each(Object.entries(KINDS))("in a small PNG (%s) is rejected before it is decompressed", async (_, spec) => {
    const palette = spec.palette ? [chunk("PLTE", Uint8Array.from(spec.palette.flat()))] : [];
    const file = png(chunk("IHDR", header(spec)), ...palette, chunk("IDAT", bomb), IEND);

    const started = performance.now();
    expect(await rejection(file)).toMatchObject({ code: "damaged_image" });
    const refused = performance.now();
    inflateSync(bomb);
    expect(refused - started).toBeLessThan((performance.now() - refused) / 4);
  });
});

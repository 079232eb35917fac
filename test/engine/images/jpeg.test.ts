import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readImage } from "../../../src/engine/images/readImage.ts";
import { encode } from "../../support/bytes.ts";
import { adobe, encodeJpeg, exif, JFIF, type JpegSpec, segment, toYcc } from "./encodeJpeg.ts";
import { concat, uint16, uint32 } from "./encodePng.ts";
import { expectPixels, LIMITS, rejection } from "./expected.ts";
import vectors from "./jpegVectors.json";
import { profile } from "./profile.ts";
import { type Rgb, render, renderPage, Sink } from "./render.ts";

/** The marker SOF2, which begins the frame of a progressive JPEG. */
const PROGRESSIVE = Buffer.of(0xff, 0xc2);
const SIZE = { width: 3, height: 2 };

/**
 * Colors of the blocks, row by row: red, yellow, blue; gray, black, white. Every orientation shows them in a different
 * order.
 */
const COLORS: Rgb[] = [
  [230, 20, 20],
  [220, 210, 30],
  [10, 20, 200],
  [128, 128, 128],
  [5, 5, 5],
  [250, 250, 250],
];
const RGB: JpegSpec = { ...SIZE, color: (x, y) => [...COLORS[y * 3 + x]!], componentIds: [82, 71, 66] };
const YCC: JpegSpec = { ...SIZE, color: (x, y) => toYcc(COLORS[y * 3 + x]!) };
const GRAY: JpegSpec = { ...SIZE, color: (x, y) => [COLORS[y * 3 + x]![0]] };
const INKS: number[][] = [
  [255, 0, 0, 0],
  [0, 255, 0, 0],
  [0, 0, 255, 0],
  [0, 0, 0, 255],
  [0, 0, 0, 0],
  [100, 50, 200, 30],
];
const CMYK: JpegSpec = { ...SIZE, color: (x, y) => INKS[y * 3 + x]! };
const INVERTED: JpegSpec = { ...CMYK, color: (x, y) => INKS[y * 3 + x]!.map((ink) => 255 - ink), segments: [adobe(0)] };
/** A YCCK image. Y, Cb and Cr encode the inverted inks. */
const YCCK: JpegSpec = {
  ...CMYK,
  color: (x, y) => [...toYcc(INKS[y * 3 + x]!.slice(0, 3) as unknown as Rgb), 255 - INKS[y * 3 + x]![3]!],
  segments: [adobe(2)],
};

/** Returns the pixels of an image whose blocks of 8 x 8 pixels have these colors, row by row. */
function pixels(colors: readonly Rgb[], width = SIZE.width): Rgb[] {
  const height = colors.length / width;
  return Array.from({ length: colors.length * 64 }, (_, i) => {
    const [x, y] = [i % (width * 8), Math.floor(i / (width * 8))];
    return colors[Math.min(y >> 3, height - 1) * width + (x >> 3)]!;
  });
}

function gray(colors: Rgb[]): Rgb[] {
  return colors.map(([value]) => [value, value, value]);
}

async function written(spec: JpegSpec): Promise<Sink> {
  const sink = new Sink();
  (await readImage(encodeJpeg(spec), LIMITS)).embed(sink);
  return sink;
}

async function expectShown(jpeg: Uint8Array, expected: Rgb[], tolerance = 2): Promise<void> {
  expectPixels(await render(await readImage(jpeg, LIMITS)), expected, tolerance);
}

/** Returns the colors of rectangles painted with `INKS`, rendered by PDFium. */
async function inks(): Promise<Rgb[]> {
  const content = INKS.map((ink, i) => `${ink.map((value) => value / 255).join(" ")} k ${i} 0 1 1 re f`).join("\n");
  return renderPage(content, { width: INKS.length, height: 1 });
}

describe("the colors of a JPEG", () => {
  test.each([
    ["gray", GRAY, pixels(gray(COLORS)), "/DeviceGray"],
    ["YCbCr without a marker", YCC, pixels(COLORS), "/DeviceRGB"],
    ["YCbCr with a JFIF marker", { ...YCC, segments: [JFIF] }, pixels(COLORS), "/DeviceRGB"],
    ["YCbCr with an Adobe marker", { ...YCC, segments: [adobe(1)] }, pixels(COLORS), "/DeviceRGB"],
    ["YCbCr with the component identifiers 0, 1, 2", { ...YCC, componentIds: [0, 1, 2] }, pixels(COLORS), "/DeviceRGB"],
    [
      "YCbCr with a JFIF marker and the component identifiers R, G, B",
      { ...YCC, segments: [JFIF], componentIds: [82, 71, 66] },
      pixels(COLORS),
      "/DeviceRGB",
    ],
    [
      "RGB with an Adobe marker",
      { ...RGB, componentIds: [1, 2, 3], segments: [adobe(0)] },
      pixels(COLORS),
      "/DeviceRGB",
    ],
    ["RGB with the component identifiers R, G, B", RGB, pixels(COLORS), "/DeviceRGB"],
    ["YCbCr in an extended sequential frame", { ...YCC, frameMarker: 0xc1 }, pixels(COLORS), "/DeviceRGB"],
    ["YCbCr with tables after the frame header", { ...YCC, tablesAfterFrame: true }, pixels(COLORS), "/DeviceRGB"],
    ["YCbCr with fill bytes before markers", { ...YCC, fill: [0xff, 0xff, 0xff] }, pixels(COLORS), "/DeviceRGB"],
    [
      "YCbCr with stray bytes between segments",
      { ...YCC, segments: [JFIF, Uint8Array.of(0x12, 0x34)] },
      pixels(COLORS),
      "/DeviceRGB",
    ],
    [
      "YCbCr with unused arithmetic conditioning",
      { ...YCC, segments: [segment(0xcc, Uint8Array.of(0, 0x10))] },
      pixels(COLORS),
      "/DeviceRGB",
    ],
    ["YCbCr with a restart interval", { ...YCC, segments: [segment(0xdd, uint16(0))] }, pixels(COLORS), "/DeviceRGB"],
  ])("shows the colors of a JPEG: %s", async (_, spec, expected, colorSpace) => {
    expect((await written(spec)).text).toContain(`/ColorSpace ${colorSpace}`);
    expect(await readImage(encodeJpeg(spec), LIMITS)).toMatchObject({ width: 24, height: 16 });
    await expectShown(encodeJpeg(spec), expected);
  });

  test.each([
    ["CMYK without an Adobe marker", CMYK],
    ["inverted CMYK with an Adobe marker", INVERTED],
    ["YCCK with an Adobe marker", YCCK],
  ])("a CMYK JPEG is drawn with the same colors as rectangles of the same inks: %s", async (_, spec) => {
    await expectShown(encodeJpeg(spec), pixels(await inks()), 3);
  });

  test("declares the inks of a JPEG as inverted if and only if the JPEG has an Adobe marker", async () => {
    expect((await written(CMYK)).text).not.toContain("/Decode [");
    expect((await written(INVERTED)).text).toContain("/Decode [1 0 1 0 1 0 1 0]");
    expect((await written({ ...YCC, segments: [adobe(1)] })).text).not.toContain("/Decode [");
  });

  test.each(vectors)(
    "shows the colors of a JPEG that $encoder encoded",
    async ({ jpeg, width, height, rgb, progressive }) => {
      const bytes = Uint8Array.from(Buffer.from(jpeg, "base64"));
      const expected = Buffer.from(rgb, "base64");
      const picture = await readImage(bytes, LIMITS);
      expect(picture).toMatchObject({ width, height });
      expect(Buffer.from(bytes).includes(PROGRESSIVE)).toBe(progressive);
      expectPixels(
        await render(picture),
        Array.from({ length: width * height }, (_, i) => [...expected.subarray(i * 3, i * 3 + 3)] as unknown as Rgb),
        4,
      );
    },
  );
});

describe("an Exif orientation", () => {
  /** `blocks` lists the block indices of the stored image in the order of display, row by row from the top left. */
  const cases = [
    { orientation: 1, size: [24, 16], blocks: [0, 1, 2, 3, 4, 5] },
    { orientation: 2, size: [24, 16], blocks: [2, 1, 0, 5, 4, 3] },
    { orientation: 3, size: [24, 16], blocks: [5, 4, 3, 2, 1, 0] },
    { orientation: 4, size: [24, 16], blocks: [3, 4, 5, 0, 1, 2] },
    { orientation: 5, size: [16, 24], blocks: [0, 3, 1, 4, 2, 5] },
    { orientation: 6, size: [16, 24], blocks: [3, 0, 4, 1, 5, 2] },
    { orientation: 7, size: [16, 24], blocks: [5, 2, 4, 1, 3, 0] },
    { orientation: 8, size: [16, 24], blocks: [2, 5, 1, 4, 0, 3] },
  ];

  test.each(cases)(
    "applies the Exif orientation $orientation of a JPEG",
    async ({ orientation, size: [width, height], blocks }) => {
      for (const order of ["MM", "II"]) {
        const jpeg = encodeJpeg({ ...YCC, segments: [exif(orientation, { order })] });
        expect(await readImage(jpeg, LIMITS)).toMatchObject({ width, height });
        await expectShown(
          jpeg,
          pixels(
            blocks.map((block) => COLORS[block]!),
            width! / 8,
          ),
        );
      }
    },
  );

  const whole = exif(6);
  test.each([
    ["is 0", [exif(0)]],
    ["is 9", [exif(9)]],
    ["has another type", [exif(6, { type: 4 })]],
    ["is cut off", [segment(0xe1, whole.subarray(4, -10))]],
    ["has no directory", [segment(0xe1, whole.subarray(4, 18))]],
    ["has a directory outside of its segment", [segment(0xe1, concat(encode("Exif\0\0MM\0*"), uint32(0xfffffff0)))]],
    ["is empty", [segment(0xe1, encode("Exif\0\0"))]],
    ["is in XMP", [segment(0xe1, encode('http://ns.adobe.com/xap/1.0/\0<x tiff:Orientation="6"/>'))]],
    ["follows another orientation", [exif(1), exif(6)]],
  ])("ignores a JPEG's Exif orientation that %s", async (_, segments) => {
    await expectShown(encodeJpeg({ ...YCC, segments }), pixels(COLORS));
  });
});

describe("an ICC profile in a JPEG", () => {
  const part = (number: number, count: number, data: Uint8Array) =>
    segment(0xe2, concat(encode("ICC_PROFILE\0"), Uint8Array.of(number, count), data));

  test.each([
    ["gray", GRAY, "GRAY", 1],
    ["YCbCr", YCC, "RGB ", 3],
    ["CMYK", CMYK, "CMYK", 4],
  ] as const)("uses the ICC profile of a JPEG as its color space (%s)", async (_, spec, space, components) => {
    const bytes = profile({ space });
    const sink = await written({ ...spec, segments: [part(1, 1, bytes)] });
    expect(sink.text).toContain("/ColorSpace [/ICCBased 4 0 R]");
    expect(new Uint8Array(inflateSync(sink.streams(`/N ${components} `)[0]!))).toEqual(bytes);
  });

  test("joins an ICC profile from the segments of a JPEG in any order", async () => {
    const bytes = profile({ length: 300 });
    const parts = [
      part(3, 3, bytes.subarray(220)),
      part(1, 3, bytes.subarray(0, 90)),
      part(2, 3, bytes.subarray(90, 220)),
    ];
    const sink = await written({ ...YCC, segments: parts });
    expect(new Uint8Array(inflateSync(sink.streams("/N 3 ")[0]!))).toEqual(bytes);
  });

  test.each([
    ["is for another number of components", [part(1, 1, profile({ space: "CMYK" }))]],
    ["lacks a part", [part(1, 2, profile({}))]],
    ["has a part with number 0", [part(0, 1, profile({}))]],
    ["has a part whose number is too high", [part(2, 1, profile({}))]],
    ["is not a profile", [part(1, 1, encode("nothing"))]],
    ["has no bytes", [segment(0xe2, encode("ICC_PROFILE\0"))]],
  ])("omits a JPEG's ICC profile that %s", async (_, segments) => {
    expect((await written({ ...YCC, segments })).text).toContain("/ColorSpace /DeviceRGB");
  });
});

describe("the bytes of a JPEG", () => {
  test("copies the bytes of a JPEG that has no metadata", async () => {
    for (const spec of [GRAY, { ...YCC, segments: [JFIF] }, YCCK, { ...YCC, fill: [0xff] }])
      expect((await written(spec)).streams("/DCTDecode")).toEqual([encodeJpeg(spec)]);
  });

  test("removes metadata, thumbnails, comments and trailing bytes from a JPEG", async () => {
    const thumbnail = encodeJpeg(GRAY);
    const metadata = [
      exif(1),
      segment(0xe1, concat(encode("Exif\0\0 GPS"), thumbnail)),
      segment(0xe0, concat(encode("JFXX\0\x10"), thumbnail)),
      segment(0xed, encode("Photoshop 3.0\0")),
      segment(0xee, encode("Adobe")),
      segment(0xfe, encode("A comment")),
    ];
    const jpeg = concat(encodeJpeg({ ...YCC, segments: [JFIF, ...metadata] }), thumbnail, encode("a video"));
    const sink = new Sink();
    (await readImage(jpeg, LIMITS)).embed(sink);
    expect(sink.streams("/DCTDecode")).toEqual([encodeJpeg({ ...YCC, segments: [JFIF] })]);
    await expectShown(jpeg, pixels(COLORS));
  });
});

describe("unsupported JPEGs", () => {
  test.each([
    ["lossless", { frameMarker: 0xc3 }],
    ["hierarchical", { frameMarker: 0xc5 }],
    ["hierarchical", { frameMarker: 0xc7 }],
    ["hierarchical", { frameMarker: 0xde }],
    ["arithmetic", { frameMarker: 0xc9 }],
    ["arithmetic", { frameMarker: 0xca }],
    ["arithmetic", { frameMarker: 0xcf }],
    ["JPEG-LS", { frameMarker: 0xf7 }],
    ["12 bits", { precision: 12 }],
    ["2 components", { color: () => [1, 2] }],
    ["5 components", { color: () => [1, 2, 3, 4, 5] }],
    ["height", { height: 0 }],
  ])("rejects an unsupported JPEG with the reason: %s", async (name, changes) => {
    const jpeg = encodeJpeg({ ...YCC, ...changes });
    expect(await rejection(jpeg)).toMatchObject({ code: "unsupported_image", detail: expect.stringContaining(name) });
  });
});

describe("damaged JPEGs", () => {
  test("rejects a JPEG as damaged if it is truncated at any byte", async () => {
    const jpeg = encodeJpeg({ ...YCC, segments: [JFIF, exif(6)] });
    for (let length = 3; length < jpeg.length; length++)
      expect(await rejection(jpeg.subarray(0, length)), `${length} bytes`).toMatchObject({ code: "damaged_image" });
  });

  const SOI = Uint8Array.of(0xff, 0xd8);
  const EOI = Uint8Array.of(0xff, 0xd9);
  const jpeg = encodeJpeg(YCC);
  const at = (marker: number) => Buffer.from(jpeg).indexOf(Buffer.of(0xff, marker));
  const without = (marker: number, next: number) => concat(jpeg.subarray(0, at(marker)), jpeg.subarray(at(next)));

  test.each([
    ["an empty image", concat(SOI, EOI)],
    ["no frame", without(0xc0, 0xda)],
    ["no scan", concat(jpeg.subarray(0, at(0xda)), EOI)],
    ["no Huffman tables", without(0xc4, 0xc0)],
    ["no quantization tables", without(0xdb, 0xc4)],
    ["two frames", concat(jpeg.subarray(0, at(0xda)), jpeg.subarray(at(0xc0)))],
    ["a second picture inside", concat(jpeg.subarray(0, at(0xda)), jpeg)],
    ["a segment of length 1", concat(SOI, Uint8Array.of(0xff, 0xfe, 0, 1), jpeg.subarray(2))],
    ["a short frame header", concat(SOI, segment(0xc0, Uint8Array.of(8, 0, 8)), EOI)],
    [
      "a frame header that lacks components",
      concat(SOI, segment(0xc0, Uint8Array.of(8, 0, 8, 0, 8, 3, 1, 0x11, 0)), EOI),
    ],
    ["a width of 0", encodeJpeg({ ...YCC, width: 0 })],
    ["50,000 empty segments", encodeJpeg({ ...YCC, segments: Array(50_000).fill(segment(0xe5, new Uint8Array())) })],
  ])("rejects a damaged JPEG: %s", async (_, bytes) => {
    expect(await rejection(bytes)).toMatchObject({ code: "damaged_image" });
  });
});

test("rejects a JPEG that exceeds the pixel limit by one pixel", async () => {
  expect(await rejection(encodeJpeg(YCC), { maxPixels: 24 * 16 - 1 })).toMatchObject({ code: "image_too_large" });
  expect(await rejection(encodeJpeg(YCC), { maxPixels: 24 * 16 })).toBe("accepted");
});

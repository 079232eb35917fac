/** Tests the objects that marks add to PDF/A files. `npm run check:pdfa` validates whole files. */
import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type ImageMark, TEMPLATES, type TemplateName, type TextMark, watermark } from "../../../src/engine/index.ts";
import { encode, joined } from "../../support/bytes.ts";
import { loadFont } from "../../support/fonts.ts";
import { onePage } from "../../support/pdf.ts";
import { adobe, encodeJpeg, JFIF, segment } from "../images/encodeJpeg.ts";
import { concat, encodePng, type PngSpec } from "../images/encodePng.ts";
import { profile } from "../images/profile.ts";
import { archive } from "../pdf/archive.ts";

type Mark = TextMark | ImageMark;

/**
 * Returns the notices and the new objects of a marked file. `added` maps object numbers to new objects, whose streams
 * are inflated.
 */
async function marked(source: Uint8Array, mark: Mark) {
  const plan = "text" in mark ? await watermark(source, mark, { loadFont }) : await watermark(source, mark);
  const known = objectsOf(source);
  const added = objectsOf(await joined(plan.chunks()));
  for (const number of known.keys()) added.delete(number);
  return { notices: plan.notices, added, all: [...added.values()].join("\n") };
}

function objectsOf(file: Uint8Array): Map<string, string> {
  const text = Buffer.from(file).toString("latin1");
  return new Map(
    Array.from(text.matchAll(/^(\d+) 0 obj\n(.*?)\nendobj$/gms), ([, number, body]) => [number!, readable(body!)]),
  );
}

function readable(body: string): string {
  const [, dict] = /^(<<.*?>>)\nstream\n/s.exec(body) ?? [];
  if (!dict?.includes("/FlateDecode") || dict.includes("/Predictor")) return body;
  return `${dict}\nstream\n${inflateSync(dataOf(body)).toString("latin1")}\nendstream`;
}

/** Returns the data of a stream object. */
function dataOf(body = ""): Buffer {
  return Buffer.from(/\nstream\n(.*)\nendstream$/s.exec(body)![1]!, "latin1");
}

const png = (spec: Partial<PngSpec> & Pick<PngSpec, "colorType">) =>
  encodePng({ width: 4, height: 4, bitDepth: 8, samples: () => [198, 40, 40], ...spec });
const image = (bytes: Uint8Array): Mark => ({ image: bytes, opacity: 1 });

const RGB = png({ colorType: 2 });
const GRAY = png({ colorType: 0, samples: () => [128] });
const HALF = png({ colorType: 6, samples: () => [198, 40, 40, 128] });
const jpeg = (color: number[], ...segments: Uint8Array[]) =>
  encodeJpeg({ width: 1, height: 1, color: () => color, segments });
const CMYK = jpeg([0, 255, 0, 0]);
const withProfile = (space: string, version: number) =>
  segment(0xe2, concat(encode("ICC_PROFILE\0"), Uint8Array.of(1, 1), profile({ space, version })));

const MARKS: [string, Mark][] = [
  ...Object.keys(TEMPLATES).map((name): [string, Mark] => [
    `the template ${name}`,
    { text: "DRAFT {page}", template: name as TemplateName, opacity: 1 },
  ]),
  ["a colored text", { text: "é नमस्ते", color: "#123456", opacity: 1 }],
  ["an RGB image", image(RGB)],
  ["a gray image", image(GRAY)],
  ["an image with a palette", image(png({ colorType: 3, palette: [[1, 2, 3]], samples: () => [0] }))],
  ["an opaque image with alpha", image(png({ colorType: 6, samples: () => [198, 40, 40, 255] }))],
  [
    "an image with a transparent color",
    image(png({ colorType: 2, chunks: [{ type: "tRNS", data: new Uint8Array(6) }] })),
  ],
  ["an RGB JPEG", image(jpeg([100, 128, 128], JFIF))],
  ["a gray JPEG", image(jpeg([100]))],
  ["a tiled image", { ...image(RGB), position: "tile" }],
];

describe.each(MARKS)("%s with opacity 1", (_, mark) => {
  test.each([
    ["PDF/A-1 for RGB", { part: 1, intent: 3 }],
    ["PDF/A-1 for CMYK", { part: 1, intent: 4 }],
    ["PDF/A-1 without an output intent", { part: 1 }],
    ["PDF/A-2 without an output intent", { part: 2 }],
  ])("a mark in %s uses only the device colors that an output intent defines", async (_name, options) => {
    const { all, notices } = await marked(archive(options), mark);
    expect(all).not.toMatch(/ [kK]\s|\/ColorSpace ?\/DeviceCMYK/);
    if (!("intent" in options && options.intent === 3))
      expect(all).not.toMatch(/ (rg|RG)\s|\/ColorSpace ?\/DeviceRGB|\/Indexed \/Device/);
    if (!("intent" in options))
      expect(all.replace(/\/Alternate \/DeviceGray/g, "")).not.toMatch(/ [gG]\s|\/DeviceGray/);
    expect(notices.filter((notice) => notice === "pdfa-color")).toEqual([]);
  });

  test("a mark adds no transparency to PDF/A-1", async () => {
    const { all, notices } = await marked(archive({ part: 1, intent: 3 }), mark);
    expect(all).toContain("/SMask/None");
    expect(all).not.toMatch(/\/SMask(?!\/None)|\/Group|\/(ca|CA) (?!1\/)|\/BM(?!\/Normal)/);
    expect(notices).toEqual([]);
  });

  test.each([
    ["a file without a PDF/A claim", {}],
    ["a PDF/A file", { part: 1, intent: 3 }],
    ["a file whose pages replace device colors", { resources: "/ColorSpace<</DefaultGray 9 0 R/DefaultRGB 9 0 R>>" }],
  ])("a mark does not redefine a default color space in %s", async (_name, options) => {
    expect((await marked(archive(options), mark)).all).not.toMatch(/\/Default\w+\s*\/Device/);
  });
});

describe("the color of a mark", () => {
  const RED = { text: "A", color: "#c62828", opacity: 1 };
  const NEUTRAL = { text: "A", color: "#404040", opacity: 1 };

  test("a mark uses device colors in a file without a PDF/A claim", async () => {
    expect((await marked(archive({}), RED)).all).toContain("0.777 0.157 0.157 rg");
    expect((await marked(archive({}), NEUTRAL)).all).toContain("0.251 g");
    expect((await marked(archive({}), image(RGB))).all).toContain("/ColorSpace /DeviceRGB");
  });

  test("a mark in PDF/A uses an ICC profile for a color, and DeviceGray for a neutral color", async () => {
    const source = archive({ part: 1, intent: 4 });
    const { all, added } = await marked(source, RED);
    const [, number] = /\/ColorSpace<<\/C\[\/ICCBased (\d+) 0 R\]>>/.exec(all) ?? [];
    expect(all).toContain("/C cs 0.777 0.157 0.157 sc");
    expect(added.get(number!)).toMatch(/^<<\/N 3.*\n.{8}\x02.{3}mntrRGB XYZ /s);
    expect((await marked(source, NEUTRAL)).all).toContain("0.251 g");
  });

  test("a mark uses an ICC profile for its color if the page replaces the device color space", async () => {
    const [gray, rgb] = ["Gray", "RGB"].map((model) => archive({ resources: `/ColorSpace<</Default${model} 9 0 R>>` }));
    expect((await marked(gray!, NEUTRAL)).all).toContain("/C cs 0.251 sc");
    expect((await marked(gray!, RED)).all).toContain(" rg");
    expect((await marked(gray!, image(GRAY))).all).toContain("/ColorSpace [/ICCBased");
    expect((await marked(rgb!, RED)).all).toContain("/C cs 0.777 0.157 0.157 sc");
    expect((await marked(rgb!, NEUTRAL)).all).toContain("0.251 g");
    expect((await marked(rgb!, image(RGB))).all).toContain("/ColorSpace [/ICCBased");
  });

  test("a stamp draws its frame in the color of its text", async () => {
    const { all } = await marked(archive({ part: 1 }), { text: "A", template: "stamp", opacity: 1 });
    expect(all).toContain("/C CS 0.479 0.048 0.048 SC");
    expect(all).toContain("/C CS 1 1 1 SC"); // 1 1 1 is white, the color of the light edge around text and frame
  });
});

describe("the subset of a font", () => {
  const letters = String.fromCodePoint(...Array.from({ length: 300 }, (_, i) => 0x4e00 + i));
  const text = { text: `Abé {page} ${letters}`, opacity: 1 };

  test("the /CIDSet of a font subset in PDF/A-1 lists every glyph of the font program", async () => {
    const { all, added } = await marked(archive({ part: 1, intent: 3 }), text);
    const stream = (key: string) => dataOf(added.get(new RegExp(`(?<=/${key} )\\d+`).exec(all)![0]));
    const program = stream("FontFile2");
    const glyphs = program.readUInt16BE(program.readUInt32BE(program.indexOf("maxp") + 8) + 4);
    const bits = Array.from(stream("CIDSet"), (byte) => byte.toString(2).padStart(8, "0")).join("");
    expect(glyphs).toBeGreaterThan(300);
    expect(bits).toBe("1".repeat(glyphs).padEnd(Math.ceil(glyphs / 8) * 8, "0"));
  });

  test.each([{}, { part: 2, intent: 3 }, { part: 4, intent: 3 }])(
    "a font subset has no /CIDSet in files other than PDF/A-1: %o",
    async (options) => {
      expect((await marked(archive(options), text)).all).not.toContain("/CIDSet");
    },
  );
});

describe("an image in PDF/A-1", () => {
  test("reduces an image's 16-bit samples to their high 8 bits only in PDF/A-1", async () => {
    const samples = (x: number, y: number) => [x * 0x4321, y * 0x5432, 0xfedc];
    const deep = { colorType: 2, bitDepth: 16, samples } as const;
    const shallow = png({ colorType: 2, samples: (x, y) => samples(x, y).map((sample) => sample >> 8) });
    for (const interlaced of [false, true]) {
      const { all } = await marked(archive({ part: 1, intent: 3 }), image(png({ ...deep, interlaced })));
      expect(all).toContain("/BitsPerComponent 8");
      expect(pixelsIn(all)).toEqual(pixelsIn((await marked(archive({}), image(shallow))).all));
    }
    expect((await marked(archive({ part: 2, intent: 3 }), image(png(deep)))).all).toContain("/BitsPerComponent 16");
  });

  test("reduces a 16-bit image with opaque alpha to 8 bits in PDF/A-1 without a notice", async () => {
    const samples = () => [0x1234, 0x5678, 0x9abc, 0xffff];
    const { all, notices } = await marked(
      archive({ part: 1, intent: 3 }),
      image(png({ colorType: 6, bitDepth: 16, samples })),
    );
    expect(all).not.toContain("/BitsPerComponent 16");
    expect(notices).toEqual([]);
  });
});

/** Returns the unfiltered samples of the first image in `all`. */
function pixelsIn(all: string): number[] {
  const [, width, colors, data] =
    /\/Subtype \/Image \/Width (\d+).*?\/Colors (\d).*?stream\n(.*?)\nendstream/s.exec(all) ?? [];
  const lines = inflateSync(Buffer.from(data!, "latin1"));
  const [length, distance] = [Number(width) * Number(colors), Number(colors)];
  const pixels: number[] = [];
  for (let at = 0; at < lines.length; at += length + 1)
    for (let i = 0; i < length; i++) {
      const left = i < distance ? 0 : pixels.at(-distance)!;
      const above = pixels.at(-length) ?? 0;
      const corner = i < distance ? 0 : (pixels.at(-length - distance) ?? 0);
      const nearest = [left, above, corner].toSorted(
        (a, b) => Math.abs(left + above - corner - a) - Math.abs(left + above - corner - b),
      )[0]!;
      pixels.push((lines[at + 1 + i]! + [0, left, above, (left + above) >> 1, nearest][lines[at]!]!) & 255);
    }
  return pixels;
}

describe("the notices pdfa-transparency and pdfa-color", () => {
  const TRANSPARENT: Mark[] = [{ text: "A", opacity: 0.5 }, { image: RGB, opacity: 0.5 }, image(HALF)];

  test.each([
    ["reports transparency in PDF/A-1", { part: 1, intent: 3 }, ["pdfa-transparency"]],
    ["accepts transparency in PDF/A-2 with an output intent", { part: 2, intent: 3 }, []],
    ["reports transparency in PDF/A-3 without an output intent", { part: 3 }, ["pdfa-transparency"]],
    ["accepts transparency in a file without a PDF/A claim", {}, []],
  ])("%s", async (_, options, notices) => {
    for (const mark of TRANSPARENT) expect((await marked(archive(options), mark)).notices).toEqual(notices);
  });

  test("draws hollow letters with a soft mask if the file's PDF standard allows soft masks", async () => {
    const mark = { text: "A", template: "outline", opacity: 1 } as const;
    for (const options of [{}, { part: 2, intent: 3 }])
      expect(await marked(archive(options), mark)).toMatchObject({
        notices: [],
        all: expect.stringContaining("/SMask<<"),
      });
  });

  test.each([
    ["reports a CMYK image in PDF/A-1 without a CMYK output intent", CMYK, { part: 1, intent: 3 }, ["pdfa-color"]],
    ["reports a CMYK image in PDF/A-4 without a CMYK output intent", CMYK, { part: 4, intent: 1 }, ["pdfa-color"]],
    ["accepts a CMYK image in PDF/A-1 with a CMYK output intent", CMYK, { part: 1, intent: 4 }, []],
    [
      "accepts a CMYK image with a profile of version 2 in PDF/A-1",
      jpeg([0, 0, 0, 9], withProfile("CMYK", 2)),
      { part: 1, intent: 3 },
      [],
    ],
    [
      "reports a CMYK image with a profile of version 4 in PDF/A-1",
      jpeg([0, 0, 0, 9], withProfile("CMYK", 4)),
      { part: 1, intent: 3 },
      ["pdfa-color"],
    ],
    [
      "accepts a CMYK image with a profile of version 4 in PDF/A-2",
      jpeg([0, 0, 0, 9], withProfile("CMYK", 4), adobe(0)),
      { part: 2, intent: 3 },
      [],
    ],
    ["accepts a CMYK image in a file without a PDF/A claim", CMYK, {}, []],
  ])("%s", async (_, bytes, options, notices) => {
    expect((await marked(archive(options), image(bytes))).notices).toEqual(notices);
  });

  test("a mark can cause the notice pdfa-transparency in addition to signatures-invalidated", async () => {
    const catalog = "<</Type/Catalog/Pages 2 0 R/Metadata 5 0 R/Perms<</DocMDP 6 0 R>>>>";
    const { notices } = await marked(archive({ part: 1, more: { 1: catalog } }), { text: "A" });
    expect(notices).toEqual(["signatures-invalidated", "pdfa-transparency"]);
  });
});

test.each([1e-5, 1e-18, 1e-300])(
  "the coordinates of a tiled text of %f points stay within PDF/A-1's number range",
  async (fontSizePt) => {
    const { all } = await marked(archive({ part: 1 }), { text: "Draft", template: "tiled", opacity: 1, fontSizePt });
    expect(all).toContain("/Artifact");
    expect(all).not.toMatch(/\d(\.\d+)?e[+-]?\d|(?<![<\d])\d{10}/);
  },
);

test("a hollow letter is drawn several times, but only once with the code that readers extract", async () => {
  const { all } = await marked(onePage, { text: "A", template: "outline" });
  expect(all.match(/\[<01>\] TJ/g)).toHaveLength(1);
  expect(all.match(/\[<02>\] TJ/g)!.length).toBeGreaterThan(1);
});

/** Tests that a marked PDF shows a transparent PNG as a browser does, at any size and on pages of any color. */
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { type Renderer, renderPages, renderPagesByMupdf } from "../../scripts/lib/raster.ts";
import { watermark } from "../../src/engine/index.ts";
import { encodePng, type Kind, type PngSpec, uint16 } from "../engine/images/encodePng.ts";
import { joined } from "../support/bytes.ts";
import { pdfOf, streamOf } from "../support/pdf.ts";

const READERS: [string, Renderer][] = [
  ["PDFium", renderPages],
  ["MuPDF", renderPagesByMupdf],
];
const SIDE = 96;
const WIDTH = 200;
/**
 * Side lengths of the image on the page in points: enlarged, unscaled and reduced. Pages are rendered at one pixel per
 * point.
 */
const SIDES = [192, 96, 60, 48, 32, 12];
/** Maximum difference per color channel, out of 255. Renderers blend slightly differently where colors meet. */
const TOLERANCE = 8;
const GRAYS = { white: 255, gray: 128, black: 0 };

/** Name of a pixel's color. `nothing` is black with alpha 0. */
type Paint = "nothing" | "white" | "red" | "blue" | "faint";
const COLORS: Record<Paint, [number, number, number, number]> = {
  nothing: [0, 0, 0, 0],
  white: [255, 255, 255, 255],
  red: [220, 30, 20, 255],
  blue: [30, 60, 230, 255],
  faint: [220, 30, 20, 128],
};
const PAINTS = Object.keys(COLORS) as Paint[];

/**
 * Returns the color of a pixel of the test image. The image has white hairlines in both directions, separate red and
 * blue shapes, and a disc with a soft edge.
 */
function motif(x: number, y: number): Paint {
  if (y > 4 && y < 36 && (x % 13 === 5 || y % 11 === 7)) return "white";
  const radius = Math.hypot(x - 30, y - 66);
  if (radius < 19) return "red";
  if (radius < 20) return "faint";
  return x > 60 && x < 90 && Math.abs(y - 66) < (x - 60) / 2 ? "blue" : "nothing";
}

function specOf(kind: Kind, more: Partial<PngSpec>, paints: readonly Paint[]): PngSpec {
  const top = 2 ** kind.bitDepth - 1;
  const scaled = (value: number) => Math.round((value / 255) * top);
  const paintAt = (x: number, y: number) => {
    const paint = motif(x, y);
    if (paints.includes(paint)) return paint;
    return paint === "faint" && paints.includes("red") ? "red" : "white";
  };
  const samples = (x: number, y: number): number[] => {
    const paint = paintAt(x, y);
    const [r, g, b, alpha] = COLORS[paint];
    switch (kind.colorType) {
      case 0:
        return [paint === "nothing" ? 0 : Math.max(1, scaled(g))];
      case 2:
        return [r, g, b].map(scaled);
      case 3:
        return [paints.indexOf(paint)];
      case 4:
        return [g, alpha].map(scaled);
      case 6:
        return [r, g, b, alpha].map(scaled);
    }
  };
  return { width: SIDE, height: SIDE, ...kind, samples, ...more };
}

const OPAQUE = PAINTS.filter((paint) => paint !== "faint");

function indexed(bitDepth: number, paints: readonly Paint[]): PngSpec {
  return specOf(
    { colorType: 3, bitDepth },
    {
      palette: paints.map((paint) => COLORS[paint].slice(0, 3)),
      chunks: [{ type: "tRNS", data: Uint8Array.from(paints, (paint) => COLORS[paint][3]) }],
    },
    paints,
  );
}

function keyed(colorType: 0 | 2, bitDepth: number): PngSpec {
  const key = colorType === 0 ? uint16(0) : uint16(0, 0, 0);
  return specOf({ colorType, bitDepth }, { chunks: [{ type: "tRNS", data: key }] }, OPAQUE);
}

const SPECS: [string, PngSpec][] = [
  ["RGB with alpha, 8 bits", specOf({ colorType: 6, bitDepth: 8 }, {}, PAINTS)],
  ["RGB with alpha, 16 bits", specOf({ colorType: 6, bitDepth: 16 }, {}, PAINTS)],
  ["gray with alpha, 8 bits", specOf({ colorType: 4, bitDepth: 8 }, {}, PAINTS)],
  ["gray with alpha, 16 bits", specOf({ colorType: 4, bitDepth: 16 }, {}, PAINTS)],
  ["a palette with soft edges, 8 bits", indexed(8, PAINTS)],
  ["a palette with soft edges, 4 bits", indexed(4, PAINTS)],
  ...[1, 2, 4, 8].map((bits): [string, PngSpec] => [
    `a palette, ${bits} bits`,
    indexed(bits, OPAQUE.slice(0, 2 ** bits)),
  ]),
  ...[1, 2, 4, 8, 16].map((bits): [string, PngSpec] => [`a transparent gray, ${bits} bits`, keyed(0, bits)]),
  ...[8, 16].map((bits): [string, PngSpec] => [`a transparent color, ${bits} bits`, keyed(2, bits)]),
];
const CASES = SPECS.flatMap(([name, spec]): [string, PngSpec][] => [
  [name, spec],
  [`${name}, interlaced`, { ...spec, interlaced: true }],
]);

/** Cache for `composed`, because many kinds of PNG result in the same image. */
const known = new Map<string, Promise<Uint8Array[]>>();

/** Renders the reference: pages with an opaque image that a canvas blends with the page's gray, as a browser does. */
async function composed(png: Uint8Array, gray: number, renderer: Renderer): Promise<Uint8Array[]> {
  const context = createCanvas(SIDE, SIDE).getContext("2d");
  context.fillStyle = `rgb(${gray} ${gray} ${gray})`;
  context.fillRect(0, 0, SIDE, SIDE);
  context.drawImage(await loadImage(Buffer.from(png)), 0, 0);
  const { data } = context.getImageData(0, 0, SIDE, SIDE);
  const key = [renderer.name, gray, Buffer.from(data).toString("latin1")].join();
  const samples = (x: number, y: number) => Array.from(data.subarray(4 * (y * SIDE + x), 4 * (y * SIDE + x) + 3));
  const image = () => encodePng({ width: SIDE, height: SIDE, colorType: 2, bitDepth: 8, samples });
  if (!known.has(key)) known.set(key, drawn(image(), [gray], renderer));
  return known.get(key)!;
}

/** Renders one page for each combination of a gray and a side of the image. The page is as high as the image. */
async function drawn(image: Uint8Array, grays: readonly number[], renderer: Renderer): Promise<Uint8Array[]> {
  const pages = grays.flatMap((gray) => SIDES.map((side) => ({ gray, side })));
  const objects = pages.flatMap(({ gray, side }, i) => [
    streamOf(`${gray / 255} g 0 0 ${WIDTH} ${side} re f`),
    `<< /Type /Page /Parent 2 0 R /Contents ${2 * i + 3} 0 R /MediaBox [0 0 ${WIDTH} ${side}] >>`,
  ]);
  const kids = pages.map((_, i) => `${2 * i + 4} 0 R`).join(" ");
  const tree = `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`;
  const file = pdfOf(["<< /Type /Catalog /Pages 2 0 R >>", tree, ...objects]);
  const plan = await watermark(file, { image, edge: "none", opacity: 1, scale: 1, marginPt: 0 });
  const rasters = await renderer(await joined(plan.chunks()), { width: WIDTH, height: WIDTH });
  return rasters.map(({ rgb }) => rgb);
}

function mostDifference(values: Uint8Array, expected: Uint8Array): number {
  let most = values.length === expected.length ? 0 : Number.POSITIVE_INFINITY;
  for (let at = 0; at < values.length; at++) most = Math.max(most, Math.abs(values[at]! - expected[at]!));
  return most;
}

describe.each(READERS)("transparent PNGs rendered by %s", (reader, renderer) => {
  test.each(CASES)(`a transparent PNG looks the same in ${reader} as in a browser: %s`, async (_name, spec) => {
    const png = encodePng(spec);
    const seen = await drawn(png, Object.values(GRAYS), renderer);
    const worst: Record<string, number> = {};
    for (const [where, gray] of Object.entries(GRAYS)) {
      const expected = await composed(png, gray, renderer);
      for (const [i, side] of SIDES.entries()) {
        worst[`${side} pixels on ${where}`] = mostDifference(seen.shift()!, expected[i]!);
      }
    }
    expect(Math.max(...Object.values(worst)), JSON.stringify(worst)).toBeLessThanOrEqual(TOLERANCE);
  });
});

/** Tests that marks stay visible on pages of any color and on pictures, when MuPDF or PDFium renders them. */
import { beforeAll, describe, expect, it } from "vitest";
import { loadFont } from "../../scripts/lib/loadFont.ts";
import { type Raster, type Renderer, renderPages, renderPagesByMupdf } from "../../scripts/lib/raster.ts";
import { TEMPLATES, type TemplateName, type TextMark, watermark } from "../../src/engine/index.ts";
import { everyOf } from "../support/allCases.ts";
import { joined } from "../support/bytes.ts";
import { pdfOf, streamOf } from "../support/pdf.ts";
import { PHOTOGRAPH, photographPages } from "../support/photographs.ts";

const [WIDTH, HEIGHT] = [600, 800];
/** Pixels per point. 1.5 equals 108 pixels per inch. */
const SCALE = 1.5;
const BOX = { width: WIDTH * SCALE, height: HEIGHT * SCALE };
/**
 * Maximum distance between a stroke and the contrasting edge around it, as a fraction of the template's maximum font
 * size.
 */
const REACH = 0.1;
/** Maximum number of sampled pixels on the strokes of a mark. */
const MAX_SAMPLES = 2000;
const NAMES = Object.keys(TEMPLATES) as TemplateName[];
const RENDERERS: [string, Renderer][] = [
  ["MuPDF", renderPagesByMupdf],
  ["PDFium", renderPages],
];

/** All tested page colors: 256 grays and 4,096 colors. */
const COLORS: readonly Color[] = [
  ...Array.from({ length: 256 }, (_, gray): Color => [gray, gray, gray]),
  ...Array.from({ length: 4096 }, (_, i): Color => [(i >> 8) * 17, ((i >> 4) & 15) * 17, (i & 15) * 17]),
];
type Color = readonly [number, number, number];

/** Returns the text to draw with a template. Repeats small letters to provide enough pixels for sampling. */
const textFor = (template: TemplateName) => (TEMPLATES[template].small ? "CONFIDENTIAL ".repeat(12) : "CONFIDENTIAL");

/**
 * Pixel of a mark, rendered on a black and on a white page. Its value on other page colors is interpolated between the
 * two.
 */
interface Pixel {
  readonly onBlack: Color;
  readonly onWhite: Color;
}

/** A black image. The page with this image does not count as dark, so the mark has its usual colors. */
const BLACK_IMAGE = "BI /W 1 /H 1 /CS /G /BPC 8 /F /AHx ID 00> EI";

/** Renders a mark on a white page and on a black page. */
async function drawn(mark: TextMark, render: Renderer): Promise<[white: Raster, black: Raster]> {
  const source = pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] /MediaBox [0 0 ${WIDTH} ${HEIGHT}] >>`,
    "<< /Type /Page /Parent 2 0 R >>",
    "<< /Type /Page /Parent 2 0 R /Contents 5 0 R >>",
    streamOf(`q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm ${BLACK_IMAGE} Q`),
  ]);
  return (await render(await marked(source, mark), BOX)) as [Raster, Raster];
}

async function marked(source: Uint8Array, mark: TextMark): Promise<Uint8Array> {
  const plan = await watermark(source, mark, { loadFont });
  return joined(plan.chunks());
}

function pixelAt([white, black]: readonly [Raster, Raster], at: number): Pixel {
  return {
    onWhite: [...white.rgb.subarray(3 * at, 3 * at + 3)] as unknown as Color,
    onBlack: [...black.rgb.subarray(3 * at, 3 * at + 3)] as unknown as Color,
  };
}

/**
 * Returns the lightest pixel of a letter, and the faintest pixel of the outline around the letters. If both are
 * visible, so is the rest of the mark.
 */
function weakest(rasters: readonly [Raster, Raster], reach: number): { letter: Pixel; edge: Pixel } {
  const [onWhite, onBlack] = rasters.map(brightness) as [Uint16Array, Uint16Array];
  const { width, height } = rasters[0];
  const darkest = onWhite.reduce((a, b) => Math.min(a, b));
  let faintest: number | undefined;
  let lightest: number | undefined;
  for (let y = reach; y < height - reach; y += 3)
    for (let x = reach; x < width - reach; x += 3) {
      const at = y * width + x;
      if (onWhite[at]! > darkest + 12) continue;
      if (lightest === undefined || onWhite[at]! > onWhite[lightest]!) lightest = at;
      let edge = at;
      for (let j = y - reach; j <= y + reach; j++)
        for (let i = x - reach; i <= x + reach; i++) if (onBlack[j * width + i]! > onBlack[edge]!) edge = j * width + i;
      if (faintest === undefined || onBlack[edge]! < onBlack[faintest]!) faintest = edge;
    }
  return { letter: pixelAt(rasters, lightest!), edge: pixelAt(rasters, faintest!) };
}

/** Returns the sum of red, green and blue for each pixel. */
function brightness({ rgb }: Raster): Uint16Array {
  const sums = new Uint16Array(rgb.length / 3);
  for (let i = 0; i < sums.length; i++) sums[i] = rgb[3 * i]! + rgb[3 * i + 1]! + rgb[3 * i + 2]!;
  return sums;
}

/** Returns the relative luminance of a color (WCAG 2.2). */
function luminance(color: Color): number {
  const [r, g, b] = color.map(linear) as unknown as Color;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function linear(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function contrast(...colors: readonly Color[]): number {
  const luminances = colors.map(luminance);
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05);
}

function on(page: Color, { onBlack, onWhite }: Pixel): Color {
  return page.map((value, i) => onBlack[i]! + ((onWhite[i]! - onBlack[i]!) * value) / 255) as unknown as Color;
}

/** Returns the minimum contrast of a mark over pages of all colors. */
async function leastContrast(mark: TextMark, render: Renderer): Promise<number> {
  const { sizeShare } = TEMPLATES[mark.template!];
  const { letter, edge } = weakest(await drawn(mark, render), Math.round(REACH * sizeShare * WIDTH * SCALE));
  return Math.min(...COLORS.map((page) => contrast(page, on(page, letter), on(page, edge))));
}

describe.each(RENDERERS)("text marks rendered by %s", (_, render) => {
  it.each(NAMES)("a mark with the template %s is visible on pages of every color", async (template) => {
    const text = textFor(template);
    expect(await leastContrast({ text, template }, render)).toBeGreaterThan(1.5);
    expect(await leastContrast({ text, template, opacity: 1 }, render)).toBeGreaterThan(3);
  });

  it("a mark in a color that the caller chose has no edge in another color", async () => {
    const [white, black] = await drawn({ text: "CONFIDENTIAL", color: "#000000", opacity: 1 }, render);
    expect(black.rgb.reduce((a, b) => Math.max(a, b))).toBe(0);
    expect(white.rgb.reduce((a, b) => Math.min(a, b))).toBe(0);
  });
});

/** Sampled pixels on the strokes of a mark, and the maximum distance of each pixel from an edge, in pixels. */
interface Strokes {
  readonly places: readonly number[];
  readonly reach: number;
}

/**
 * Finds the strokes of a mark on a white page. Stroke pixels have at least 80 % of the darkest pixel's ink. Takes an
 * evenly spaced sample of at most `MAX_SAMPLES` pixels. Accepts every edge within three pixels, because the eye sees
 * such an edge as part of the stroke.
 */
function strokesOn(white: Raster, template: TemplateName): Strokes {
  const { width, height } = white;
  const reach = Math.max(3, Math.round(REACH * TEMPLATES[template].sizeShare * width));
  const values = brightness(white);
  const solid = 0.8 * values.reduce((a, b) => Math.min(a, b)) + 0.2 * 765;
  const places: number[] = [];
  for (let y = reach; y < height - reach; y++)
    for (let x = reach; x < width - reach; x++) if (values[y * width + x]! <= solid) places.push(y * width + x);
  const step = Math.ceil(places.length / MAX_SAMPLES);
  return { places: places.filter((_, i) => i % step === 0), reach };
}

/**
 * Returns the minimum contrast of a mark along its strokes on a picture. For each pixel, divides the luminance with the
 * mark by the luminance without it. Compares this ratio with those of nearby pixels, and with 1, the ratio of an
 * unmarked pixel. The picture's own contrast therefore has no influence.
 */
function leastContrastOver(plain: Raster, marked: Raster, { places, reach }: Strokes): number {
  const { width } = plain;
  const changes = luminances(marked);
  const before = luminances(plain);
  for (let at = 0; at < before.length; at++) changes[at]! /= before[at]!;
  let weakest = Number.POSITIVE_INFINITY;
  for (const place of places) {
    let [least, most] = [1, 1];
    for (let row = place - reach * width; row <= place + reach * width; row += width)
      for (let at = row - reach; at <= row + reach; at++) {
        least = Math.min(least, changes[at]!);
        most = Math.max(most, changes[at]!);
      }
    weakest = Math.min(weakest, most / least);
  }
  return weakest;
}

/** Part of a pixel's luminance that each value of its red, green or blue channel contributes, by channel and value. */
const SHARES = [0.2126, 0.7152, 0.0722].map((share) =>
  Array.from({ length: 256 }, (_, value) => share * linear(value)),
);

/** Returns each pixel's luminance plus 0.05, the flare in WCAG's definition of contrast. */
function luminances({ rgb }: Raster): Float32Array {
  const [red, green, blue] = SHARES as [number[], number[], number[]];
  const result = new Float32Array(rgb.length / 3);
  for (let i = 0; i < result.length; i++)
    result[i] = red[rgb[3 * i]!]! + green[rgb[3 * i + 1]!]! + blue[rgb[3 * i + 2]!]! + 0.05;
  return result;
}

describe.each(everyOf(RENDERERS, 2))("text marks rendered by %s on pictures like photographs", (_, render) => {
  const source = photographPages();
  let plain: Raster[];
  beforeAll(async () => {
    plain = await render(source, PHOTOGRAPH);
  });

  it.each(NAMES)(
    "a mark with the template %s is visible along every stroke on images that resemble photographs",
    async (template) => {
      const [white, ...pictures] = await render(
        await marked(source, { text: textFor(template), template }),
        PHOTOGRAPH,
      );
      const strokes = strokesOn(white!, template);
      expect(strokes.places.length).toBeGreaterThan(50);
      expect(pictures).toHaveLength(10);
      const contrasts = pictures.map((picture, i) => leastContrastOver(plain[i + 1]!, picture, strokes));
      expect(Math.min(...contrasts)).toBeGreaterThan(1.5);
    },
  );
});

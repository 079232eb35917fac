import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readImage } from "../../../src/engine/images/readImage.ts";
import { encodePng, type PngSpec } from "./encodePng.ts";
import { LIMITS, noise } from "./expected.ts";
import { Sink } from "./render.ts";

type Pixel = readonly number[];

/** Returns the colors of an image as embedded in the PDF, row by row. */
async function colorsOf(spec: PngSpec): Promise<Pixel[][]> {
  const sink = new Sink();
  (await readImage(encodePng(spec), LIMITS)).embed(sink);
  const dict = sink.text.split("\n").find((line) => line.includes("/SMask"))!;
  const components = Number(/\/Colors (\d)/.exec(dict)![1]);
  const lines = inflateSync(sink.streams("/SMask")[0]!);
  const length = 1 + spec.width * components;
  const rows: Pixel[][] = [];
  let above = new Uint8Array(length - 1);
  for (let at = 0; at < lines.length; at += length) {
    expect([0, 2]).toContain(lines[at]); // filter types None and Up, the only types that this function reverses
    const row = lines.subarray(at + 1, at + length).map((byte, i) => byte + (lines[at] === 2 ? above[i]! : 0));
    rows.push(Array.from({ length: spec.width }, (_, x) => [...row.subarray(x * components, (x + 1) * components)]));
    above = Uint8Array.from(row);
  }
  return rows;
}

function image(width: number, height: number, isVisible: (x: number, y: number) => boolean): PngSpec {
  return {
    width,
    height,
    colorType: 6,
    bitDepth: 8,
    filter: () => 0,
    samples: (x, y) =>
      isVisible(x, y) ? [noise(x, y, 0, 8), noise(x, y, 1, 8), noise(x, y, 2, 8), 255] : [9, 8, 7, 0],
  };
}

/** Expects each pixel to have the color of one of the nearest visible pixels. */
async function expectNearest(spec: PngSpec, isVisible: (x: number, y: number) => boolean): Promise<void> {
  const all = Array.from({ length: spec.width * spec.height }, (_, i) => [i % spec.width, Math.floor(i / spec.width)]);
  const visible = all.filter(([x, y]) => isVisible(x!, y!)) as [number, number][];
  const rows = await colorsOf(spec);
  for (const [x, y] of all as [number, number][]) {
    const distances = visible.map(([toX, toY]) => Math.abs(toX - x) + Math.abs(toY - y));
    const nearest = Math.min(...distances);
    const colors = visible.filter((_, i) => distances[i] === nearest).map(([x, y]) => spec.samples(x, y).slice(0, 3));
    expect(colors, `${x}, ${y}`).toContainEqual(rows[y]![x]);
  }
}

describe("invisible pixels", () => {
  test.each<[string, number, number, (x: number, y: number) => boolean]>([
    ["one pixel in the middle", 9, 7, (x, y) => x === 4 && y === 3],
    ["a pixel in each corner", 9, 7, (x, y) => x % 8 === 0 && y % 6 === 0],
    ["lines", 12, 9, (x, y) => y === 2 || (x === 6 && y > 4)],
    ["one pixel in the last row", 5, 9, (x, y) => x === 1 && y === 8],
    ["one pixel in the first row", 5, 9, (x, y) => x === 3 && y === 0],
    ["all pixels except a few", 12, 12, (x, y) => (x * 5 + y * 3) % 11 > 1],
    ["some whole rows", 6, 12, (_, y) => y % 5 === 3],
    ["scattered pixels", 30, 30, (x, y) => noise(x, y, 9, 5) === 0],
    ["one pixel of a column", 1, 9, (_, y) => y === 4],
  ])(
    "an invisible pixel takes the color of the nearest visible pixel (visible: %s)",
    async (_, width, height, isVisible) => {
      await expectNearest(image(width, height, isVisible), isVisible);
    },
  );

  test("an invisible pixel takes its color from a visible pixel in any row above or in a nearby row below", async () => {
    const isVisible = (x: number, y: number) => (x === 0 && y === 10) || (x === 2 && y === 400);
    const spec = image(3, 500, isVisible);
    const rows = await colorsOf(spec);
    const [first, second] = [spec.samples(0, 10).slice(0, 3), spec.samples(2, 400).slice(0, 3)];
    for (const y of [0, 10, 100, 300]) expect(rows[y]).toEqual([first, first, first]);
    expect(rows[370]).toEqual([second, second, second]);
    expect(rows[499]).toEqual([second, second, second]);
  });

  test("all pixels of an image without visible pixels become black", async () => {
    const rows = await colorsOf(image(4, 300, () => false));
    expect(rows).toHaveLength(300);
    expect(new Set(rows.flat(2))).toEqual(new Set([0]));
  });
});

test("filling in the colors of invisible pixels leaves the visible pixels unchanged", async () => {
  const isVisible = (x: number, y: number) => (y >> 4) % 3 === 0 || noise(x, y, 3, 2) > 0;
  const spec = image(40, 400, isVisible);
  const rows = await colorsOf(spec);
  for (let y = 0; y < 400; y++)
    for (let x = 0; x < 40; x++) if (isVisible(x, y)) expect(rows[y]![x]).toEqual(spec.samples(x, y).slice(0, 3));
});

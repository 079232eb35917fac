/** Tests which images get a white edge, and on which pages. */
import { createCanvas } from "@napi-rs/canvas";
import { expect, test } from "vitest";
import { type ImageMark, watermark } from "../../../src/engine/index.ts";
import { isEqual, joined } from "../../support/bytes.ts";
import { RED_PNG } from "../../support/png.ts";
import { readable } from "../../support/readable.ts";
import { file, onePage } from "../pdf/fixture.ts";

const pageWith = (content: string) =>
  file(onePage("/MediaBox[0 0 300 400]/Contents 4 0 R/Resources<<>>", { 4: { data: content } }));
const DARK = pageWith("0.07 0.1 0.2 rg 0 0 300 400 re f");
const LIGHT = pageWith("1 g 0 0 300 400 re f");

/** Returns a PNG of a disk on a transparent background. */
function diskOf(color: string): Uint8Array {
  const canvas = createCanvas(40, 20);
  const ink = canvas.getContext("2d");
  ink.fillStyle = color;
  ink.arc(20, 10, 9, 0, 2 * Math.PI);
  ink.fill();
  return canvas.toBuffer("image/png");
}

const NAVY = diskOf("#141e50");

async function marked(source: Uint8Array, mark: ImageMark): Promise<Uint8Array> {
  return joined((await watermark(source, mark)).chunks());
}

const hasEdge = (output: Uint8Array) => readable(output).includes("/White Do");

test.each<[string, Uint8Array, ImageMark, boolean]>([
  ["a dark logo on a dark page", DARK, { image: NAVY }, true],
  ["a dark logo in the emptiest place of a dark page", DARK, { image: NAVY, position: "auto", scale: 0.2 }, true],
  ["a tiled dark logo on a dark page", DARK, { image: NAVY, position: "tile", scale: 0.1 }, true],
  ["a dark logo with edge none", DARK, { image: NAVY, edge: "none" }, false],
  ["a dark logo on a white page", LIGHT, { image: NAVY }, false],
  ["a white logo on a dark page", DARK, { image: diskOf("#ffffff") }, false],
  ["an image without transparency", DARK, { image: RED_PNG }, false],
  ["a dark logo under the content", DARK, { image: NAVY, layer: "under" }, false],
])("an image has a white edge only if it needs one: %s", async (_, source, mark, expected) => {
  expect(hasEdge(await marked(source, mark))).toBe(expected);
});

test("`edge: none` leaves the output of a white page unchanged", async () => {
  expect(isEqual(await marked(LIGHT, { image: NAVY }), await marked(LIGHT, { image: NAVY, edge: "none" }))).toBe(true);
});

import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { asVersion2 } from "../../../src/engine/images/iccVersion2.ts";
import { displayProfile, sampledCurveTag, xyzTag } from "../../../src/engine/images/iccWriter.ts";
import { readImage } from "../../../src/engine/images/readImage.ts";
import { encode } from "../../support/bytes.ts";
import { concat, encodePng, type PngSpec, uint16, uint32 } from "./encodePng.ts";
import { expectPixels, LIMITS } from "./expected.ts";
import { type Rgb, renderPage, Sink } from "./render.ts";

/** Primaries of Display P3, the profile of current cameras and screens. */
const P3 = { rXYZ: [0.5151, 0.2412, -0.0011], gXYZ: [0.292, 0.6922, 0.0419], bXYZ: [0.1571, 0.0666, 0.7841] };
const SRGB_CURVE = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];

const fixed = (...values: number[]) => uint32(...values.map((value) => Math.round(value * 0x10000) >>> 0));
const parametric = (kind: number, parameters: number[]) =>
  concat(encode("para"), uint32(0), uint16(kind, 0), fixed(...parameters));

function version4(curve: Uint8Array, more: Record<string, Uint8Array> = {}): Uint8Array {
  const colorants = Object.fromEntries(Object.entries(P3).map(([name, color]) => [name, xyzTag(color)]));
  const tags = { ...colorants, rTRC: curve, gTRC: curve, bTRC: curve, ...more };
  const bytes = displayProfile("RGB ", "Display P3", tags);
  bytes[8] = 4;
  return bytes;
}

function tag(profile: Uint8Array, name: string): Buffer {
  const entry = Buffer.from(profile).indexOf(name, 132);
  const [start, length] = [4, 8].map((at) => Buffer.from(profile).readUInt32BE(entry + at)) as [number, number];
  return Buffer.from(profile.subarray(start, start + length));
}

describe("rewriting a version 4 profile", () => {
  test("rewriting an ICC profile of version 4 as version 2 preserves its primary colors", () => {
    const older = asVersion2(version4(parametric(3, SRGB_CURVE)), 3)!;
    expect([older[8], Buffer.from(older).readUInt32BE(0)]).toEqual([2, older.length]);
    for (const [name, color] of Object.entries(P3)) expect(tag(older, name)).toEqual(Buffer.from(xyzTag(color)));
  });

  test.each<[string, number, number[], (x: number) => number]>([
    ["a power function", 0, [1.8], (x) => x ** 1.8],
    ["a power function above a threshold", 1, [2, 1.25, -0.25], (x) => (x < 0.2 ? 0 : (1.25 * x - 0.25) ** 2)],
    ["a power function with an offset", 2, [2, 1.2, -0.3, 0.1], (x) => (x < 0.25 ? 0.1 : (1.2 * x - 0.3) ** 2 + 0.1)],
    ["the curve of sRGB", 3, SRGB_CURVE, (x) => (x < 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)],
    [
      "a power function with an offset at both ends",
      4,
      [2, 0.9, 0, 0.5, 0.1, 0.1, 0.02],
      (x) => (x < 0.1 ? x / 2 + 0.02 : (0.9 * x) ** 2 + 0.1),
    ],
  ])(
    "rewrites an ICC profile as version 2 and replaces its parametric curve by a sampled curve: %s",
    (_, kind, parameters, light) => {
      const curve = tag(asVersion2(version4(parametric(kind, parameters)), 3)!, "gTRC");
      expect([curve.toString("latin1", 0, 4), curve.readUInt32BE(8)]).toEqual(["curv", 256]);
      for (let i = 0; i < 256; i++) expect(curve.readUInt16BE(12 + 2 * i) / 65535).toBeCloseTo(light(i / 255), 3);
    },
  );

  test("rewrites an ICC profile as version 2 and copies its sampled curve unchanged", () => {
    const curve = sampledCurveTag([0, 0.25, 1]);
    expect(tag(asVersion2(version4(curve), 3)!, "rTRC")).toEqual(Buffer.from(curve));
  });

  test("rewrites a gray ICC profile as version 2 and replaces its parametric curve by a sampled curve", () => {
    const gray = displayProfile("GRAY", "Dot gain", { kTRC: parametric(0, [1.75]) });
    expect(tag(asVersion2(gray, 1)!, "kTRC").readUInt16BE(12 + 2 * 128) / 65535).toBeCloseTo((128 / 255) ** 1.75, 4);
  });

  test.each([
    ["has lookup tables", version4(parametric(0, [2]), { A2B0: new Uint8Array(8) })],
    ["has a parametric curve of an unknown kind", version4(parametric(5, [2, 1, 0, 0, 0, 0, 0]))],
    ["has too few parameters", version4(parametric(3, [2, 1]))],
    ["has a curve of an unsupported type", version4(concat(encode("mAB "), new Uint8Array(20)))],
    ["lacks a curve", displayProfile("RGB ", "x", { rXYZ: xyzTag([0, 0, 0]) })],
    ["is truncated", version4(parametric(0, [2])).subarray(0, 300)],
    ["has no tags", new Uint8Array(128)],
    ["claims more tags than it has", new Uint8Array(200).fill(255)],
  ])("does not rewrite an ICC profile as version 2 if the profile %s", (_, profile) => {
    expect(asVersion2(profile, 3)).toBeUndefined();
  });

  test("an image keeps its colors if its ICC profile is rewritten as version 2 for PDF/A-1", async () => {
    const iCCP = concat(encode("P3\0\0"), new Uint8Array(deflateSync(version4(parametric(3, SRGB_CURVE)))));
    const samples = (x: number, y: number) => [x * 17, y * 17, (x * y * 31) & 255];
    const spec: PngSpec = {
      width: 16,
      height: 16,
      colorType: 2,
      bitDepth: 8,
      samples,
      chunks: [{ type: "iCCP", data: iCCP }],
    };
    const [today, archived] = [new Sink(), new Sink({ pdfa: { part: 1, intent: 3 } })];
    const pixels: Rgb[][] = [];
    for (const sink of [today, archived]) {
      const { xobject } = (await readImage(encodePng(spec), LIMITS)).embed(sink);
      pixels.push(await renderPage("16 0 0 16 0 0 cm /I Do", spec, `/XObject << /I ${xobject} >>`, sink));
    }
    expect(inflateSync(archived.streams("/N 3 ")[0]!)[8]).toBe(2);
    expectPixels(pixels[1]!, pixels[0]!);
  });
});

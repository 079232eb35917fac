/** Tests output intents with color profiles that would make MuPDF draw blank pages. */
import { describe, expect, it } from "vitest";
import { srgbProfile } from "../../../../src/engine/images/calibratedProfile.ts";
import { encode } from "../../../support/bytes.ts";
import { concat as concatenated, uint16, uint32 } from "../../images/encodePng.ts";
import { archive } from "../archive.ts";
import { type Bodies, open, outcome, ranges, stamp } from "../fixture.ts";

type Tags = Record<string, Uint8Array>;
const range = (length: number, value: (i: number) => number) => Uint8Array.from({ length }, (_, i) => value(i));
const concat = (parts: Uint8Array[]) => concatenated(...parts);
const word = (text: string) => encode(text);

/** Returns an ICC profile with these tags. */
function profileOf(space: string, connection: string, tags: Tags): Uint8Array {
  const names = Object.keys(tags);
  let offset = 132 + 12 * names.length;
  const table = names.map((name) => {
    const entry = concat([word(name), uint32(offset, tags[name]!.length)]);
    offset += tags[name]!.length;
    return entry;
  });
  const rest = concat([uint32(names.length), ...table, ...Object.values(tags)]);
  const head = concat([uint32(128 + rest.length, 0), Uint8Array.of(2, 0, 0, 0), word(`prtr${space}${connection}`)]);
  return concat([head, new Uint8Array(12), word("acsp"), new Uint8Array(88), rest]);
}

/** Returns a look-up table with two points for each input. `entry` returns the outputs at a point. */
function table(type: "mft1" | "mft2" | "mAB ", inputs: number, outputs: number, entry: (point: number) => number[]) {
  const grid = Array.from({ length: 2 ** inputs }, (_, point) => entry(point)).flat();
  const size = Uint8Array.of(inputs, outputs, 2, 0);
  const wide = uint16(...grid.map((value) => 257 * value));
  if (type === "mft1") {
    const curve = range(256 * inputs, (i) => i % 256);
    return concat([
      word(type),
      uint32(0),
      size,
      new Uint8Array(36),
      curve,
      Uint8Array.from(grid),
      range(256 * outputs, (i) => i % 256),
    ]);
  }
  if (type === "mft2") {
    const curves = (count: number) => uint16(...Array.from({ length: 2 * count }, (_, i) => (i % 2) * 0xffff));
    return concat([
      word(type),
      uint32(0),
      size,
      new Uint8Array(36),
      uint16(2, 2),
      curves(inputs),
      wide,
      curves(outputs),
    ]);
  }
  const points = range(16, (i) => (i < inputs ? 2 : 0));
  return concat([word(type), uint32(0), size, uint32(0, 0, 0), uint32(32, 0), points, uint32(0x02000000), wide]);
}

/**
 * Fills the data of all tags whose names match `names` with the byte `value`, beginning at offset `from` of each tag's
 * data.
 */
function flattened(profile: Uint8Array, names: RegExp, from: number, value: number): Uint8Array {
  const copy = profile.slice();
  const view = new DataView(copy.buffer);
  for (let at = 132; at < 132 + 12 * view.getUint32(128); at += 12) {
    if (!names.test(Buffer.from(copy.subarray(at, at + 4)).toString())) continue;
    const offset = view.getUint32(at + 4);
    copy.fill(value, offset + from, offset + view.getUint32(at + 8));
  }
  return copy;
}

const light = (point: number) => (point === 0 ? [250, 128, 128] : [30, 128, 128]);
const [RGB, GRAY] = [srgbProfile(3), srgbProfile(1)];
const toLab = (type: "mft1" | "mft2" | "mAB ", entry = light) => ({ A2B0: table(type, 4, 3, entry) });
const inks = (entry: (point: number) => number[]) => ({ ...toLab("mft1"), B2A1: table("mft1", 3, 4, entry) });

const withProfile = (components: number, data: Uint8Array | string, more: Bodies = {}) =>
  archive({ intent: components, more: { 7: { dict: `/N ${components}`, data }, ...more } });

describe("an output intent", () => {
  it.each<[string, number, Uint8Array]>([
    ["RGB curves", 3, flattened(RGB, /TRC/, 12, 255)],
    ["RGB colorants", 3, flattened(RGB, /^[rgb]XYZ/, 8, 0)],
    ["a gray curve", 1, flattened(GRAY, /TRC/, 12, 255)],
    [
      "a table of 8 bits",
      4,
      profileOf(
        "CMYK",
        "Lab ",
        toLab("mft1", () => [250, 1, 2]),
      ),
    ],
    [
      "a table of 16 bits",
      4,
      profileOf(
        "CMYK",
        "Lab ",
        toLab("mft2", () => [250, 1, 2]),
      ),
    ],
    [
      "a table of version 4",
      4,
      profileOf(
        "CMYK",
        "Lab ",
        toLab("mAB ", () => [250, 1, 2]),
      ),
    ],
    [
      "a table of XYZ",
      4,
      profileOf(
        "CMYK",
        "XYZ ",
        toLab("mft1", (point) => [point, 200, point]),
      ),
    ],
    [
      "a table to inks",
      4,
      profileOf(
        "CMYK",
        "Lab ",
        inks(() => [0, 0, 0, 0]),
      ),
    ],
  ])(
    "rejects an output intent whose profile maps black and white to the same color: %s",
    async (_, components, profile) => {
      const source = withProfile(components, profile);
      expect(await outcome(source)).toBe("damaged_pdf");
      await expect(open(ranges(source))).rejects.toMatchObject({ code: "damaged_pdf" });
    },
  );

  it.each<[string, number, Uint8Array | string]>([
    ["curves", 3, RGB],
    ["a gray curve", 1, GRAY],
    ["a table of 8 bits", 4, profileOf("CMYK", "Lab ", toLab("mft1"))],
    ["a table of 16 bits", 4, profileOf("CMYK", "Lab ", toLab("mft2"))],
    ["a table of version 4", 4, profileOf("CMYK", "Lab ", toLab("mAB "))],
    [
      "a table of XYZ",
      4,
      profileOf(
        "CMYK",
        "XYZ ",
        toLab("mft2", (point) => [point, point === 0 ? 128 : 0, point]),
      ),
    ],
    [
      "a table to inks",
      4,
      profileOf(
        "CMYK",
        "Lab ",
        inks((point) => [0, 0, 0, point < 4 ? 255 : 0]),
      ),
    ],
    ["an incomplete table", 4, profileOf("CMYK", "Lab ", { A2B0: table("mft1", 4, 3, light).subarray(0, 700) })],
    ["a table of another type", 4, profileOf("CMYK", "Lab ", { A2B0: concat([word("mpet"), new Uint8Array(60)]) })],
    [
      "a table of version 4 without a grid",
      4,
      profileOf("CMYK", "Lab ", {
        A2B0: concat([word("mAB "), uint32(0), Uint8Array.of(4, 3, 0, 0), new Uint8Array(60)]),
      }),
    ],
    ["curves without colorants", 3, profileOf("RGB ", "XYZ ", { rTRC: word("curv") })],
    ["tags that are cut off", 3, RGB.subarray(0, 140)],
    ["another color space", 3, profileOf("Lab ", "Lab ", {})],
    ["data that are not a profile", 3, "not a profile"],
  ])("accepts an output intent with %s", async (_, components, profile) => {
    expect((await open(await stamp(withProfile(components, profile)))).pages).toHaveLength(1);
  });

  it.each<[string, Bodies]>([
    ["without a profile", { 6: "<</Type/OutputIntent/S/GTS_PDFA1>>" }],
    ["with a profile that is not a stream", { 7: "<</N 3>>" }],
    ["with a profile of an unknown filter", { 7: { dict: "/N 3/Filter/X", data: "x" } }],
  ])("accepts an output intent without a usable profile: an output intent %s", async (_, more) => {
    expect(await outcome(archive({ intent: 3, more }))).toBe("stamped");
  });
});

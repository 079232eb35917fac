/** Tests the PDF version that the output's header declares. */
import { describe, expect, it } from "vitest";
import { type ImageMark, type TextMark, watermark } from "../../../../src/engine/index.ts";
import { encode, isEqual, joined } from "../../../support/bytes.ts";
import { loadFont } from "../../../support/fonts.ts";
import { readerBy } from "../../../support/ranges.ts";
import { CHANNELS, encodePng } from "../../images/encodePng.ts";
import { type Bodies, FileBuilder, latin1, onePage } from "../fixture.ts";

const png = (colorType: 2 | 6, bitDepth: number) =>
  encodePng({ width: 4, height: 4, colorType, bitDepth, samples: (x) => Array(CHANNELS[colorType]).fill(x) });
const OPAQUE: TextMark = { text: "A", opacity: 1 };
const FAINT: TextMark = { text: "A", opacity: 0.5 };
const image = (bytes: Uint8Array): ImageMark => ({ image: bytes, opacity: 1 });

const plain = (head: string, catalog = "", before = "") => {
  const bodies: Bodies = { ...onePage(), 1: `<</Type/Catalog/Pages 2 0 R${catalog}>>` };
  const { text } = new FileBuilder(head).objects(bodies).table();
  return encode(before + text);
};
const packed = (head: string) => {
  const builder = new FileBuilder(head).objects({ 4: { data: "0 g" } });
  const { 1: catalog, 2: node, 3: page } = onePage() as Record<number, string>;
  return builder.xrefStream(6, builder.objectStream(5, { 1: catalog!, 2: node!, 3: page! })).bytes();
};

describe("the output's version", () => {
  it.each<[string, Uint8Array, TextMark | ImageMark, string]>([
    ["the PDF version stays unchanged for an opaque text", plain("%PDF-1.3\n"), OPAQUE, "%PDF-1.3\n"],
    ["the PDF version stays unchanged for an opaque image", plain("%PDF-1.3\n"), image(png(2, 8)), "%PDF-1.3\n"],
    ["the PDF version is raised to 1.3 for fonts and compression", plain("%PDF-1.0\n"), OPAQUE, "%PDF-1.3\n"],
    ["the PDF version is raised to 1.4 for a transparent text", plain("%PDF-1.3\n"), FAINT, "%PDF-1.4\n"],
    [
      "the PDF version is raised to 1.4 for hollow letters",
      plain("%PDF-1.2\n"),
      { ...OPAQUE, template: "outline" },
      "%PDF-1.4\n",
    ],
    ["the PDF version is raised to 1.4 for an image with alpha", plain("%PDF-1.2\r"), image(png(6, 8)), "%PDF-1.4\r"],
    ["the PDF version is raised to 1.5 for a 16-bit image", plain("%PDF-1.4\n"), image(png(2, 16)), "%PDF-1.5\n"],
    ["the PDF version is raised to 1.5 for object streams", packed("%PDF-1.4\n"), OPAQUE, "%PDF-1.5\n"],
    ["the PDF version stays 1.4 for an opaque text", plain("%PDF-1.4\n"), OPAQUE, "%PDF-1.4\n"],
    ["the PDF version is never lowered", plain("%PDF-1.7\n"), FAINT, "%PDF-1.7\n"],
    ["the PDF version 2.0 is never lowered", plain("%PDF-2.0\n"), FAINT, "%PDF-2.0\n"],
    [
      "the PDF version stays unchanged if the catalog's /Version is sufficient",
      plain("%PDF-1.3\n", "/Version/1.4"),
      FAINT,
      "%PDF-1.3\n",
    ],
    [
      "the PDF version is raised if the catalog's /Version is not sufficient",
      plain("%PDF-1.2\n", "/Version/1.3"),
      FAINT,
      "%PDF-1.4\n",
    ],
    ["the PDF version is raised in a header behind junk", plain("%PDF-1.3\n", "", "junk\n"), FAINT, "%PDF-1.4\n"],
    ["a malformed PDF version stays unchanged", plain("%PDF-1.31\n"), FAINT, "%PDF-1.31\n"],
  ])("%s", async (_, source, mark, expected) => {
    const reader = readerBy(source.length, async (start, end) => source.slice(start, end));
    const outputs = [source, reader].map(async (opened) =>
      joined((await watermark(opened, mark as TextMark, { loadFont })).chunks()),
    );
    const [memory, ranged] = await Promise.all(outputs);
    expect(latin1(memory!).slice(0, expected.length)).toBe(expected);
    expect(isEqual(ranged!, memory!)).toBe(true);
  });

  it("the output retains text that looks like a PDF header if the text follows the first object", async () => {
    const bodies = { 9: { data: "%PDF-1.3 of an attachment" }, ...onePage() };
    const source = new FileBuilder("%\n").objects(bodies).table().bytes();
    const output = await joined((await watermark(source, FAINT, { loadFont })).chunks());
    expect(latin1(output)).toContain("%PDF-1.3 of an attachment");
  });
});

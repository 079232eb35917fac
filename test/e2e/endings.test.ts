/**
 * Tests pages whose content ends in an unusual way. Every reader must show the mark, and the page as in the source. Each
 * file contains the endings of one group, one per page. Every reader draws this file before and after marking.
 */
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Raster } from "../../scripts/lib/raster.ts";
import { planOutput } from "../../src/engine/pdf/output/outputPlan.ts";
import { overlay } from "../../src/engine/pdf/output/overlay.ts";
import { type Bodies, corner, file, latin1, open } from "../engine/pdf/fixture.ts";
import { joined } from "../support/bytes.ts";
import { readersOf } from "./readers.ts";

const SIDE = 60;
/**
 * Areas of the mark and of truncated images, in pixels from the upper left corner. `right` and `bottom` are exclusive.
 */
const MARK = { left: 42, top: 42, right: 54, bottom: 54 };
const BROKEN_IMAGE = { left: 5, top: 45, right: 15, bottom: 55 };

const SCENE = "0.8 0.9 1 rg 5 5 30 50 re f q 1 0 0 1 20 30 cm 1 0 0 rg 0 0 8 8 re f Q 0 0.5 0 rg 35 45 10 10 re f";
const TEXT = "BT /F 8 Tf 1 0 0 1 5 40 Tm";
const IMAGE = "q 10 0 0 10 5 5 cm BI /W 8/H 8/CS/G/BPC 8";
const SAMPLES = "abcdefgh".repeat(8);

type Stream = string | { dict: string; data: Uint8Array };
interface Ending {
  name: string;
  streams: Stream[];
  /** Whether the page's content has an inline image, which may be truncated. */
  image: boolean;
  /** Names of the readers that show less of this page in the source than in the output. */
  gained: string[];
}

const flate = (data: Uint8Array): Stream => ({ dict: "/Filter/FlateDecode", data });
const deflated = (text: string): Stream => flate(deflateSync(Buffer.from(text, "latin1")));
const ending = (name: string, content: string, streams: Stream[], gained: string[] = []): Ending => ({
  name,
  streams,
  image: / BI\b/.test(content),
  gained,
});

/**
 * Endings of the content of a test page. Each row has a name, the content to append, and the readers that show less of the
 * source than of the output. The name states the unfinished part, and often where the content ends within this part.
 */
const LEFT_OPEN: [name: string, content: string, ...gained: string[]][] = [
  ["a string", "(abc"],
  ["nested parentheses", "((a(b(c(d(e(f(g(h"],
  ["a string after a backslash", "(abc\\"],
  ["a string in an octal escape", "(abc\\05"],
  ["a hexadecimal string", "<414"],
  ["an empty hexadecimal string", "<"],
  ["an array between its elements", "[(A) -20"],
  ["an empty array", "["],
  ["an array in a string", "[(A) -20 (B"],
  ["an array in a hexadecimal string", "[(A) -20 <42"],
  ["nested arrays", "[[[1"],
  ["a dictionary between its entries", "/Span <</MCID 0"],
  ["a dictionary in a key", "/Span <</MC"],
  ["a dictionary in a string", "/Span <</ActualText (x"],
  ["a dictionary in a hexadecimal string", "/Span <</ActualText <41"],
  ["nested dictionaries", "/Span <</A <</B 1"],
  ["an array in a dictionary", "/Span <</A [1 2"],
  ["a string in an array in a dictionary", "/Span <</A [(x"],
  ["a dictionary in an array", "[<</A 1"],
  ["an array of text strings", `${TEXT} [(A) -20 (B)`],
  ["an array of text strings in a string", `${TEXT} [(A) -20 (B`],
  ["a text object", `${TEXT} (AB) Tj`],
  ["a text object that clips", `${TEXT} 7 Tr (AB) Tj`],
  ["a text object that clips, in a standard font", "BT /G 8 Tf 1 0 0 1 5 40 Tm 7 Tr (AB) Tj"],
  ["nested text objects", "BT BT q BT"],
  ["an inline image in its dictionary", IMAGE],
  ["an inline image in a key", `${IMAGE}/D`],
  ["an inline image before its data", `${IMAGE} ID`],
  ["an inline image in its data", `${IMAGE} ID ${SAMPLES.slice(40)}`],
  ["an inline image before EI", `${IMAGE} ID ${SAMPLES}`],
  ["an inline image in EI", `${IMAGE} ID ${SAMPLES}\nE`],
  ["an inline image in hexadecimal data", `${IMAGE}/F/AHx ID 41424344`],
  ["an inline image in ASCII85 data", `${IMAGE}/F/A85 ID 9jqo^BlbD-`],
  ["an inline image in Flate data", `${IMAGE}/F/Fl ID ${latin1(deflateSync(SAMPLES)).slice(0, 9)}`],
  ["an inline image in run-length data", `${IMAGE}/F/RL ID \x07abcdefgh\x07ab`],
  ["an inline image that lacks 4,000 bytes", "q 10 0 0 10 5 5 cm BI /W 64/H 64/CS/G/BPC 8 ID abcd"],
  ["an inline image that lacks 40,000 bytes", "q 10 0 0 10 5 5 cm BI /W 200/H 200/CS/G/BPC 8 ID ab"],
  ["an inline image in JPEG data", `${IMAGE}/F/DCT ID \xff\xd8\xff\xe0\0\x10JFIF\0`],
  ["a path", "0 0 m 50 50 l 0 50 l"],
  ["a pending clip", "10 10 20 20 re W"],
  ["a clip", "10 10 20 20 re W* n"],
  ["an empty clip", "0 0 0 0 re W n"],
  ["a transparent state", "/Faint gs"],
  ["a matrix", "2 0 0 2 5 5 cm"],
  ["a singular matrix", "0 0 0 0 0 0 cm"],
  ["operands", "1 2 3 4 5 6"],
  ["too many operands", "1 ".repeat(200)],
  ["too few operands", "1 re"],
  ["a form's name", "/Fm"],
  ["a form", "/Fm Do"],
  ["a sign", "-"],
  ["a point", "0."],
  ["a slash", "/"],
  ["a name in an escape", "/A#4"],
  ["a comment", "% (["],
  ["an incomplete keyword", "/Fm D"],
  ["a compatibility section", "BX foo"],
  ["a glyph's width", "100 0 d0"],
  ["a glyph's box", "100 0 0 0 10 10 d1"],
  ["an extra parenthesis", ")"],
  ["an extra bracket", "]"],
  ["extra angle brackets", ">>"],
  ["an extra angle bracket", ">"],
  ["a brace", "{ 1"],
  ["EI alone", "EI"],
  ["ID alone", "ID"],
  ["a dictionary as a size", `${TEXT} /F <</A 1>> Tf`, "pdf.js"],
  ["a dictionary as a rendering mode", `${TEXT} <</A 1>> Tr`, "pdf.js"],
  ["a dictionary as a word spacing", `${TEXT} <</A 1>> 1 (A) "`, "pdf.js"],
  ["four marked-content sequences", "/Span BMC /Span <</MCID 0>> BDC /Span BMC /Span BMC"],
  ["a hidden layer", "/OC /Off BDC"],
  ["four extra EMC", "EMC EMC EMC EMC"],
];

/** Content with every kind of token. Tests truncate the content at every byte. */
const CUT =
  "q 0.8 0.9 1 rg 5 5 30 50 re f Q /Span <</MCID 0/L [1 (a(b)\\051) <</K/V>>]>> BDC " +
  `${TEXT} [(A) -20 <4243>] TJ ET EMC q 10 0 0 10 5 5 cm BI /W 4/H 4/CS/G/BPC 8 ID abcdefghijklmnop EI Q % (\n` +
  "q 1 0 0 1 20 30 cm /Fm Do Q [0.5] 0 d 5 5 m 9 9 l S\n";

const PACKED = deflateSync(CUT.repeat(2));
/**
 * Lengths at which the data end in or after the dictionary of an incomplete BDC, which the output replaces. Of this
 * source, pdf.js draws nothing, as of all truncated Flate data.
 */
const REPLACED = [96, 97, 99];

const upTo30 = Array.from({ length: 30 }, (_, index) => index + 1);
const GROUPS: Record<string, Ending[]> = {
  "1 to 30 unclosed q": upTo30.map((count) => {
    const content = `${"q 0.99 0 0 0.99 1 1 cm ".repeat(count)}${SCENE} 10 10 20 20 re W n`;
    return ending(`${count} unclosed q`, content, [content]);
  }),
  "1 to 30 extra Q at its end": upTo30.map((count) => {
    const content = `${SCENE} ${"Q ".repeat(count)}`;
    return ending(`${count} extra Q`, content, [content]);
  }),
  "1 to 30 extra Q at its beginning": upTo30.map((count) => {
    const content = `${"Q ".repeat(count)}${SCENE}`;
    return ending(`${count} extra Q`, content, [content]);
  }),
  "unfinished or extra tokens at its end": LEFT_OPEN.map(([name, content, ...gained]) =>
    ending(name, content, [`${SCENE} ${content}`], gained),
  ),
  "unfinished or extra tokens at the end of the last stream": LEFT_OPEN.map(([name, content, ...gained]) =>
    ending(name, content, ["0.8 0.9 1 rg 5 5 30 ", deflated("50 re f "), deflated(content)], gained),
  ),
  "a cut at every byte": Array.from(CUT, (_, length) => {
    const content = CUT.slice(0, length);
    return ending(`${length} bytes`, content, [content]);
  }),
  "a cut at every byte of Flate data": Array.from(PACKED, (_, length) =>
    ending(`${length} bytes`, CUT, [flate(PACKED.subarray(0, length))], REPLACED.includes(length) ? ["pdf.js"] : []),
  ),
  "a stream that cannot be decoded": [
    ending("no Flate data", "", [SCENE, flate(Buffer.from(SCENE))]),
    ending("no checksum", CUT, [flate(PACKED.with(-1, 0))]),
    ending("a cut before a well-formed stream", CUT, [flate(PACKED.subarray(0, PACKED.length / 2)), SCENE]),
    ending("no such filter", "", [SCENE, { dict: "/Filter/Nothing", data: Buffer.from("0 g") }]),
    ending("no end of ASCII85", "", [{ dict: "/Filter/ASCII85Decode", data: Buffer.from("9jqo^") }]),
  ],
};

/**
 * Returns a file with one page for each ending. With `apart`, another page follows each of these pages, and its content
 * discards a path that is still open.
 */
function fileOf(endings: readonly Ending[], apart: boolean): Uint8Array {
  const bodies: Bodies = {
    1: "<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[8 0 R]/D<</OFF[8 0 R]>>>>>>",
    3: "<</Font<</F 5 0 R/G<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</Fm 4 0 R>>/ExtGState<</Faint<</ca 0.1>>>>/Properties<</Off 8 0 R>>>>",
    4: { dict: "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<>>", data: "0 0.6 0 rg 0 0 9 9 re f" },
    5:
      "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[0.1 0 0 0.1 0 0]/CharProcs<</a 6 0 R>>/Resources<<>>" +
      "/Encoding<</Differences[65/a/a/a]>>/FirstChar 65/LastChar 67/Widths[9 9 9]>>",
    6: { data: "9 0 0 0 7 7 d1 0 0 7 7 re f" },
    7: { data: "n" },
    8: "<</Type/OCG/Name(Off)>>",
  };
  const page = (contents: string) =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${SIDE} ${SIDE}]/Resources 3 0 R/Contents[${contents}]>>`;
  const kids: string[] = [];
  let next = 9;
  for (const { streams } of endings) {
    const contents = streams.map((stream) => {
      bodies[next] = typeof stream === "string" ? { data: stream } : stream;
      return `${next++} 0 R`;
    });
    kids.push(`${next} 0 R`);
    bodies[next++] = page(contents.join(" "));
    if (apart) {
      bodies[next] = page("7 0 R");
      kids.push(`${next++} 0 R`);
    }
  }
  return file({ ...bodies, 2: `<</Type/Pages/Count ${kids.length}/Kids[${kids.join(" ")}]>>` });
}

/** Adds a magenta square with an opacity of 0.5 to the lower right corner of every page. */
async function mark(source: Uint8Array): Promise<Uint8Array> {
  const document = await open(source);
  const half = document.add({
    dict: "/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<</ExtGState<</Half<</ca 0.5>>>>>>",
    data: Buffer.from("/Half gs 1 0 1 rg 0 0 1 1 re f"),
  });
  await overlay(document, (page, nameOf) => corner(page, nameOf(half)));
  return joined((await planOutput(document)).chunks());
}

type Box = typeof MARK;
const within = ({ left, top, right, bottom }: Box, x: number, y: number, margin: number) =>
  x >= left - margin && x < right + margin && y >= top - margin && y < bottom + margin;

/** Returns whether the complete mark is visible with exactly its color and opacity. */
function isMarked({ width, rgb }: Raster): boolean {
  for (let y = MARK.top + 1; y < MARK.bottom - 1; y++)
    for (let x = MARK.left + 1; x < MARK.right - 1; x++) {
      const at = 3 * (y * width + x);
      if (rgb[at]! < 250 || Math.abs(rgb[at + 1]! - 128) > 4 || rgb[at + 2]! < 250) return false;
    }
  return true;
}

/**
 * Returns whether a page is unchanged outside the mark. With `image`, the area of the truncated image may also differ.
 */
function isUnchanged(before: Raster, after: Raster, image: boolean): boolean {
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++) {
      if (within(MARK, x, y, 1) || (image && within(BROKEN_IMAGE, x, y, 1))) continue;
      const at = 3 * (y * SIDE + x);
      for (let i = at; i < at + 3; i++) if (Math.abs(before.rgb[i]! - after.rgb[i]!) > 24) return false;
    }
  return true;
}

describe.each(readersOf(SIDE).map((reader) => [reader.name, reader] as const))(
  "%s",
  (reader, { missing, leaks = false, sample, draw }) => {
    const because = missing ? `, skipped: ${missing} is not installed` : "";
    test.skipIf(missing).each(Object.entries(GROUPS))(
      `${reader} shows the page and the mark if the page content has %s${because}`,
      async (group, all) => {
        const endings = group.startsWith("a cut") ? sample(all) : all;
        const source = fileOf(endings, leaks);
        const pages = endings.length * (leaks ? 2 : 1);
        const [before, after] = [await draw(source, pages), await draw(await mark(source), pages)];
        const at = (index: number) => (leaks ? 2 * index : index);
        const names = (is: (ending: Ending, index: number) => boolean) => endings.filter(is).map(({ name }) => name);
        expect(
          names((_, index) => !isMarked(after[at(index)]!)),
          "pages without the mark",
        ).toEqual([]);
        expect(
          names(({ image }, index) => !(leaks && image) && !isUnchanged(before[at(index)]!, after[at(index)]!, image)),
          "pages that look different",
        ).toEqual(names(({ gained }) => gained.includes(reader)));
      },
    );
  },
);

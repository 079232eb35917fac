/**
 * Tests how the engine reads a file's PDF/A claim, and which device colors its output intent and page resources allow.
 */
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { RangeSource } from "../../../../src/engine/pdf/source/byteSource.ts";
import { readerBy } from "../../../support/ranges.ts";
import { archive, xmp } from "../archive.ts";
import { type Bodies, file, onePage, open, stamp } from "../fixture.ts";

const utf16 = (text: string, order: "le" | "be") =>
  Uint8Array.from(
    [...text].flatMap((letter) => (order === "le" ? [letter.charCodeAt(0), 0] : [0, letter.charCodeAt(0)])),
  );
const utf32 = (text: string) => Uint8Array.from([...text].flatMap((letter) => [0, 0, 0, letter.charCodeAt(0)]));
const PART_2 = xmp('pdfaid:part="2" pdfaid:conformance="U"');
/** A namespace prefix that is too long to be part of a regular expression. */
const LONG = "a".repeat(100_000);

/**
 * Returns a file with the XMP stream `metadata`. The catalog has `entries`, by default a reference to the XMP stream.
 */
const withMetadata = (metadata: Bodies[number], entries = "/Metadata 5 0 R") =>
  file(onePage(undefined, { 1: `<</Type/Catalog/Pages 2 0 R${entries}>>`, 5: metadata }));

describe("readPdfa", () => {
  it.each<[string, Bodies[number], number]>([
    ["with attributes", { data: PART_2 }, 2],
    [
      "with elements",
      { data: xmp("").replace("/></rdf", "><pdfaid:part> 3 </pdfaid:part></rdf:Description></rdf") },
      3,
    ],
    [
      "with an element that has an attribute",
      {
        data: xmp("").replace(
          "/></rdf",
          '><pdfaid:part rdf:parseType="Literal">1</pdfaid:part></rdf:Description></rdf',
        ),
      },
      1,
    ],
    ["with single quotes", { data: PART_2.replaceAll('"', "'") }, 2],
    ["with another prefix", { data: xmp('a-id:part="4"', 'xmlns:a-id = "http://www.aiim.org/pdfa/ns/id/"') }, 4],
    [
      "with a very long prefix",
      { data: xmp(`${LONG}:part="3"`, `xmlns:${LONG}="http://www.aiim.org/pdfa/ns/id/"`) },
      3,
    ],
    [
      "that has a property of the same name in another schema",
      { data: PART_2.replace("pdfaid:part", 'other:part="1" pdfaid:part') },
      2,
    ],
    ["that is compressed", { dict: "/Filter/FlateDecode", data: deflateSync(PART_2) }, 2],
    ["in little-endian UTF-16", { data: utf16(PART_2, "le") }, 2],
    ["in big-endian UTF-16", { data: utf16(PART_2, "be") }, 2],
    ["in UTF-32", { data: utf32(PART_2) }, 2],
  ])("reads the PDF/A claim from XMP metadata %s", async (_, metadata, part) => {
    expect((await open(withMetadata(metadata))).pdfa).toEqual({ part, intent: undefined });
  });

  it("reads the PDF/A claim of a file that is read in byte ranges", async () => {
    const bytes = archive({ part: 1, intent: 4 });
    const source = new RangeSource(readerBy(bytes.length, async (start, end) => bytes.slice(start, end)));
    expect((await open(source)).pdfa).toEqual({ part: 1, intent: 4 });
  });

  it.each<[string, Bodies[number], string?]>([
    ["without the property", { data: xmp("") }],
    ["of another schema", { data: xmp('xmp:part="1"', 'xmlns:xmp="http://ns.adobe.com/xap/1.0/"') }],
    [
      "that describes the PDF/A schema without a claim",
      { data: xmp("").replace("xmlns:pdfaid=", "pdfaSchema:namespaceURI=") },
    ],
    ["with an unknown filter", { dict: "/Filter/DCTDecode", data: PART_2 }],
    ["that is too large", { dict: "/Filter/FlateDecode", data: deflateSync(new Uint8Array(21 << 20)) }],
    ["that is not a stream", "<<>>"],
    ["that the catalog does not refer to", { data: PART_2 }, ""],
    ["that is missing", { data: PART_2 }, "/Metadata 99 0 R"],
  ])("finds no PDF/A claim in XMP metadata %s", async (_, metadata, entries) => {
    const source = withMetadata(metadata, entries);
    expect((await open(source)).pdfa).toBeUndefined();
    expect((await open(await stamp(source))).pages).toHaveLength(1);
  });
});

describe("the output intent", () => {
  it.each([
    [
      "uses the PDF/A output intent among several output intents",
      "[<</S/GTS_PDFX/DestOutputProfile 8 0 R>><</S/GTS_PDFA1/DestOutputProfile 7 0 R>>]",
      4,
    ],
    ["finds output intents in an indirect object", "9 0 R", 4],
    ["ignores an output intent without a profile", "[<</S/GTS_PDFA1>>]", undefined],
    ["ignores an output intent of another standard", "[<</S/GTS_PDFX/DestOutputProfile 7 0 R>>]", undefined],
    ["finds no output intent if /OutputIntents is missing", "99 0 R", undefined],
    ["ignores output intents that are not dictionaries", "[null 5 9 0 R]", undefined],
  ])("%s", async (_, intents, components) => {
    const more: Bodies = {
      1: `<</Type/Catalog/Pages 2 0 R/Metadata 5 0 R/OutputIntents ${intents}>>`,
      7: { dict: "/N 4", data: "a profile" },
      8: { dict: "/N 3", data: "a profile" },
      9: "[10 0 R]",
      10: "<</S/GTS_PDFA1/DestOutputProfile 7 0 R>>",
    };
    expect((await open(archive({ part: 1, more }))).pdfa).toEqual({ part: 1, intent: components });
  });
});

describe("usableDeviceColors", () => {
  it.each([
    ["allows all device colors in a file without a PDF/A claim", {}, [1, 3, 4]],
    ["allows no device colors in PDF/A without an output intent", { part: 1 }, []],
    ["allows gray in PDF/A with a gray output intent", { part: 1, intent: 1 }, [1]],
    ["allows gray and RGB in PDF/A with an RGB output intent", { part: 2, intent: 3 }, [1, 3]],
    ["allows gray and CMYK in PDF/A with a CMYK output intent", { part: 3, intent: 4 }, [1, 4]],
    [
      "excludes gray if the page resources define /DefaultGray",
      { resources: "/ColorSpace<</DefaultGray 9 0 R>>" },
      [3, 4],
    ],
    [
      "excludes RGB if the page resources define /DefaultRGB",
      { resources: "/ColorSpace<</A/B/DefaultRGB 9 0 R>>" },
      [1, 4],
    ],
    ["excludes gray and RGB if an indirect /ColorSpace replaces them", { resources: "/ColorSpace 8 0 R" }, [4]],
    [
      "allows all device colors if /ColorSpace refers to a missing object",
      { resources: "/ColorSpace 99 0 R" },
      [1, 3, 4],
    ],
    ["excludes gray and RGB if a chain of references leads to them", { resources: "/ColorSpace 11 0 R" }, [4]],
    [
      "excludes gray and RGB if /ColorSpace is unreadable",
      { resources: "/ColorSpace 7 0 R", more: { 7: "<</DefaultRGB" } },
      [4],
    ],
    [
      "excludes gray and RGB if the dictionary of /ColorSpace is not closed",
      { resources: "/ColorSpace 7 0 R", more: { 7: "<</DefaultRGB 9 0 R" } },
      [4],
    ],
    [
      "allows all device colors if /ColorSpace refers to itself",
      { resources: "/ColorSpace 7 0 R", more: { 7: "7 0 R" } },
      [1, 3, 4],
    ],
    [
      "allows all device colors if names in /ColorSpace only resemble /DefaultRGB",
      { resources: "/ColorSpace<</DefaultRGBA 9 0 R/Default 9 0 R>>" },
      [1, 3, 4],
    ],
  ])("%s", async (_, options, usable) => {
    const spaces = { 8: "<</DefaultRGB 9 0 R/DefaultGray 9 0 R>>", 11: "12 0 R", 12: "8 0 R" };
    const more = { ...spaces, ...("more" in options ? options.more : {}) };
    expect([...(await open(archive({ ...options, more }))).deviceColors]).toEqual(usable);
  });

  it("a mark may not use a device color if inherited resources replace its color space", async () => {
    const source = file({
      1: "<</Type/Catalog/Pages 2 0 R>>",
      2: "<</Type/Pages/Kids[3 0 R]/MediaBox[0 0 300 400]/Resources 5 0 R>>",
      3: "<</Type/Page/Parent 2 0 R>>",
      5: "<</ColorSpace<</DefaultGray[/CalGray<</WhitePoint[1 1 1]>>]>>>>",
    });
    expect([...(await open(source)).deviceColors]).toEqual([3, 4]);
  });
});

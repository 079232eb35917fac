/** What a file says of itself as PDF/A, and what of device colours that and its pages leave. */
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
/** Longer than a regular expression may be. */
const LONG = "a".repeat(100_000);

/** A file whose catalog has this XMP, or these entries. */
const withMetadata = (metadata: Bodies[number], entries = "/Metadata 5 0 R") =>
  file(onePage(undefined, { 1: `<</Type/Catalog/Pages 2 0 R${entries}>>`, 5: metadata }));

describe("the claim to be PDF/A is read from XMP", () => {
  it.each<[string, Bodies[number], number]>([
    ["with attributes", { data: PART_2 }, 2],
    [
      "with elements",
      { data: xmp("").replace("/></rdf", "><pdfaid:part> 3 </pdfaid:part></rdf:Description></rdf") },
      3,
    ],
    ["with single quotes", { data: PART_2.replaceAll('"', "'") }, 2],
    ["under another prefix", { data: xmp('a-id:part="4"', 'xmlns:a-id = "http://www.aiim.org/pdfa/ns/id/"') }, 4],
    ["under a long one", { data: xmp(`${LONG}:part="3"`, `xmlns:${LONG}="http://www.aiim.org/pdfa/ns/id/"`) }, 3],
    ["beside another's", { data: PART_2.replace("pdfaid:part", 'other:part="1" pdfaid:part') }, 2],
    ["that is compressed", { dict: "/Filter/FlateDecode", data: deflateSync(PART_2) }, 2],
    ["in UTF-16, low bytes first", { data: utf16(PART_2, "le") }, 2],
    ["in UTF-16, high bytes first", { data: utf16(PART_2, "be") }, 2],
    ["in UTF-32", { data: utf32(PART_2) }, 2],
  ])("%s", async (_, metadata, part) => {
    expect((await open(withMetadata(metadata))).pdfa).toEqual({ part, intent: undefined });
  });

  it("over ranges too", async () => {
    const bytes = archive({ part: 1, intent: 4 });
    const source = new RangeSource(readerBy(bytes.length, async (start, end) => bytes.slice(start, end)));
    expect((await open(source)).pdfa).toEqual({ part: 1, intent: 4 });
  });

  it.each<[string, Bodies[number], string?]>([
    ["without it", { data: xmp("") }],
    ["of another schema", { data: xmp('xmp:part="1"', 'xmlns:xmp="http://ns.adobe.com/xap/1.0/"') }],
    ["that only describes the schema", { data: xmp("").replace("xmlns:pdfaid=", "pdfaSchema:namespaceURI=") }],
    ["in a filter that is not known here", { dict: "/Filter/DCTDecode", data: PART_2 }],
    ["that is too large", { dict: "/Filter/FlateDecode", data: deflateSync(new Uint8Array(21 << 20)) }],
    ["that is no stream", "<<>>"],
    ["that nothing leads to", { data: PART_2 }, ""],
    ["that is missing", { data: PART_2 }, "/Metadata 99 0 R"],
  ])("XMP %s makes no such claim, nor trouble", async (_, metadata, entries) => {
    const source = withMetadata(metadata, entries);
    expect((await open(source)).pdfa).toBeUndefined();
    expect((await open(await stamp(source))).pages).toHaveLength(1);
  });
});

describe("the output intent is", () => {
  it.each([
    ["that of PDF/A", "[<</S/GTS_PDFX/DestOutputProfile 8 0 R>><</S/GTS_PDFA1/DestOutputProfile 7 0 R>>]", 4],
    ["found in an object of its own", "9 0 R", 4],
    ["none without a profile", "[<</S/GTS_PDFA1>>]", undefined],
    ["none for another purpose", "[<</S/GTS_PDFX/DestOutputProfile 7 0 R>>]", undefined],
    ["none if it is missing", "99 0 R", undefined],
    ["none if it is no dictionary", "[null 5 9 0 R]", undefined],
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

describe("device colours that new objects may use", () => {
  it.each([
    ["all in a file that makes no claim", {}, [1, 3, 4]],
    ["none in PDF/A without an output intent", { part: 1 }, []],
    ["grey with an intent in grey", { part: 1, intent: 1 }, [1]],
    ["grey and RGB with an intent in RGB", { part: 2, intent: 3 }, [1, 3]],
    ["grey and CMYK with an intent in CMYK", { part: 3, intent: 4 }, [1, 4]],
    ["not grey where a page replaces it", { resources: "/ColorSpace<</DefaultGray 9 0 R>>" }, [3, 4]],
    ["not RGB where a page replaces it", { resources: "/ColorSpace<</A/B/DefaultRGB 9 0 R>>" }, [1, 4]],
    ["neither where an object does", { resources: "/ColorSpace 8 0 R" }, [4]],
    ["all where that is missing", { resources: "/ColorSpace 99 0 R" }, [1, 3, 4]],
    ["all where that cannot be read", { resources: "/ColorSpace 7 0 R", more: { 7: "<</DefaultRGB" } }, [1, 3, 4]],
    [
      "all where names only begin like that",
      { resources: "/ColorSpace<</DefaultRGBA 9 0 R/Default 9 0 R>>" },
      [1, 3, 4],
    ],
  ])("%s", async (_, options, usable) => {
    const more = { 8: "<</DefaultRGB 9 0 R/DefaultGray 9 0 R>>", ...("more" in options ? options.more : {}) };
    expect([...(await open(archive({ ...options, more }))).deviceColors]).toEqual(usable);
  });

  it("is what the resources that pages inherit leave", async () => {
    const source = file({
      1: "<</Type/Catalog/Pages 2 0 R>>",
      2: "<</Type/Pages/Kids[3 0 R]/MediaBox[0 0 300 400]/Resources 5 0 R>>",
      3: "<</Type/Page/Parent 2 0 R>>",
      5: "<</ColorSpace<</DefaultGray[/CalGray<</WhitePoint[1 1 1]>>]>>>>",
    });
    expect([...(await open(source)).deviceColors]).toEqual([3, 4]);
  });
});

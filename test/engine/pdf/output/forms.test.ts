/**
 * Tests how the output isolates content at which readers may stop drawing. The content of a page becomes form XObjects
 * if it is malformed, or if the file was repaired. The page draws these forms before the mark.
 */
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { PdfDocument } from "../../../../src/engine/pdf/document/pdfDocument.ts";
import { PlanOutdated } from "../../../../src/engine/pdf/output/eraser.ts";
import { planOutput } from "../../../../src/engine/pdf/output/outputPlan.ts";
import type { ByteSource } from "../../../../src/engine/pdf/source/byteSource.ts";
import type { Reference } from "../../../../src/engine/pdf/syntax/values.ts";
import { encode, joined } from "../../../support/bytes.ts";
import { MUPDF, PDFIUM } from "../../../support/onlookers.ts";
import { CORNER } from "../../../support/trialMarks.ts";
import { type Bodies, FileBuilder, file, latin1, onePage, open, outcome, ranges } from "../fixture.ts";
import { MALFORMED_CONTENTS, withContent } from "../irregularFiles.ts";
import { encryptText, VECTORS } from "../security/encryptedFile.ts";

const BOX = "/MediaBox[0 0 300 400]";

/** Returns a file with an unreadable cross-reference, which the engine therefore scans. */
const scanned = (bodies: Bodies) => encode(latin1(file(bodies)).replace(/startxref\n\d+/, "startxref\n9"));

/** Returns a file whose pages have the given Flate data as content. */
function deflated(contents: readonly Uint8Array[]): Uint8Array {
  const kids = contents.map((_, index) => `${3 + 2 * index} 0 R`).join(" ");
  const bodies: Bodies = {
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: `<</Type/Pages/Count ${contents.length}/Kids[${kids}]/Resources<<>>>>`,
  };
  contents.forEach((data, index) => {
    bodies[3 + 2 * index] = `<</Type/Page/Parent 2 0 R${BOX}/Contents ${4 + 2 * index} 0 R>>`;
    bodies[4 + 2 * index] = { dict: "/Filter/FlateDecode", data };
  });
  return file(bodies);
}

/**
 * Marks a file in memory and by reading it in byte ranges, checks that both outputs are equal, and returns the output.
 */
async function mark(source: Uint8Array): Promise<Uint8Array> {
  const markIn = async (opened: Uint8Array | ByteSource, thorough = false): Promise<Uint8Array> => {
    const document = await open(opened, { thorough });
    await CORNER.lay(document);
    return joined((await planOutput(document)).chunks());
  };
  const markByRanges = () =>
    markIn(ranges(source)).catch((error: unknown) => {
      if (error instanceof PlanOutdated) return markIn(ranges(source), true);
      throw error;
    });
  const outputs = [markIn(source), markByRanges()];
  const [memory, ranged] = await Promise.all(outputs);
  expect(latin1(ranged!)).toBe(latin1(memory!));
  return memory!;
}

/** Returns the number and the dictionary of each form that draws the content of a page, page by page. */
async function formsOf(document: PdfDocument) {
  const { objects, pages } = document;
  return Promise.all(
    pages.map(async ({ rewrite: { num } }) => {
      const page = objects.dictionary(objects.value(num))!;
      const names = objects.dictionary(objects.dictionary(page.get("Resources"))!.get("XObject"))!;
      // The engine prepends each name to the dictionary. The mark's name is added first, so it is the last name.
      const forms = Array.from(names.values(), (value) => (value as Reference).num).toReversed();
      return forms.slice(1).map((form) => ({ num: form, dict: objects.dictionary(objects.value(form))! }));
    }),
  );
}

describe("content that readers stop drawing", () => {
  it.each(MALFORMED_CONTENTS)(
    "readers show the mark on a page with %s, since a form isolates the content",
    async (_, content) => {
      const bodies = withContent(content);
      for (const source of [file(bodies), scanned(bodies)]) {
        const output = await mark(source);
        expect([MUPDF.look(output, CORNER), PDFIUM.look(output, CORNER)]).toEqual([[true], [true]]);
        expect((await formsOf(await open(output)))[0]).toHaveLength(1);
      }
    },
  );

  it("well-formed page content of an undamaged file does not become a form", async () => {
    const output = await mark(file(onePage()));
    expect(await formsOf(await open(output))).toEqual([[]]);
    expect(latin1(output)).toMatch(/\/Contents\[\d+ 0 R 4 0 R \d+ 0 R \d+ 0 R\]/);
  });

  it.each([
    ["ASCIIHexDecode", "302067", 1],
    ["ASCIIHexDecode", "302067>", 0],
    ["ASCII85Decode", "0Hb!~", 1],
    ["ASCII85Decode", "0H b! ~>", 0],
    ["RunLengthDecode", "\x020 g", 1],
    ["RunLengthDecode", "\x020 g\x80", 0],
  ])(
    "content with the filter %s becomes a form only if its data lack the end-of-data marker: %j",
    async (filter, data, count) => {
      const content = { dict: `/Filter/${filter}`, data };
      const [forms] = await formsOf(await open(await mark(file(onePage(`${BOX}/Contents 4 0 R`, { 4: content })))));
      expect(forms).toHaveLength(count);
    },
  );

  it.each([
    ["0 g", 2, 0],
    [")", 2, 1],
    [")", 30, 0],
  ])(
    "content beyond the first 512 KB is checked only after malformed content, and only up to 8 MB (%j, then %i pages of 300 KB)",
    async (first, long, count) => {
      const text = "0 g ".repeat(75 << 10);
      const contents = [first, ...Array<string>(long).fill(text), `${text})`];
      const forms = await formsOf(await open(await mark(deflated(contents.map((content) => deflateSync(content))))));
      expect(forms.at(-1)).toHaveLength(count);
    },
  );

  it.each([
    [15, 1],
    [16, 0],
  ])("malformed content after %i pages of more than 512 KB each becomes %i forms", async (long, count) => {
    const contents = [...Array<string>(long).fill("0 g ".repeat(150 << 10)), ")"];
    const forms = await formsOf(await open(await mark(deflated(contents.map((content) => deflateSync(content))))));
    expect(forms.at(-1)).toHaveLength(count);
  });

  it("content after 128 MB of damaged content becomes a form without a check", async () => {
    const damaged = deflateSync("0 g ".repeat(128 << 10));
    damaged[damaged.length - 1]! ^= 1;
    const pages = [...Array<Uint8Array>(257).fill(damaged), deflateSync("0 g")];
    const forms = await formsOf(await open(await mark(deflated(pages))));
    expect(forms.map(({ length }) => length)).toEqual(Array(258).fill(1));
  });

  it("rewrites a stream that the end of the file cuts off, with the length of the remaining data", async () => {
    const whole = file(onePage(`${BOX}/Contents 4 0 R/Resources<</X 5 0 R>>`, { 5: { data: "9".repeat(500) } }));
    const output = await mark(whole.subarray(0, latin1(whole).indexOf("9".repeat(500)) + 200));
    const at = latin1(output).lastIndexOf("\n5 0 obj");
    expect(latin1(output).slice(at)).toMatch(/^\n5 0 obj\n<<.*\/Length\s+200>>\s*stream\n9{200}\s*endstream/);
  });

  it("rejects a page whose content nests 65 arrays, since MuPDF does not show such a page", async () => {
    const nested = (depth: number) =>
      outcome(file(onePage(`${BOX}/Contents 4 0 R`, { 4: { data: "[".repeat(depth) } })));
    expect([await nested(64), await nested(65)]).toEqual(["stamped", "damaged_pdf"]);
  });

  it("the copying pass finds malformed content in a stream whose dictionary is not closed", async () => {
    const content = `<</Length 150\nstream\n${") ".repeat(75)}\nendstream`;
    const output = await mark(file(onePage(`${BOX}/Contents 4 0 R`, { 4: content })));
    expect([MUPDF.look(output, CORNER), PDFIUM.look(output, CORNER)]).toEqual([[true], [true]]);
  });

  it("readers show the mark on a repaired page whose content cannot be decoded", async () => {
    const content = { dict: "/Filter/FlateDecode", data: "not deflated" };
    const output = await mark(scanned(onePage(`${BOX}/Contents[4 0 R 5 0 R]`, { 4: content, 5: content })));
    expect([MUPDF.look(output, CORNER), PDFIUM.look(output, CORNER)]).toEqual([[true], [true]]);
    expect((await formsOf(await open(output)))[0]!.map(({ num }) => num)).toEqual([4, 5]);
  });
});

describe("the forms of isolated content", () => {
  it("a content stream that becomes a form keeps its object number and gets the page's MediaBox and resources", async () => {
    const page = `/MediaBox[0 0 300 400]/CropBox[9 9 99 99]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>`;
    const output = await mark(scanned(onePage(page, { 5: "<<>>" })));
    const document = await open(output);
    const [[form]] = (await formsOf(document)) as [[{ num: number; dict: Map<string, unknown> }]];
    expect(form.num).toBe(4);
    expect(form.dict.get("BBox")).toEqual([0, 0, 300, 400]);
    const resources = document.objects.dictionary(form.dict.get("Resources") as Reference)!;
    expect([...resources.keys()]).toEqual(["Font"]);
    expect(latin1(output)).toContain("stream\n0 0 1 rg 20 20 60 40 re f\nendstream");
  });

  it("content streams that are well-formed only when joined become one form", async () => {
    const bodies = {
      4: { data: "q 1 0 0 rg 0 0" },
      5: { dict: "/Filter/FlateDecode", data: deflateSync("50 50 re f") },
    };
    const output = await mark(
      scanned({ ...onePage(`${BOX}/Contents[4 0 R 5 0 R 6 0 R]`), ...bodies, 6: { data: "Q" } }),
    );
    const document = await open(output);
    const [forms] = await formsOf(document);
    expect(forms).toHaveLength(1);
    expect(forms![0]!.num).toBeGreaterThan(1000);
  });

  const shared = (second: string) => {
    const node = "<</Type/Pages/Count 2/Kids[3 0 R 5 0 R]/Resources 6 0 R>>";
    const pages = { 3: `<</Type/Page${BOX}/Contents 4 0 R>>`, 5: `<</Type/Page${second}/Contents 4 0 R>>` };
    return scanned({ ...onePage(), 2: node, ...pages, 6: "<<>>", 7: "<</Font<<>>>>" });
  };
  it.each([
    ["pages with the same box and resources share one form", BOX, 1],
    ["a page with another box gets a copy", "/MediaBox[0 0 99 99]", 2],
    ["a page with other resources gets a copy", `${BOX}/Resources 7 0 R`, 2],
    ["a page with other direct resources gets a copy", `${BOX}/Resources<</Font<<>>>>`, 2],
  ])("pages that share content share one form if their boxes and resources are equal: %s", async (_, second, count) => {
    const document = await open(await mark(shared(second)));
    const forms = (await formsOf(document)).flat();
    expect(new Set(forms.map(({ num }) => num)).size).toBe(count);
    expect(forms[0]!.num).toBe(4);
  });

  it.each(
    VECTORS.filter(({ name }) => name.startsWith("an empty user password")).map(
      (vector) => [vector.name, vector] as const,
    ),
  )(
    "encrypted content stays readable after it becomes a form or is copied to another object: %s",
    async (_, vector) => {
      const build = (data: Uint8Array) => {
        const pages = [3, 5].map((num) => [num, `<</Type/Page/MediaBox[0 0 ${num}00 400]/Contents 4 0 R>>`]);
        const bodies = { ...onePage(), ...Object.fromEntries(pages), 2: "<</Type/Pages/Count 2/Kids[3 0 R 5 0 R]>>" };
        const builder = new FileBuilder().objects({ ...bodies, 4: { data }, 30: encryptText(vector) });
        const trailer = `/Root 1 0 R/Encrypt 30 0 R/ID[<${vector.id}><${vector.id}>]`;
        return encode(latin1(builder.table({ trailer }).bytes()).replace(/startxref\n\d+/, "startxref\n9"));
      };
      const { cipher } = (await open(build(new Uint8Array()))).objects;
      const output = await mark(build(cipher!.encryptStream(4, 0, encode("1 0 0 rg 0 0 50 50 re f"))));
      const { objects } = await open(output);
      const forms = (await formsOf(await open(output))).flat();
      for (const { num, dict } of forms) {
        const end = latin1(output).lastIndexOf(`\n${num} 0 obj`);
        const start = latin1(output).indexOf("stream\n", end) + 7;
        const data = output.slice(start, start + (dict.get("Length") as number));
        expect(latin1(objects.cipher!.decryptStream(num, 0, data))).toBe("1 0 0 rg 0 0 50 50 re f");
      }
      expect(forms.map(({ num }) => num === 4)).toEqual([true, false]);
    },
  );

  it("content that exceeds the decoding limit does not become a form", async () => {
    const long = { dict: "/Filter/FlateDecode", data: deflateSync("0 g ".repeat(3 << 20)) };
    const output = await mark(scanned(onePage(`${BOX}/Contents[4 0 R 5 0 R]`, { 5: long })));
    expect(await formsOf(await open(output))).toEqual([[]]);
    expect(latin1(output)).toMatch(/\/Contents\[\d+ 0 R 4 0 R 5 0 R \d+ 0 R \d+ 0 R\]/);
  });

  it("a page without content gets only the mark, and no form", async () => {
    const output = await mark(scanned(onePage(BOX)));
    expect(latin1(output)).toMatch(/\/Contents\[\d+ 0 R\]/);
  });
});

/** Tests that PDF readers find the words of every template, and still extract the page's own text in order. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadFont } from "../../scripts/lib/loadFont.ts";
import { TEMPLATES, type TemplateName, watermark } from "../../src/engine/index.ts";
import { everyOf } from "../support/allCases.ts";
import { joined } from "../support/bytes.ts";
import { pagesOf, pdfOf, streamOf } from "../support/pdf.ts";
import { EXTRACTORS, plainText } from "./extractors.ts";
import { missing } from "./readers.ts";

const NAMES = Object.keys(TEMPLATES) as TemplateName[];
const PAGES = pagesOf(["", "/Rotate 90", "/CropBox [50 60 400 500]"].map((more) => `/MediaBox [0 0 595 842] ${more}`));

/** Texts of marks, and the words that readers find on the second of three pages. */
const TEXTS: readonly (readonly [text: string, found: string])[] = [
  ["CONFIDENTIAL", "CONFIDENTIAL"],
  ["Copy for A. Smith\n(order 1234-5678)", "Copy for A. Smith (order 1234-5678)"],
  ["Page {page} of {pages}", "Page 2 of 3"],
  ["No. {page:6} on {page}", "No. 000002 on 2"],
  ["سري للغاية", "سري للغاية"],
  ["社外秘", "社外秘"],
  ["Café \\ naïve", "Café \\ naïve"],
];
const CASES = NAMES.flatMap((template) => TEXTS.map(([text, found]) => [template, text, found] as const));

/** Cache of marked files, by source, text and template, because several tests read each file. */
const marked = new Map<string, Promise<Uint8Array>>();

function mark(source: Uint8Array, text: string, template: TemplateName): Promise<Uint8Array> {
  const key = `${source.length} ${template} ${text}`;
  const known =
    marked.get(key) ?? watermark(source, { text, template }, { loadFont }).then(({ chunks }) => joined(chunks()));
  marked.set(key, known);
  return known;
}

test.each(CASES)("PDFium, MuPDF and pdf.js find the words of the template %s: %j", async (template, text, found) => {
  const marked = await mark(PAGES, text, template);
  for (const [reader, extract] of Object.entries(EXTRACTORS)) {
    const [, page] = (await extract(marked)).map(plainText);
    // pdf.js omits spaces at the ends of the parts in which a text is drawn.
    const isExact = reader !== "pdf.js" || !text.includes("{page");
    const spaceless = (value?: string) => (isExact ? value : value?.replaceAll(" ", ""));
    expect(spaceless(page), reader).toBe(spaceless(found));
  }
});

test("PDF readers extract page numbers that start at page_start and are padded with zeros", async () => {
  const mark = { text: "{page:4}-{page}", pageStart: 99 };
  const marked = await joined((await watermark(PAGES, mark, { loadFont })).chunks());
  for (const extract of Object.values(EXTRACTORS))
    expect((await extract(marked)).map((page) => plainText(page).replaceAll(" ", ""))).toEqual([
      "0099-99",
      "0100-100",
      "0101-101",
    ]);
});

/** Returns the text of each page, as Poppler extracts it. */
function textsByPoppler(pdf: Uint8Array, options: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "overprint-words-"));
  try {
    const path = join(folder, "a.pdf");
    writeFileSync(path, pdf);
    const text = execFileSync("pdftotext", [...options, path, "-"], { encoding: "utf8", stdio: "pipe" });
    return text.split("\f").slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Content of a page with two columns, a table and a large heading. */
const COLUMNS = pdfOf([
  "<< /Type /Catalog /Pages 2 0 R >>",
  "<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 595 842] >>",
  "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
  streamOf(
    [
      "BT /F 30 Tf 72 750 Td (Annual report) Tj ET",
      ...Array.from({ length: 40 }, (_, i) =>
        [72, 320].map((x) => `BT /F 10 Tf ${x} ${700 - 12 * i} Td (Column at ${x} with words in line ${i}) Tj ET`),
      ).flat(),
      ...Array.from({ length: 12 }, (_, i) =>
        [72, 200, 330, 460].map((x) => `BT /F 10 Tf ${x} ${190 - 12 * i} Td (${x * i}) Tj ET`),
      ).flat(),
    ].join("\n"),
  ),
  "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
]);

describe.skipIf(missing("pdftotext", "-v")).each([[[]], [["-raw"]], [["-layout"]]])("pdftotext %j", (options) => {
  test.each(options.length === 0 ? CASES : everyOf(CASES, 3))(
    "pdftotext finds the words of the template %s: %j",
    async (template, text, found) => {
      const [, page] = textsByPoppler(await mark(PAGES, text, template), options).map(plainText);
      expect(page).toBe(found);
    },
  );

  test.each(NAMES)("pdftotext extracts the page's own text unchanged under the template %s", async (template) => {
    const [before] = textsByPoppler(COLUMNS, options);
    const [after] = textsByPoppler(await mark(COLUMNS, "CONFIDENTIAL", template), options);
    const lines = (text: string) =>
      text
        .split("\n")
        .map((line) => line.trimEnd())
        .filter((line) => line !== "");
    expect(lines(after!).filter((line) => line.trim() !== "CONFIDENTIAL")).toEqual(lines(before!));
    expect(after).toContain("CONFIDENTIAL");
  });
});

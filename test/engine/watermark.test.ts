import { describe, expect, test, vi } from "vitest";
import { checkMark, EngineError, type ImageMark, type TextMark, watermark } from "../../src/engine/index.ts";
import { isEqual, joined } from "../support/bytes.ts";
import { loadFont } from "../support/fonts.ts";
import { isWorkerd } from "../support/isWorkerd.ts";
import { onePage, pagesOf, pdfOf } from "../support/pdf.ts";
import { RED_PNG } from "../support/png.ts";
import { readerBy } from "../support/ranges.ts";

describe("the engine", () => {
  test("watermark() returns the page count, the exact output length and the notices before writing the output", async () => {
    const plan = await watermark(onePage, { image: RED_PNG });
    expect({ ...plan, chunks: undefined }).toEqual({ pages: 1, length: expect.any(Number), notices: [] });
    expect((await joined(plan.chunks())).length).toBe(plan.length);
  });

  test.each([
    ["a plain file", "/Collection null", []],
    ["a signed file", "/AcroForm << /SigFlags 3 /Fields [<< /FT /Sig /V << >> >>] >>", ["signatures-invalidated"]],
    ["a file with an empty signature field", "/AcroForm << /SigFlags 3 /Fields [<< /FT /Sig >>] >>", []],
    ["a portfolio with attachments", "/Collection << /View /T >>", ["attachments-not-marked"]],
    [
      "a signed portfolio",
      "/Collection << >> /Perms << /DocMDP 1 0 R >>",
      ["signatures-invalidated", "attachments-not-marked"],
    ],
  ])("watermark() reports existing signatures and attachments in the notices: %s", async (_, entries, expected) => {
    const source = pdfOf([
      `<< /Type /Catalog /Pages 2 0 R ${entries} >>`,
      "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
      "<< /Type /Page /Parent 2 0 R >>",
    ]);
    expect((await watermark(source, { image: RED_PNG })).notices).toEqual(expected);
  });

  test("the notice text-cut names the pages on which the text is cut short", async () => {
    const boxes = ["0 0 595 842", "0 0 144 72", "0 0 144 72", "0 0 227 600", "0 0 90 90"];
    const source = pagesOf(boxes.map((box) => `/MediaBox [${box}]`));
    const text = `Licensed to ${"Annabelle Featherstonehaugh, ".repeat(7)} order 8842-1177-03`;
    const noticesOf = async (mark: Omit<TextMark, "text">) =>
      (await watermark(source, { text, ...mark }, { loadFont })).notices;
    expect(await noticesOf({ template: "footer" })).toEqual(['text-cut;pages="2-3 5"']);
    expect(await noticesOf({ template: "diagonal" })).toEqual([]);
  });

  test("watermark() produces the same output whether a file is in memory or read in byte ranges", async () => {
    const ranges = readerBy(onePage.length, async (start, end) => onePage.slice(start, end));
    const [memory, read] = await Promise.all(
      [onePage, ranges].map(async (source) => joined((await watermark(source, { text: "A" }, { loadFont })).chunks())),
    );
    expect(isEqual(memory!, read!)).toBe(true);
  });

  test("watermark() produces the same output whether or not fonts and glyphs are cached", async () => {
    const marks: TextMark[] = ["Āé ffi กำ", "กำ", "ffi", "Ver. {page}", "國家安全", "國家 ffi"].flatMap((text) => [
      { text },
      { text, lang: "ja", weight: "regular", position: "tile" },
    ]);
    const outputs = async (make: typeof watermark, order: TextMark[]) => {
      const made = new Map<TextMark, Uint8Array>();
      const date = new Date(0);
      for (const mark of order) made.set(mark, await joined((await make(onePage, mark, { loadFont, date })).chunks()));
      return marks.map((mark) => made.get(mark)!);
    };
    const warm = await outputs(watermark, [...marks, ...marks.toReversed()]);
    vi.resetModules();
    const { watermark: another } = await import("../../src/engine/index.ts");
    const fresh = await outputs(another, marks.toReversed());
    expect(warm.map((output, at) => isEqual(output, fresh[at]!))).toEqual(marks.map(() => true));
  });

  test("watermark() does not modify the caller's Buffers", async () => {
    const [pdf, png] = [Buffer.from(onePage), Buffer.from(RED_PNG)];
    await joined((await watermark(pdf, { image: png })).chunks());
    expect([isEqual(pdf, onePage), isEqual(png, RED_PNG)]).toEqual([true, true]);
  });

  test.each<[string, TextMark | ImageMark]>([
    ["a tiled image", { image: RED_PNG, position: "tile", scale: 0.1 }],
    ["a tiled text", { text: "DRAFT", template: "tiled" }],
  ])("pages of similar size share the object that draws all copies of %s", async (_, mark) => {
    const pages = Array.from({ length: 300 }, (_, index) => `/MediaBox [0 0 ${500 + index / 10} 600]`);
    const plan = await watermark(pagesOf(pages), mark as TextMark, { loadFont });
    const output = Buffer.from(await joined(plan.chunks())).toString("latin1");
    expect(output.match(/\/XObject<<\/Mark \d+ 0 R>>/g)!.length).toBeLessThan(5);
  });

  test.each([
    ["the resources contain other names", "<< /XObject << /Fm 2 0 R >> >>"],
    ["the resources are empty", "<< >>"],
  ])("each XObject has a unique name in resources that many pages share, if %s", async (_, resources) => {
    const pages = Array.from({ length: 400 }, (_, i) => `/MediaBox [0 0 ${100 * 1.05 ** (i % 100)} ${100 + i}]`);
    const source = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      `<< /Type /Pages /Count 400 /Kids [${pages.map((_, i) => `${i + 4} 0 R`).join(" ")}] >>`,
      resources,
      ...pages.map((size) => `<< /Type /Page /Parent 2 0 R /Resources 3 0 R ${size} >>`),
    ]);
    const plan = await watermark(source, { text: "No. {page}", template: "tiled" }, { loadFont });
    const output = Buffer.from(await joined(plan.chunks())).toString("latin1");
    const [, entries] = /\n3 0 obj\n<< ?\/XObject ?<< ?(.*?)>>/.exec(output.slice(source.length))!;
    const names = Array.from(entries!.matchAll(/\/(\w+) \d+ 0 R/g), ([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(200);
  });

  test.each(["\u200d", "\u00ad\n", " ", "\u2800"])(
    "watermark() rejects a text without visible characters: %j",
    async (text) => {
      await expect(watermark(onePage, { text }, { loadFont })).rejects.toMatchObject({ code: "unsupported_character" });
      expect(() => checkMark({ text })).toThrow("no visible character");
    },
  );

  // Runs only in Node.js, because the test takes ten seconds in workerd and needs no further function of the runtime.
  test.skipIf(isWorkerd)(
    "watermark() rejects a text that needs too many operators over all pages, and suggests a shorter text",
    async () => {
      const source = pagesOf(Array(4000).fill(""));
      await expect(watermark(source, { text: "{page}".repeat(83) }, { loadFont })).rejects.toMatchObject({
        code: "too_complex",
        message: expect.stringContaining("Send a shorter text"),
      });
    },
  );

  test.each([
    ["too_many_pages", pagesOf(Array(3).fill("")), { image: RED_PNG }, { maxPages: 2 }],
    ["image_too_large", onePage, { image: RED_PNG }, { maxPixels: 15 }],
    ["damaged_image", onePage, { image: RED_PNG.subarray(0, 30) }, {}],
    ["not_a_pdf", RED_PNG, { image: RED_PNG }, {}],
  ])("watermark() rejects invalid input with an EngineError: %s", async (code, source, mark, options) => {
    const error: unknown = await watermark(source, mark, options).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({ code });
  });
});

import { describe, expect, it } from "vitest";
import { watermark } from "../../../src/engine/index.ts";
import { loadFont } from "../../support/fonts.ts";
import { onePage } from "../../support/pdf.ts";

describe("a mark of 20 characters", () => {
  it.each([
    ["CONFIDENTIAL - DRAFT", 3.5], // 0.4 of it keep broken content from the mark, 0.3 are its light edge
    ["本文件仅供内部审阅未经书面许可不得外传复", 8],
  ])("of %s makes a file of one page less than %f KB longer, all told", async (text, most) => {
    expect([...text]).toHaveLength(20);
    const { length } = await watermark(onePage, { text }, { loadFont });
    expect(length - onePage.length).toBeLessThan(most * 1024);
  });
});

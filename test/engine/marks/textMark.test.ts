import { describe, expect, it } from "vitest";
import { watermark } from "../../../src/engine/index.ts";
import { loadFont } from "../../support/fonts.ts";
import { onePage } from "../../support/pdf.ts";

describe("a mark of 20 characters", () => {
  it.each([
    ["CONFIDENTIAL - DRAFT", 3.1],
    ["本文件仅供内部审阅未经书面许可不得外传复", 5.5],
  ])("of %s adds less than %f KB to a file of one page", async (text, most) => {
    expect([...text]).toHaveLength(20);
    const { length } = await watermark(onePage, { text }, { loadFont });
    expect(length - onePage.length).toBeLessThan(most * 1024);
  });
});

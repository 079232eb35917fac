import { describe, expect, it } from "vitest";
import { watermark } from "../../../src/engine/index.ts";
import { loadFont } from "../../support/fonts.ts";
import { onePage } from "../../support/pdf.ts";

describe("the size of a text mark", () => {
  it.each([
    [3.4, "CONFIDENTIAL - DRAFT"],
    [5.9, "本文件仅供内部审阅未经书面许可不得外传复"],
  ])("a text mark adds less than %f KB to a file of one page for the characters %s", async (maxKb, text) => {
    expect([...text]).toHaveLength(20);
    const { length } = await watermark(onePage, { text }, { loadFont });
    expect(length - onePage.length).toBeLessThan(maxKb * 1024);
  });
});

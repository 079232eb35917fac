import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { markWithText } from "../../../src/engine/marks/textMark.ts";
import { MemorySource } from "../../../src/engine/pdf/byteSource.ts";
import { openPdf } from "../../../src/engine/pdf/document.ts";
import { planOutput } from "../../../src/engine/pdf/outputPlan.ts";
import { textRequest } from "../../../src/schemas.ts";
import { onePage } from "../../support/pdf.ts";

describe("a mark of 20 characters", () => {
  it.each([
    ["CONFIDENTIAL - DRAFT", 3],
    ["本文件仅供内部审阅未经书面许可不得外传复", 8],
  ])("of %s makes a file of one page less than %i KB longer, all told", async (text, most) => {
    expect([...text]).toHaveLength(20);
    const document = await openPdf(new MemorySource(onePage), { maxPages: 1 });
    await markWithText(document, textRequest.parse({ file: "data:", text }), env.FONTS);
    expect((await planOutput(document)).length - onePage.length).toBeLessThan(most * 1024);
  });
});

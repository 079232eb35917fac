/** Tests that readers extract the word for "confidential" in 60 languages in logical order. */
import { expect, test } from "vitest";
import { loadFont } from "../../scripts/lib/loadFont.ts";
import { watermark } from "../../src/engine/index.ts";
import { joined } from "../support/bytes.ts";
import { CONFIDENTIAL } from "../support/confidential.ts";
import { onePage } from "../support/pdf.ts";
import { EXTRACTORS, plainText } from "./extractors.ts";

/**
 * Languages whose words a reader extracts in another order. A word in the Thaana script (language dv) ends with a vowel
 * mark, and MuPDF moves this mark to the start of the line.
 */
const REORDERED: Record<string, string[]> = { MuPDF: ["dv"] };

test.each(Object.entries(CONFIDENTIAL))(
  'readers extract the word for "confidential" in logical order: %s, %s',
  async (lang, text) => {
    const plan = await watermark(onePage, { text, lang, template: "header" }, { loadFont });
    const marked = await joined(plan.chunks());
    for (const [reader, extract] of Object.entries(EXTRACTORS)) {
      const [found] = (await extract(marked)).map(plainText);
      expect(found === plainText(text), `${reader}: ${found}`).toBe(!REORDERED[reader]?.includes(lang));
    }
  },
);

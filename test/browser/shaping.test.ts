/** Each line of the samples is as wide as Chromium sets it in the same fonts: marks, joins and ligatures included. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, NO_BROWSER, startBrowser } from "../../scripts/lib/chromium.ts";
import { TEXT_SAMPLES } from "../../scripts/lib/textSamples.ts";
import { isRightToLeft } from "../../src/engine/fonts/bidi.ts";
import { typesetterFor } from "../../src/engine/fonts/layout.ts";

const loadFont = async (path: string) => new Uint8Array(await readFile(join(import.meta.dirname, "../../fonts", path)));

/** Ours are drawn one by one, and Chromium's space beside a box is the box's. */
const { Emoji: _, "Box drawing": __, ...lines } = TEXT_SAMPLES;
const samples: [name: string, text: string, lang?: string][] = [
  ...Object.entries(lines).map(([name, text]): [string, string] => [name, text]),
  ["Urdu in Nastaliq", TEXT_SAMPLES.Urdu!, "ur"],
  ["Japanese, ideographs", "社外秘", "ja"],
  ["Chinese of Taiwan", "機密、文件。", "zh-TW"],
  ["Serbian", "бгдпт поверљиво", "sr"],
];

describe.skipIf(!chromiumPath)(
  chromiumPath ? "the width of a line" : `the width of a line (skipped: ${NO_BROWSER})`,
  () => {
    let browser: Browser;
    let page: Page;
    beforeAll(async () => {
      browser = await startBrowser();
      page = await browser.newPage();
    });
    afterAll(() => browser?.close());

    test.each(samples)("%s: %s", async (_, text, lang) => {
      const rightToLeft = isRightToLeft(text);
      const line = (await typesetterFor(text, "regular", loadFont, { text: lang })).set(text, rightToLeft);
      const paths = new Set(line.clusters.map(({ face }) => face.file.path));
      const fonts = await Promise.all(
        Array.from(paths, async (path) => ({
          name: path.replaceAll(/\W/g, "_"),
          source: `url(data:font/ttf;base64,${Buffer.from(await loadFont(path)).toString("base64")})`,
        })),
      );
      const width = (await page.evaluate(`${WIDTH}(${JSON.stringify({ text, lang, rightToLeft, fonts })})`)) as number;
      expect(line.width / width).toBeCloseTo(1, 1.7);
    });
  },
);

/** Sets a line in the page; returns its width in em. */
const WIDTH = `(async ({ text, lang = "", rightToLeft, fonts }) => {
  for (const { name, source } of fonts) document.fonts.add(await new FontFace(name, source).load());
  const span = document.createElement("span");
  const family = fonts.map(({ name }) => name).join();
  span.style.cssText = \`font: 100px \${family}; white-space: pre; position: absolute\`;
  span.dir = rightToLeft ? "rtl" : "ltr";
  span.lang = lang;
  span.textContent = text;
  document.body.append(span);
  return span.getBoundingClientRect().width / 100;
})`;

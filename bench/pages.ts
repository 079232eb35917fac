/**
 * `npm run bench:pages` marks files with an increasing number of pages, using every engine. It prints milliseconds,
 * memory and added bytes. It then prints the bytes that texts of increasing length add to one page. An engine that
 * fails on a file is skipped for larger files. `-- --most 1000` limits the number of pages. `-- --save` saves the
 * results for `docs/performance.md`.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadFont } from "../scripts/lib/loadFont.ts";
import { watermark } from "../src/engine/index.ts";
import { onePage } from "../test/support/pdf.ts";
import { FLOOR, OURS, PEERS } from "./engines.ts";
import { textPages } from "./inputs.ts";
import type { Results } from "./results.ts";
import { runEngine } from "./runEngine.ts";
import { saveResults } from "./saveResults.ts";

const { values } = parseArgs({ options: { most: { type: "string", default: "30000" }, save: { type: "boolean" } } });
const PAGES = [1, 10, 100, 1000, 10_000, 30_000].filter((pages) => pages <= Number(values.most));
const PAGE_BYTES = 3000;
const LENGTHS = [5, 10, 20, 40, 80, 160];
const ALPHABETS = {
  Latin: "The quick brown fox jumps over the lazy dog. Pack my box with five dozen jugs. ",
  Arabic: "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر ومغلف بجلد أزرق ",
  Chinese:
    "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜金生丽水玉出昆冈剑号巨阙珠称夜光",
};

const row = (cells: (string | number)[]) => console.log(`| ${cells.join(" | ")} |`);

/** Returns the bytes that a text adds to a file of one page. */
async function addedBy(text: string): Promise<number> {
  let length = 0;
  for await (const chunk of (await watermark(onePage, { text }, { loadFont })).chunks()) length += chunk.length;
  return length - onePage.length;
}

const files: Results["pages"]["files"] = [];
const dir = mkdtempSync(join(tmpdir(), "overprint-bench-"));
try {
  const path = join(dir, "input.pdf");
  let engines = [FLOOR, OURS, ...PEERS].filter(({ available }) => available?.() !== false);
  for (const pages of PAGES) {
    const input = textPages(pages, PAGE_BYTES, "classic");
    writeFileSync(path, input);
    console.log(`\n${pages.toLocaleString("en")} pages, ${(input.length / 1e6).toFixed(2)} MB\n`);
    row(["engine", "ms", "peak MB", "added bytes a page"]);
    row(Array(4).fill("---"));
    const marked = engines.map((engine) => runEngine(engine, path));
    for (const { name, ms, peakMb, addedBytes } of marked)
      row([name, ms?.toFixed(2) ?? "failed", peakMb?.toFixed(0) ?? "", ((addedBytes ?? 0) / pages).toFixed(0)]);
    files.push({ pages, bytes: input.length, engines: marked });
    engines = engines.filter((_, index) => marked[index]!.ms !== null);
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}

console.log("\nBytes that a text adds to one page\n");
row(["script", ...LENGTHS.map((length) => `${length} characters`)]);
row(Array(LENGTHS.length + 1).fill("---"));
const texts: Results["pages"]["texts"] = [];
for (const [script, letters] of Object.entries(ALPHABETS)) {
  for (const characters of LENGTHS) {
    const text = letters
      .repeat(Math.ceil(characters / letters.length))
      .slice(0, characters)
      .trim();
    texts.push({ script, characters, addedBytes: await addedBy(text) });
  }
  row([script, ...texts.slice(-LENGTHS.length).map(({ addedBytes }) => addedBytes)]);
}
if (values.save) await saveResults("pages", { files, texts });

/**
 * Fills `fonts/` with the fonts that the Worker loads from its own assets, and writes `src/engine/fonts/families.ts`
 * with their coverage. Run it after changing a font: `npm run build:fonts`. The same sources give the same bytes, and
 * nothing is written before all of them have been read and checked.
 *
 * Sources are the pinned npm packages and, for scripts they lack, Debian's fonts-noto-core 20201225-1. Its fonts are
 * read from the folder given as an argument, or else from where the package installs them, and checked against the
 * hashes below.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Font, readFont } from "../src/engine/fonts/truetype.ts";
import { encodeRanges } from "./fonts/coverage.ts";
import { sliceFont } from "./fonts/slice.ts";

const root = join(import.meta.dirname, "..");
const fonts = join(root, "fonts");
const debian = process.argv[2] ?? "/usr/share/fonts/truetype/noto";

/** Code points per slice. */
const SLICE = 512;
/** Printable characters: no controls, private use, unassigned or ignorable characters. */
const COVERABLE = /[^\p{C}\p{Default_Ignorable_Code_Point}]/u;
/** East Asian characters; other families are used for all others. */
const EAST_ASIAN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}\u3000-\u33ff\ufe10-\ufe6f\uff00-\uffef]/u;
const HANGUL = /[\p{Script=Hangul}]/u;

/** A source font file and, if no package manager checks it, its SHA-256. */
interface Source {
  path: string;
  sha256?: string;
}

interface Family {
  name: string;
  regular: Source;
  bold?: Source;
  /** Tells which of its characters it is used for; all if undefined. */
  accepts?: (character: string) => boolean;
  /** Cut into slices, which have only the accepted characters. */
  sliced?: true;
}

const expo = (name: string, file: string, weight: "400Regular" | "700Bold"): Source => ({
  path: join(root, `node_modules/@expo-google-fonts/${name}/${weight}/${file}_${weight}.ttf`),
});
const fromNpm = (name: string, file: string): Family => ({
  name,
  regular: expo(name, file, "400Regular"),
  bold: expo(name, file, "700Bold"),
});
const sliced = (name: string, file: string, accepts: (character: string) => boolean): Family => ({
  name,
  regular: expo(name, file, "400Regular"),
  accepts,
  sliced: true,
});
const fromDebian = (name: string, file: string, regular: string, bold?: string): Family => ({
  name,
  regular: { path: join(debian, `${file}-Regular.ttf`), sha256: regular },
  ...(bold && { bold: { path: join(debian, `${file}-Bold.ttf`), sha256: bold } }),
});

/** In order of preference. */
const FAMILIES: Family[] = [
  // it has only part of Devanagari
  { ...fromNpm("noto-sans", "NotoSans"), accepts: (character) => !/\p{Script=Devanagari}/u.test(character) },
  fromNpm("noto-sans-arabic", "NotoSansArabic"),
  fromNpm("noto-sans-hebrew", "NotoSansHebrew"),
  fromNpm("noto-sans-devanagari", "NotoSansDevanagari"),
  fromNpm("noto-sans-bengali", "NotoSansBengali"),
  fromNpm("noto-sans-tamil", "NotoSansTamil"),
  fromNpm("noto-sans-thai", "NotoSansThai"),
  fromNpm("noto-sans-georgian", "NotoSansGeorgian"),
  fromNpm("noto-sans-armenian", "NotoSansArmenian"),
  fromDebian(
    "noto-sans-telugu",
    "NotoSansTelugu",
    "cb3165071121b1e80c55a041d0c1f79b3bbc68e4b0eab37b0d881958dfc3ed7a",
    "34e3a81c02ea8474f00b1046cbb183461648fd253a56475140d6b025db828b5b",
  ),
  fromDebian(
    "noto-sans-kannada",
    "NotoSansKannada",
    "892b841b0b87ca3c2702bdc78d3031c8220f53e8f5f496ec5e37ccf0ca03ddf7",
    "fcb9918669a24e33b1464b33eeac24e9a0f54a50393dfdaeb1e596cfcf2dac47",
  ),
  fromDebian(
    "noto-sans-malayalam",
    "NotoSansMalayalam",
    "5433f4a642b4325aa169a55c4c6b8d1c4a45c4e08bcd9cbe72888229709a8f2d",
    "abe54dff7c6539899f1208672ae4235207b3e6b8d49594e9ff02d972d5975a81",
  ),
  fromDebian(
    "noto-sans-gujarati",
    "NotoSansGujarati",
    "4468a3a24516831874fb4a867b760a22257944584e478d32a97e3c4d4bfc6400",
    "db2b642c28b021da8cb0f3463bf41376549c850aa718ca863ec3ff5d5df0f2f7",
  ),
  fromDebian(
    "noto-sans-gurmukhi",
    "NotoSansGurmukhi",
    "1db960ff6f506a98f5b3ece78f54618388c6187e7edf8ceee5ab63389c0db3ab",
    "ded9c1f56a7ed0b835cfef5dd642f26cfc0f41a16fbc08008d376ddcc91d606e",
  ),
  fromDebian(
    "noto-sans-sinhala",
    "NotoSansSinhala",
    "31f83eec724a27779d1434afc84beabee239c0ff77dc8d04bee9f49c60b23fdd",
    "9ac3c2da2562fd3ce449e600a9954a3c5dad982145c85159449fe1c31f648a6e",
  ),
  fromDebian(
    "noto-sans-lao",
    "NotoSansLao",
    "6c3de7db369e85cba20255d161eeeb3d934ea3c4c51e2574c2ddcce79a25025c",
    "b87a8592f1cdd8b15e1e827967afd45a8c5ffc1123773bc4bd023fe1ccecd321",
  ),
  fromDebian(
    "noto-sans-khmer",
    "NotoSansKhmer",
    "bc9a5e2afcee249849e409aabe6e22330c479b878ea3e59bf5e7c84482d7ee53",
    "cc74e7ac685da9a84e18b773ec8d80d06765aa1754bb14acc390c3620023c4dc",
  ),
  fromDebian(
    "noto-sans-myanmar",
    "NotoSansMyanmar",
    "3fe9a4babc12081adc979e0313433e6ec85bb3ad069681c23ee8d8ea8b91332b",
    "e37e2ef189431020b1eaf4fb8d43252666dc24265d628145fff119613afea174",
  ),
  fromDebian(
    "noto-sans-ethiopic",
    "NotoSansEthiopic",
    "58bc43b062961b38ee45757d2e74e6a991a12011aa0399fb03004ac432e5c852",
    "cc16f0c43be76a2ecb5f6d08de4fe6705886b9be90251bfb5959a90955be7f1d",
  ),
  sliced("noto-sans-sc", "NotoSansSC", (character) => EAST_ASIAN.test(character) && !HANGUL.test(character)),
  sliced("noto-sans-jp", "NotoSansJP", (character) => EAST_ASIAN.test(character)),
  sliced("noto-sans-kr", "NotoSansKR", (character) => EAST_ASIAN.test(character)),
  fromDebian(
    "noto-sans-symbols",
    "NotoSansSymbols",
    "24b615ceb7d50a2c09060664ca9e24a160c9beb6bfca0563e8359369a4bc0993",
    "c46ee5f6447f99edf6a69e24969bcfee891e3699cff9fc45bfb98ec1b7d684fa",
  ),
  fromDebian(
    "noto-sans-symbols2",
    "NotoSansSymbols2",
    "876598db5f1e3bef2bc77c4d94c5b0d5d2c1620be4878a06f18fb5434e331688",
  ),
  fromDebian("noto-sans-math", "NotoSansMath", "8242bd1e55368b27e32455260754cf9aa58f3ad7ea80664b66c21f1b09910d6c"),
  { name: "noto-emoji", regular: expo("noto-emoji", "NotoEmoji", "400Regular") },
];

function read({ path, sha256 }: Source): { bytes: Uint8Array; font: Font } {
  const bytes = new Uint8Array(readFileSync(path));
  const hash = createHash("sha256").update(bytes).digest("hex");
  if (sha256 !== undefined && hash !== sha256)
    throw new Error(`${path} is not the file expected: its SHA-256 is ${hash}`);
  const font = readFont(bytes);
  if (!nameOf(font, 13).includes("SIL Open Font License, Version 1.1")) throw new Error(`${path} has another licence`);
  return { bytes, font };
}

/** Returns a font's string for the Windows platform in English (OpenType, "name"), empty if there is none. */
function nameOf(font: Font, id: number): string {
  const table = font.table("name");
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  for (let at = 6; at < 6 + view.getUint16(2) * 12; at += 12) {
    if (view.getUint16(at) !== 3 || view.getUint16(at + 4) !== 0x409 || view.getUint16(at + 6) !== id) continue;
    const start = view.getUint16(4) + view.getUint16(at + 10);
    return new TextDecoder("utf-16be").decode(table.subarray(start, start + view.getUint16(at + 8)));
  }
  return "";
}

function* codePointsOf(font: Font): Generator<number> {
  for (let codePoint = 0x20; codePoint < 0x110000; codePoint++)
    if (font.glyphOf(codePoint) !== 0 && COVERABLE.test(String.fromCodePoint(codePoint))) yield codePoint;
}

/** What `fonts/` will have, by path. */
const files = new Map<string, Uint8Array | string>();
const notices: string[] = [];
const entries: string[] = [];
const covered = new Set<number>();

for (const family of FAMILIES) {
  const { bytes, font } = read(family.regular);
  const all = Array.from(codePointsOf(font));
  let codePoints = all.filter((codePoint) => family.accepts?.(String.fromCodePoint(codePoint)) ?? true);

  if (family.sliced) {
    // Korean and Japanese ideographs differ from Chinese ones, but only Japanese text can be recognised, by its kana.
    if (family.name === "noto-sans-kr") codePoints = codePoints.filter((codePoint) => !covered.has(codePoint));
    const slices = Map.groupBy(codePoints, (codePoint) => Math.floor(codePoint / SLICE) * SLICE);
    for (const [start, slice] of slices)
      files.set(`${family.name}/${start.toString(16).padStart(4, "0")}.ttf`, sliceFont(font, slice));
  } else {
    files.set(`${family.name}-regular.ttf`, bytes);
    if (family.bold) {
      const bold = read(family.bold);
      if (encodeRanges(codePointsOf(bold.font)) !== encodeRanges(all))
        throw new Error(`${family.name}: regular and bold differ in what they cover`);
      files.set(`${family.name}-bold.ttf`, bold.bytes);
    }
  }

  for (const codePoint of codePoints) covered.add(codePoint);
  notices.push(`${family.name}: ${nameOf(font, 5)}. ${nameOf(font, 0)}`);
  const cut = family.sliced ? "sliced" : family.bold ? "regular and bold" : "regular";
  entries.push(`  { name: "${family.name}", files: "${cut}", coverage: "${encodeRanges(codePoints)}" },`);
}

const licence = readFileSync(join(root, "node_modules/@expo-google-fonts/noto-sans/LICENSE_FONT"), "utf8");
const terms = licence.slice(licence.indexOf("This Font Software is licensed"));
files.set("OFL.txt", `${notices.join("\n")}\n\n${terms}`);

rmSync(fonts, { recursive: true, force: true });
for (const [path, content] of files) {
  mkdirSync(dirname(join(fonts, path)), { recursive: true });
  writeFileSync(join(fonts, path), content);
}

const generated = join(root, "src/engine/fonts/families.ts");
writeFileSync(
  generated,
  `// Written by scripts/buildFonts.ts, which says how coverage is encoded.

/** A typeface of \`fonts/\`: how its files are cut, and which code points it has. */
export interface Family {
  readonly name: string;
  readonly files: "regular and bold" | "regular" | "sliced";
  readonly coverage: string;
}

/** Code points to a slice. */
export const SLICE = ${SLICE};

/** In order of preference. */
export const FAMILIES: readonly Family[] = [
${entries.join("\n")}
];
`,
);
execFileSync("biome", ["format", "--write", generated], { stdio: "ignore" });

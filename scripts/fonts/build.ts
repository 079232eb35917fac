/** Builds the files of `fonts/` and the index of these files from the fonts' sources, in memory. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Font, readFont } from "../../src/engine/fonts/truetype.ts";
import { encodeRanges } from "./coverage.ts";
import { sliceFont } from "./slice.ts";
import type { FamilySource, FontSource } from "./sources.ts";

const root = join(import.meta.dirname, "../..");

/** Number of code points per slice. */
const SLICE = 512;
/** Printable characters: all except control, private-use, unassigned and ignorable characters. */
const COVERABLE = /[^\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** The files of `fonts/` by path, and the contents of `src/engine/fonts/families.ts`. */
export interface Built {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly index: string;
}

/**
 * Builds the fonts of `families`, which are in order of preference. Equal sources produce equal bytes.
 * @param read returns the bytes of a source
 * @throws Error if a font's license is not the OFL, if the weights of a font differ in coverage, or if a built font
 * lacks a character
 */
export function buildFonts(families: readonly FamilySource[], read: (source: FontSource) => Uint8Array): Built {
  const files = new Map<string, Uint8Array>();
  const notices: string[] = [];
  const entries: string[] = [];
  const covered = new Set<number>();

  for (const family of families) {
    const font = openFont(family.name, read(family.regular));
    const all = Array.from(codePointsOf(font));
    let codePoints = all.filter((codePoint) => family.accepts?.(String.fromCodePoint(codePoint)) ?? true);

    let forms = "";
    if (family.sliced) {
      const slices = Map.groupBy(codePoints, (codePoint) => Math.floor(codePoint / SLICE) * SLICE);
      forms = `, forms: "${encodeRanges(Array.from(slices.keys(), (start) => start / SLICE))}"`;
      for (const [start, slice] of slices)
        files.set(`${family.name}/${start.toString(16).padStart(4, "0")}.ttf`, checked(sliceFont(font, slice), slice));
    } else {
      files.set(`${family.name}-regular.ttf`, font.bytes);
      if (family.bold) {
        const bold = openFont(family.name, read(family.bold));
        if (encodeRanges(codePointsOf(bold)) !== encodeRanges(all))
          throw new Error(`${family.name}: regular and bold differ in coverage`);
        files.set(`${family.name}-bold.ttf`, bold.bytes);
      }
    }

    // omits characters that an earlier family covers, to shorten the family's list of ranges; the family's list of
    // slices (`forms`) still includes these characters
    if (family.sliced) codePoints = codePoints.filter((codePoint) => !covered.has(codePoint));
    for (const codePoint of codePoints) covered.add(codePoint);
    notices.push(`${family.name}: ${nameOf(font, 5)}. ${nameOf(font, 0)}`);
    const cut = family.sliced ? "sliced" : family.bold ? "regular and bold" : "regular";
    entries.push(`  { name: "${family.name}", files: "${cut}", coverage: "${encodeRanges(codePoints)}"${forms} },`);
  }

  const licence = readFileSync(
    join(import.meta.dirname, "node_modules/@expo-google-fonts/noto-sans/LICENSE_FONT"),
    "utf8",
  );
  const terms = licence.slice(licence.indexOf("This Font Software is licensed"));
  files.set("OFL.txt", new TextEncoder().encode(`${notices.join("\n")}\n\n${terms}`));
  return { files, index: indexOf(entries) };
}

function openFont(name: string, bytes: Uint8Array): Font {
  const font = readFont(bytes);
  if (!nameOf(font, 13).includes("SIL Open Font License, Version 1.1")) throw new Error(`${name} has another licence`);
  return font;
}

/** Returns a font's English string for the Windows platform (OpenType, "name"), or an empty string. */
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

/** Returns `bytes` if they parse as a font that covers all of `codePoints`. */
function checked(bytes: Uint8Array, codePoints: readonly number[]): Uint8Array {
  const font = readFont(bytes);
  for (const codePoint of codePoints)
    if (font.glyphOf(codePoint) === 0) throw new Error(`a slice lacks U+${codePoint.toString(16)}`);
  return bytes;
}

function indexOf(entries: readonly string[]): string {
  const index = `// Written by scripts/buildFonts.ts. scripts/fonts/coverage.ts defines the encoding of coverage.

/** A typeface of \`fonts/\`: the kind of its files, and the code points for which it is used by default. */
export interface Family {
  readonly name: string;
  readonly files: "regular and bold" | "regular" | "sliced";
  readonly coverage: string;
  /**
   * Numbers of the slices for which a sliced family has a file, encoded like \`coverage\`. A slice may contain characters
   * beyond \`coverage\`.
   */
  readonly forms?: string;
}

/** Number of consecutive code points in a slice. Each slice of a sliced family is a separate file. */
export const SLICE = ${SLICE};

/** The typefaces in order of preference. */
export const FAMILIES: readonly Family[] = [
${entries.join("\n")}
];
`;
  const format = [join(root, "node_modules/@biomejs/biome/bin/biome"), "format", "--stdin-file-path", "families.ts"];
  return execFileSync(process.execPath, format, { cwd: root, input: index }).toString();
}

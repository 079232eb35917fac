import { LruCache } from "../lruCache.ts";
import { embeddingLevels, inVisualOrder } from "./bidi.ts";
import { chooseFonts } from "./choose.ts";
import { areDrawn, type FontFile, type Weight } from "./coverage.ts";
import { isDigitPlaceholder, withNumber } from "./digitPlaceholders.ts";
import { type ShapedGlyph, startHarfbuzz } from "./harfbuzz.ts";
import { familiesOf, type Letterforms, languageForShaping } from "./language.ts";
import { type LoadFont, openFont, shape } from "./library.ts";
import type { Font } from "./truetype.ts";

/** A loaded font and its file. */
interface Face {
  readonly font: Font;
  readonly file: FontFile;
}

/** A glyph of a cluster, with its offset from the cluster's origin in font units. */
interface PlacedGlyph {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

/** Characters that cannot be separated, and their glyphs: a letter with its marks, a ligature or a syllable. */
export interface Cluster {
  readonly face: Face;
  readonly glyphs: readonly PlacedGlyph[];
  /**
   * The characters in visual order, left to right. PDF readers reverse right-to-left text, including the characters
   * within a cluster.
   */
  readonly text: string;
  /** Origin of the cluster on the line, in em. */
  readonly x: number;
  /** Advance of the cluster after shaping, including kerning, in em. */
  readonly advance: number;
  /**
   * The digit placeholder (see digitPlaceholders.ts) in whose place the cluster stands. Undefined for a cluster of
   * other text.
   */
  readonly placeholder: string | undefined;
}

/** A laid-out line. Lengths are in em, the origin is the left end of the baseline, and y points up. */
export interface Line {
  /** Clusters in visual order, left to right. */
  readonly clusters: readonly Cluster[];
  readonly width: number;
  /**
   * The height above the baseline and the depth below the baseline that the fonts and the ink need. `descent` is
   * negative.
   */
  readonly ascent: number;
  readonly descent: number;
  /** Edges of the ink. `left` is at most 0, and `right` is at least the width. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Lays out lines of a text whose fonts are loaded. */
export interface Typesetter {
  /** Lays out a line of the text, or returns the line from a cache. `rightToLeft` is the direction of the paragraph. */
  layOut(line: string, rightToLeft: boolean): Line;
}

/** Approximate memory of a cluster and its contents, in bytes. */
export const BYTES_PER_CLUSTER = 512;
/**
 * Maximum memory of a text's cached lines per character of the text, in bytes. Without a limit, pages of many sizes
 * could add any number of lines.
 */
const BYTES_PER_CHARACTER = 16 * BYTES_PER_CLUSTER;
/** LRU cache of the typesetters of recent texts, including their lines and fonts. */
const typesetters = new LruCache<string, Typesetter>(8 * 2 ** 20);

/**
 * Loads the fonts of a text and returns a typesetter for any line of the text.
 * @throws EngineError unsupported_character if no font covers a character
 */
export async function typesetterFor(
  text: string,
  weight: Weight,
  loadFont: LoadFont,
  letterforms: Letterforms = {},
): Promise<Typesetter> {
  const key = JSON.stringify([text, weight, letterforms]);
  const known = typesetters.get(key);
  if (known) return known;
  const faces = await facesFor(text, weight, loadFont, letterforms);
  await startHarfbuzz();
  const bytes = Array.from(faces.values(), ({ font }) => font.bytes.length).reduce((sum, length) => sum + length, 0);
  const typesetter = typesetterWith(faces, text, weight, letterforms);
  return typesetters.get(key) ?? typesetters.put(key, typesetter, bytes + BYTES_PER_CHARACTER * text.length);
}

/**
 * Loads the fonts of a text. The keys of the result are the paths of the files.
 * @throws EngineError unsupported_character if no font covers a character
 */
async function facesFor(
  text: string,
  weight: Weight,
  loadFont: LoadFont,
  letterforms: Letterforms,
): Promise<Map<string, Face>> {
  chooseFonts(withNumber(text), weight); // throws early, so that the error contains the position in the whole text
  const faces = new Map<string, Face>();
  // Only a loaded file shows whether a font has a language's form of a letter. If the form is missing, the font that is
  // next in preference is loaded.
  const usable = (file: FontFile, part: string) => !faces.has(file.path) || has(faces, file, part);
  const missing = () =>
    withNumber(text)
      .split("\n")
      .flatMap((line) => chooseFonts(line, weight, { first: familiesOf(line, text, letterforms), usable }))
      .map(({ file }) => file)
      .filter(({ path }) => !faces.has(path));
  for (let files = missing(); files.length > 0; files = missing()) {
    const distinct = new Map(files.map((file) => [file.path, file]));
    const opened = await Promise.all(
      Array.from(
        distinct.values(),
        async (file): Promise<Face> => ({ file, font: await openFont(file.path, loadFont) }),
      ),
    );
    for (const face of opened) faces.set(face.file.path, face);
  }
  return faces;
}

/** Returns whether a loaded font draws all characters of `part`. */
function has(faces: ReadonlyMap<string, Face>, { path }: FontFile, part: string): boolean {
  return areDrawn(part, (codePoint) => faces.get(path)!.font.glyphOf(codePoint) !== 0);
}

function typesetterWith(
  faces: ReadonlyMap<string, Face>,
  text: string,
  weight: Weight,
  letterforms: Letterforms,
): Typesetter {
  const language = languageForShaping(letterforms);
  const usable = (file: FontFile, part: string) => faces.has(file.path) && has(faces, file, part);
  // A plain Map is used, because each line is requested thousands of times and an LRU cache is slower.
  const lines = new Map<string, Line>();
  let bytes = 0;
  return {
    layOut(line, rightToLeft) {
      const key = `${rightToLeft ? "<" : ">"}${line}`;
      const known = lines.get(key);
      if (known) return known;
      const choices = chooseFonts(withNumber(line), weight, {
        first: familiesOf(withNumber(line), text, letterforms),
        usable,
      });
      const laidOut = layOutLine(line, { rightToLeft, language, faces, choices });
      bytes += BYTES_PER_CLUSTER * laidOut.clusters.length;
      if (bytes > BYTES_PER_CHARACTER * text.length) {
        lines.clear();
        bytes = BYTES_PER_CLUSTER * laidOut.clusters.length;
      }
      lines.set(key, laidOut);
      return laidOut;
    },
  };
}

/** Options for the layout of a line. */
interface LineOptions {
  readonly rightToLeft: boolean;
  /** BCP 47 tag of the text's language, or undefined if it is unknown. */
  readonly language: string | undefined;
  /** The font of each grapheme of the line. */
  readonly choices: ReturnType<typeof chooseFonts>;
  readonly faces: ReadonlyMap<string, Face>;
}

/** A part of a line with one embedding level, script and font. */
interface LineRun {
  start: number;
  end: number;
  level: number;
  script: string;
  path: string;
  isPlaceholder: boolean;
}

/**
 * Splits a line into runs in logical order. A character without a script adopts the script of the preceding characters,
 * or else the script of the following characters.
 */
function runsOf(line: string, { rightToLeft, choices }: LineOptions): LineRun[] {
  const levels = embeddingLevels(withNumber(line), rightToLeft);
  let script = choices.find((choice) => choice.script)?.script ?? "Zyyy";

  const runs: LineRun[] = [];
  let start = 0;
  for (const choice of choices) {
    script = choice.script ?? script;
    const end = start + choice.text.length;
    const run = {
      start,
      end,
      level: levels[start]!,
      script,
      path: choice.file.path,
      isPlaceholder: isDigitPlaceholder(line[start]),
    };
    const last = runs.at(-1);
    if (last && canMerge(last, run)) last.end = end;
    else runs.push(run);
    start = end;
  }
  return runs;
}

function canMerge(a: LineRun, b: LineRun): boolean {
  return a.level === b.level && a.script === b.script && a.path === b.path && a.isPlaceholder === b.isPlaceholder;
}

function layOutLine(line: string, options: LineOptions): Line {
  const { faces, language } = options;
  const text = withNumber(line);
  const clusters: Cluster[] = [];
  let width = 0;
  for (const { start, end, level, script, path, isPlaceholder } of inVisualOrder(runsOf(line, options))) {
    const face = faces.get(path)!;
    const em = face.font.unitsPerEm;
    const rightToLeft = level % 2 === 1;
    const glyphs = shape(face.font, text, { start, end, rightToLeft, script, language });
    const placed = clustersOf(glyphs, text, end);
    const texts = joinersFirst(
      placed.map((cluster) => (rightToLeft ? [...cluster.text].reverse().join("") : cluster.text)),
    );
    for (const [i, { start, glyphs, advance }] of placed.entries()) {
      const placeholder = isPlaceholder ? line[start] : undefined;
      clusters.push({ glyphs, text: texts[i]!, face, x: width, advance: advance / em, placeholder });
      width += advance / em;
    }
  }

  const inks = clusters.flatMap(inkOf);
  const top = Math.max(...inks.map((ink) => ink.top)),
    bottom = Math.min(...inks.map((ink) => ink.bottom));
  const fonts = clusters.map(({ face }) => face.font);
  return {
    clusters,
    width,
    ascent: Math.max(top, ...fonts.map(({ ascent, unitsPerEm }) => ascent / unitsPerEm)),
    descent: Math.min(bottom, ...fonts.map(({ descent, unitsPerEm }) => descent / unitsPerEm)),
    left: Math.min(0, ...inks.map((ink) => ink.left)),
    right: Math.max(width, ...inks.map((ink) => ink.right)),
    top,
    bottom,
  };
}

/**
 * Moves format characters such as joiners from the end of a cluster's text to the beginning of the next cluster's text.
 * At the end of a cluster's text, pdf.js would drop the format characters together with their letter.
 */
function joinersFirst(texts: readonly string[]): string[] {
  let moved = "";
  return texts.map((text, i) => {
    const whole = moved + text;
    const rest = (i + 1 < texts.length && whole.replace(/\p{Cf}+$/u, "")) || whole;
    moved = whole.slice(rest.length);
    return rest;
  });
}

/** Returns the edges of each glyph's ink on the line, in em. */
function inkOf({ face: { font }, glyphs, x }: Cluster) {
  return glyphs.map((glyph) => {
    const [xMin, yMin, xMax, yMax] = font.box(glyph.id);
    const em = font.unitsPerEm;
    return {
      left: x + (glyph.x + xMin) / em,
      right: x + (glyph.x + xMax) / em,
      top: (glyph.y + yMax) / em,
      bottom: (glyph.y + yMin) / em,
    };
  });
}

/** Groups the glyphs of a run into clusters. The glyphs are ordered from left to right. Lengths are in font units. */
function clustersOf(glyphs: readonly ShapedGlyph[], text: string, end: number) {
  const starts = [...new Set(glyphs.map(({ cluster }) => cluster))].sort((a, b) => a - b);
  const endOf = new Map(starts.map((start, i) => [start, starts[i + 1] ?? end]));

  const clusters: { start: number; glyphs: PlacedGlyph[]; text: string; advance: number }[] = [];
  let current: number | undefined;
  for (const { id, cluster, advance, dx, dy } of glyphs) {
    if (cluster !== current) {
      clusters.push({ start: cluster, glyphs: [], text: text.slice(cluster, endOf.get(cluster)), advance: 0 });
      current = cluster;
    }
    const last = clusters.at(-1)!;
    last.glyphs.push({ id, x: last.advance + dx, y: dy });
    last.advance += advance;
  }
  return clusters;
}

import { digitIn } from "../fonts/digitPlaceholders.ts";
import { type EmbeddedFont, embedFont } from "../fonts/embed.ts";
import type { Cluster, Line } from "../fonts/layout.ts";
import type { ObjectSink } from "../pdf/document/newObject.ts";
import type { Appearance } from "./appearance.ts";
import type { Block, Row } from "./block.ts";
import { drawText, type TextDrawing, UNITS_PER_EM } from "./draw.ts";
import { type Mark, makeMark, type Rectangle } from "./form.ts";
import { type Ink, inkOf, inverted } from "./ink.ts";
import type { Part } from "./placeOnPages.ts";

const DIGITS = Array.from("0123456789");

/** The place of one digit of a page number within a block, in units of a drawing (see `UNITS_PER_EM`). */
interface DigitPlace {
  readonly placeholder: string;
  readonly cluster: Cluster;
  readonly line: Line;
  readonly x: number;
  readonly y: number;
  /** The marks that show a digit at this place. The key is the digit. */
  readonly marks: Map<string, Mark>;
}

/**
 * Draws blocks of text as marks that pages share.
 *
 * In a block with the page number, the text around the number is drawn once, and each digit once. A page adds only the
 * places of its digits. Each of ten thousand numbered pages then adds a few short operators instead of a separate mark.
 *
 * An echo is a second version of a mark, for the copies of a tiled text. An echo looks like the mark, but its glyphs
 * have second character codes, which text extraction reads as spaces (`echoOf`). Search and copying therefore find the
 * text once per page. The second drawing of letters with a light edge uses the same codes. PDF/A files have no second
 * codes, so their echoes are the marks themselves.
 */
export class TextMarks {
  readonly #sink: ObjectSink;
  readonly #appearance: Appearance;
  readonly #edge: number;
  readonly #embedded: EmbeddedFont;
  readonly #ink: Ink;
  /** Cache of marks by their content and box. */
  readonly #marks = new Map<string, Mark>();
  readonly #parts = new Map<Block, (Part | DigitPlace)[]>();
  readonly #echoParts = new Map<Block, (Part | DigitPlace)[]>();
  readonly #hasEchoes: boolean;
  #onDark: TextMarks | undefined;

  private constructor(sink: ObjectSink, appearance: Appearance, edge: number, embedded: EmbeddedFont, ink: Ink) {
    this.#sink = sink;
    this.#appearance = appearance;
    this.#edge = edge;
    this.#hasEchoes = hasEchoes(sink, appearance, edge);
    this.#embedded = embedded;
    this.#ink = ink;
  }

  /**
   * Embeds a font for `clusters`, which must include all clusters of the blocks.
   * @param edge width of the edge around letters, in em
   */
  static of(sink: ObjectSink, clusters: Iterable<Cluster>, appearance: Appearance, edge: number): TextMarks {
    const embedded = embedFont(sink, shownBy(clusters), { echoes: hasEchoes(sink, appearance, edge) });
    return new TextMarks(sink, appearance, edge, embedded, inkOf(appearance.color, sink));
  }

  /** The same marks for dark pages: white letters with an edge in the mark's own color. Drawn only if they are used. */
  get onDark(): TextMarks {
    this.#onDark ??= new TextMarks(this.#sink, this.#appearance, this.#edge, this.#embedded, inverted(this.#ink));
    return this.#onDark;
  }

  /**
   * Returns the parts that together draw a block. The positions of the parts are relative to the block's lower left
   * corner, in units of a drawing (see `UNITS_PER_EM`). The digits of the page number `number` replace the digit
   * placeholders.
   * @param isEcho whether to return echoes of the parts; in PDF/A files, a part and its echo are the same
   */
  partsOf(block: Block, number: string, isEcho = false): Part[] {
    const known = isEcho && this.#hasEchoes ? this.#echoParts : this.#parts;
    let parts = known.get(block);
    if (!parts) {
      parts = this.#drawAroundDigits(block, known === this.#echoParts);
      known.set(block, parts);
    }

    return parts.map((part) => {
      if ("mark" in part) return part;
      const digit = digitIn(part.placeholder, number);
      const drawn = part.marks.get(digit);
      const mark = drawn ?? this.#runMark([withDigit(part.cluster, digit)], part.line, known === this.#echoParts);
      part.marks.set(digit, mark);
      return { mark, x: part.x, y: part.y };
    });
  }

  /**
   * Draws all rows without a page number as one mark. In a row with a page number, each run of clusters between digit
   * placeholders becomes a separate mark.
   */
  #drawAroundDigits(block: Block, isEcho: boolean): (Part | DigitPlace)[] {
    const unnumbered = block.rows.filter(({ line }) => !line.clusters.some(({ placeholder }) => placeholder));
    const parts: (Part | DigitPlace)[] = [];
    if (unnumbered.length > 0 || block.frame)
      parts.push({ mark: this.#blockMark(block, unnumbered, isEcho), x: 0, y: 0 });

    for (const { line, x, y } of block.rows.filter((row) => !unnumbered.includes(row)))
      for (const clusters of splitAtDigits(line.clusters)) {
        const at = { x: (x + clusters[0]!.x) * UNITS_PER_EM, y: y * UNITS_PER_EM };
        const [first] = clusters as [Cluster];
        parts.push(
          first.placeholder !== undefined
            ? { placeholder: first.placeholder, cluster: first, line, marks: new Map(), ...at }
            : { mark: this.#runMark(clusters, line, isEcho), ...at },
        );
      }
    return parts;
  }

  #blockMark({ width, height, frame, rows: all }: Block, rows: readonly Row[], isEcho: boolean): Mark {
    const isPart = rows.length < all.length;
    const units = UNITS_PER_EM;
    const runs = rows.map(({ line, x, y }) => ({ clusters: line.clusters, x: x * units, y: y * units }));
    const glyphs = rows.length > 1 || isPart ? rows.map(({ line }) => textOf(line.clusters)).join("") : undefined;
    return this.#mark({ runs, box: [0, 0, width * units, height * units], frame, isEcho }, glyphs);
  }

  /** Draws neighboring clusters of a line as one mark. The origin of the mark is the origin of the first cluster. */
  #runMark(clusters: readonly Cluster[], line: Line, isEcho = false): Mark {
    const first = clusters[0]!,
      last = clusters.at(-1)!;
    const width = last.x + last.advance - first.x;
    // The box extends one em beyond each end of the line, because ink may lie outside of the advance.
    const box = [-1, line.descent - 0.1, width + 1, line.ascent + 0.1].map((side) => side * UNITS_PER_EM);
    const digit = first.placeholder ? first.text : undefined;
    const drawing = { runs: [{ clusters, x: 0, y: 0 }], box: box as unknown as Rectangle, isEcho, digit };
    return this.#mark(drawing, textOf(clusters));
  }

  /** @param glyphs the text of the drawing; omitted if the drawing shows exactly one line */
  #mark(text: Omit<TextDrawing, "edge">, glyphs?: string): Mark {
    const { runs, box, frame, isEcho } = text;
    const shown = runs.map(({ clusters, x, y }) => [x, y, this.#shows(clusters)]);
    const key = JSON.stringify([box, frame, isEcho, ...shown]);
    const known = this.#marks.get(key);
    if (known) return known;

    const drawing = drawText(this.#sink, { ...text, edge: this.#edge }, this.#embedded, this.#appearance, this.#ink);
    const mark = makeMark(this.#sink, drawing, this.#appearance.opacity, isEcho ? undefined : glyphs);
    this.#marks.set(key, mark);
    return mark;
  }

  #shows(clusters: readonly Cluster[]): string {
    const start = clusters[0]?.x ?? 0;
    return clusters.map((cluster) => `${(cluster.x - start).toFixed(3)} ${this.#embedded.codeOf(cluster)}`).join(" ");
  }
}

function hasEchoes({ pdfa }: ObjectSink, { position, isHollow }: Appearance, edge: number): boolean {
  return !pdfa && (position === "tile" || edge > 0 || isHollow);
}

/** Yields the clusters to embed. For each font that draws digit placeholders, yields every digit once. */
function* shownBy(clusters: Iterable<Cluster>): Generator<Cluster> {
  const faces = new Set<Cluster["face"]>();
  for (const cluster of clusters) {
    if (!cluster.placeholder) yield cluster;
    else if (!faces.has(cluster.face)) {
      faces.add(cluster.face);
      for (const digit of DIGITS) yield withDigit(cluster, digit);
    }
  }
}

function textOf(clusters: readonly Cluster[]): string {
  return clusters.map(({ text }) => text).join("");
}

/** Splits clusters into single digit placeholders and the runs of other clusters between them. */
function splitAtDigits(clusters: readonly Cluster[]): Cluster[][] {
  const result: Cluster[][] = [];
  for (const cluster of clusters) {
    const last = result.at(-1);
    if (last && !cluster.placeholder && !last[0]!.placeholder) last.push(cluster);
    else result.push([cluster]);
  }
  return result;
}

/**
 * Returns a copy of a digit placeholder's cluster that shows `digit`. In the fonts of `fonts/`, all digits have the
 * same width.
 */
function withDigit(cluster: Cluster, digit: string): Cluster {
  return { ...cluster, text: digit, glyphs: [{ id: cluster.face.font.glyphOf(digit.charCodeAt(0)), x: 0, y: 0 }] };
}

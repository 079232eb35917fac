/** Finds the areas that the content of pages paints. These areas cover a mark that lies under the content. */
import { concat, encodeLatin1 } from "../../bytes.ts";
import { isMatrix, type Matrix } from "../content/matrix.ts";
import type { Objects } from "../objects/objects.ts";
import { readStream } from "../objects/streams.ts";
import { type Box, readBox } from "../pages/boxes.ts";
import type { PageEntry } from "../pages/page.ts";
import { decodeContent, filtersOf, streamNumbers } from "../pages/pageContent.ts";
import { type ContentSource, type PaintedForm, paintedAreas } from "../pages/paintedAreas.ts";
import { Malformed } from "../syntax/lexer.ts";
import { type Dictionary, parseCharged, Reference, type Value } from "../syntax/values.ts";
import { orNull } from "./orNull.ts";
import type { PdfDocument } from "./pdfDocument.ts";

/** Maximum number of pages that are read in a file. All later pages count as unpainted. */
const MAX_PAGES = 1000;
/** Number of bytes that are read at the beginning of a content stream, because backgrounds are painted first. */
const BEGINNING = 8 << 10;
/** Maximum number of decoded bytes of a stream, and of all streams of a file. */
const MAX_DECODED = 256 << 10;
const MAX_ALL_DECODED = 4 << 20;

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
const LINE_END = encodeLatin1("\n");
const XOBJECT_KEYS = new Set(["Subtype", "SMask", "Mask", "ImageMask", "OC", "SMaskInData"]);
const STATE_KEYS = new Set(["ca", "BM", "SMask"]);

/**
 * Returns the rectangles in user space that the beginning of each page's content paints, by the index of the page. Must
 * be called before a mark is laid over the pages.
 */
export async function paintedPages({ objects, pages }: PdfDocument): Promise<readonly Box[][]> {
  const reader = new PaintReader(objects);
  const painted: Box[][] = [];
  for (const page of pages.slice(0, MAX_PAGES)) {
    painted.push(await objects.run(() => reader.areasOf(page)));
    await objects.source.meter.yieldIfDue();
  }
  return painted;
}

/** Reads page content. If a call throws because bytes are not loaded yet, the caller repeats it. */
class PaintReader {
  readonly #objects: Objects;
  /** Decoded beginnings of the pages' streams, by the number of the stream; null for an unreadable stream. */
  readonly #decoded = new Map<number, Uint8Array | null>();
  #left = MAX_ALL_DECODED;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** Returns the rectangles that the content of a page paints. Unreadable content counts as painting nothing. */
  areasOf({ contents, ownResources, box }: PageEntry): Box[] {
    const parts: Uint8Array[] = [];
    for (const num of streamNumbers(contents?.items ?? "")) {
      const part = orNull(() => this.#beginningOf(num));
      if (!part) break;
      parts.push(part);
      if (part.length >= BEGINNING) break;
    }
    const categoryOf = (category: string) =>
      orNull(() => {
        const span = ownResources?.categories.get(category);
        return span && parseCharged(ownResources!.holder.text, span.start, this.#objects.source.meter);
      });
    return paintedAreas(this.#sourceOf(joinedLines(parts), categoryOf), box);
  }

  #sourceOf(content: Uint8Array, categoryOf: (category: string) => Value | undefined): ContentSource {
    const resource = (category: string, name: string) =>
      orNull(() => this.#objects.dictionary(categoryOf(category) ?? null)?.get(name)) ?? null;
    return {
      content,
      stateOf: (name) => orNull(() => this.#stateOf(resource("ExtGState", name))) ?? { isSolid: false },
      xobjectOf: (name) => orNull(() => this.#xobjectOf(resource("XObject", name))) ?? undefined,
    };
  }

  #stateOf(value: Value): ReturnType<ContentSource["stateOf"]> {
    const state = this.#objects.dictionary(value, STATE_KEYS);
    const [alpha, mode, mask] = ["ca", "BM", "SMask"].map((key) => this.#objects.resolve(state?.get(key)));
    return {
      ...(typeof alpha === "number" && { isSolid: alpha >= 1 }),
      ...(mode !== null && { isBlended: mode !== "Normal" && mode !== "Compatible" }),
      ...(mask !== null && { isMasked: mask !== "None" }),
    };
  }

  #xobjectOf(value: Value): ReturnType<ContentSource["xobjectOf"]> {
    const xobject = this.#objects.dictionary(value, XOBJECT_KEYS);
    if (!xobject || xobject.has("OC") || !(value instanceof Reference)) return undefined;
    if (xobject.get("Subtype") === "Form") return this.#formOf(value.num);
    const isSolid = ["SMask", "Mask", "ImageMask", "SMaskInData"].every((key) => !xobject.get(key));
    return xobject.get("Subtype") === "Image" && isSolid ? "image" : undefined;
  }

  #formOf(num: number): PaintedForm | undefined {
    const { dict } = this.#stream(num);
    const content = this.#beginningOf(num);
    const box = readBox(this.#objects, dict.get("BBox") ?? null);
    if (!content || !box) return undefined;
    const matrix = this.#objects.resolve(dict.get("Matrix"));
    const resources = this.#objects.dictionary(dict.get("Resources"));
    return {
      ...this.#sourceOf(joinedLines([content]), (category) => resources?.get(category)),
      ...{ box, matrix: isMatrix(matrix) ? matrix : IDENTITY },
    };
  }

  #stream(num: number): { dict: Dictionary; data: Uint8Array } {
    const { source, table } = this.#objects;
    if (!table.isInFile(num)) throw new Malformed(`no stream ${num}`);
    return readStream(source, table.offsetOf(num), (length) => this.#objects.streamLength(length));
  }

  /**
   * Returns the beginning of a decoded stream. Returns null if the stream is unreadable, or if the file's decoding
   * limit has been reached.
   */
  #beginningOf(num: number): Uint8Array | null {
    const known = this.#decoded.get(num);
    if (known !== undefined || this.#left <= 0) return known ?? null;
    const { dict, data } = this.#stream(num);
    const filters = filtersOf(this.#objects, dict);
    // The beginning of encrypted data cannot be decrypted alone.
    const raw = this.#objects.cipher ? data : data.subarray(0, BEGINNING);
    const decoded = decodeContent(this.#objects, num, filters, raw, MAX_DECODED);
    const beginning = decoded instanceof Uint8Array ? decoded : null;
    this.#left -= beginning?.length ?? 0;
    this.#decoded.set(num, beginning);
    return beginning;
  }
}

/** Joins content streams, each followed by a line end. */
function joinedLines(parts: readonly Uint8Array[]): Uint8Array {
  return concat(parts.flatMap((part) => [part, LINE_END]));
}

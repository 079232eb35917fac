/**
 * Finds the annotations of pages that may cover a mark (ISO 32000-2, 12.5). Readers draw annotations above the page's
 * content.
 */
import { decodeLatin1 } from "../../bytes.ts";
import type { Objects } from "../objects/objects.ts";
import { readStream } from "../objects/streams.ts";
import { type Box, readBox } from "../pages/boxes.ts";
import type { PageEntry } from "../pages/page.ts";
import type { Span } from "../pages/pageAttributes.ts";
import { decodeContent, filtersOf } from "../pages/pageContent.ts";
import type { Splice } from "../pages/rewrite.ts";
import { type Dictionary, parseCharged, Reference, type Value } from "../syntax/values.ts";
import { orNull } from "./orNull.ts";
import type { PdfDocument } from "./pdfDocument.ts";

/** Maximum number of annotations that are read for a file. */
const MAX_ANNOTATIONS = 1000;
/** Maximum number of decoded bytes of an annotation's appearance stream. */
const MAX_APPEARANCE = 64 << 10;
/** An annotation counts as opaque if a rectangle or an image fills at least this share of the annotation's box. */
const OPAQUE_SHARE = 0.95;
/** A notice reports annotations over the mark if they cover more than this share of its sample points. */
const COVERED_SHARE = 0.1;
/** A notice reports page content over a mark if the content covers more than this share of the mark's sample points. */
const PAINTED_SHARE = 0.5;
/** Flags of annotations that no reader shows: Hidden and NoView (ISO 32000-2, table 167). */
const UNSEEN = 2 | 32;

const KEYS = new Set(["Subtype", "Rect", "F", "AP", "AS"]);
const FILLED_RECTANGLE = /(-?[\d.]+)\s+(-?[\d.]+)\s+(-?[\d.]+)\s+(-?[\d.]+)\s+re\s+(?:f\*?|F|[Bb]\*?)(?=\s|$)/g;
const PLACED_IMAGE = /(-?[\d.]+)\s+0\s+0\s+(-?[\d.]+)\s+-?[\d.]+\s+-?[\d.]+\s+cm\s*\/(\w+)\s+Do(?=\s|$)/g;

/**
 * Types of annotations that react to a click, or that readers draw above all other annotations (ISO 32000-2, 12.5.6).
 */
const INTERACTIVE = new Set("Link Widget Screen Movie Sound RichMedia 3D FileAttachment Text".split(" "));

/** The location of a page's /Annots array, to which annotations may be added. */
interface AnnotationList {
  /** Span of the value of /Annots in the page's dictionary. */
  readonly span: Span;
  /**
   * The items of the array in PDF syntax, if the array is a separate object. Undefined if the array is in the page's
   * dictionary.
   */
  readonly items: string | undefined;
}

/** The annotations of a page that has at least one opaque annotation. */
export interface PageAnnotations {
  /** Boxes in user space that opaque annotations cover. */
  readonly opaque: readonly Box[];
  /**
   * Boxes of annotations that react to the user, such as links and fields, or that readers draw above all other
   * annotations.
   */
  readonly interactive: readonly Box[];
  /**
   * The array to which annotations can be added. Undefined in two cases: not all annotations were read, or the array is
   * a separate object that contains values other than references.
   */
  readonly list: AnnotationList | undefined;
}

/**
 * Reads the annotations of all pages.
 * @returns the readable annotations by the index of the page, without pages that have no opaque annotation
 */
export async function readAnnotations({ objects, pages }: PdfDocument): Promise<ReadonlyMap<number, PageAnnotations>> {
  const reader = new AnnotationReader(objects);
  const read = new Map<number, PageAnnotations>();
  for (const page of pages) {
    if (!page.annotations || reader.isDone) continue;
    const annotations = await objects.run(() => reader.annotationsOf(page, page.annotations!));
    if (annotations.opaque.length > 0) read.set(page.index, annotations);
    await objects.source.meter.yieldIfDue();
  }
  return read;
}

/** Returns a splice of a page's dictionary that adds `references` at the end of the page's /Annots array. */
export function appendAnnotations({ span, items }: AnnotationList, references: readonly string[]): Splice {
  const added = references.join(" ");
  return items === undefined
    ? { at: span.end - 1, remove: 0, insert: ` ${added}` }
    : { at: span.start, remove: span.end - span.start, insert: `[${items} ${added}]` };
}

/**
 * Returns the numbers of the pages on which the mark is covered, in ascending order. The mark is covered if opaque
 * annotations hide more than `COVERED_SHARE` of it, or if the page's own content covers more than `PAINTED_SHARE` of
 * it.
 * @param painted areas that the content of each page paints over the mark; see {@link paintedPages}
 */
export function coveredPages({ placed }: PdfDocument, painted: readonly (readonly Box[])[]): number[] {
  return placed
    .filter(({ index, points, hidden }) => {
      const shareIn = (areas: readonly Box[]) =>
        points.filter(({ x, y }) => areas.some(({ x0, y0, x1, y1 }) => x0 < x && x < x1 && y0 < y && y < y1)).length /
        points.length;
      return shareIn(hidden) > COVERED_SHARE || shareIn(painted[index] ?? []) > PAINTED_SHARE;
    })
    .map(({ index }) => index + 1);
}

/** Reads annotations. If a call throws because bytes are not loaded yet, the caller repeats the call. */
class AnnotationReader {
  readonly #objects: Objects;
  /** Maps the object number of each appearance read so far to whether the appearance is opaque. */
  readonly #opaque = new Map<number, boolean>();
  #left = MAX_ANNOTATIONS;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** Whether `MAX_ANNOTATIONS` annotations have been read. */
  get isDone(): boolean {
    return this.#left === 0;
  }

  /** Returns the readable annotations of a page whose /Annots is at `span`. */
  annotationsOf({ rewrite }: PageEntry, span: Span): PageAnnotations {
    const { meter } = this.#objects.source;
    const value = orNull(() => parseCharged(rewrite.text, span.start, meter));
    const resolved = orNull(() => this.#objects.resolve(value));
    const all = Array.isArray(resolved) ? resolved : [];
    const read = all.slice(0, this.#left);
    const opaque: Box[] = [];
    const interactive: Box[] = [];
    for (const item of read) {
      const annotation = orNull(() => this.#visible(item));
      const box = annotation && orNull(() => readBox(this.#objects, annotation.get("Rect") ?? null));
      if (!box) continue;
      if (INTERACTIVE.has(annotation.get("Subtype") as string)) interactive.push(box);
      if (orNull(() => this.#isOpaque(annotation))) opaque.push(box);
    }
    this.#left -= read.length;
    // A direct annotation in a separate array cannot be copied, because its strings are encrypted with the key of the
    // array's object.
    const references = all.filter((item) => item instanceof Reference);
    const isOwn = value instanceof Reference;
    const canAppend = read.length === all.length && (!isOwn || references.length === all.length);
    const items = isOwn ? references.map(({ num, gen }) => `${num} ${gen} R`).join(" ") : undefined;
    return { opaque, interactive, list: canAppend ? { span, items } : undefined };
  }

  /** Returns the dictionary of an annotation, or undefined if the annotation is hidden or a pop-up. */
  #visible(item: Value): Dictionary | undefined {
    const annotation = this.#objects.dictionary(item, KEYS);
    const flags = annotation?.get("F");
    const isHidden = typeof flags === "number" && (flags & UNSEEN) > 0;
    return isHidden || annotation?.get("Subtype") === "Popup" ? undefined : annotation;
  }

  #isOpaque(annotation: Dictionary): boolean {
    const appearance = this.#appearanceOf(annotation);
    return appearance !== undefined && this.#fillsBox(appearance.num);
  }

  /**
   * Returns the normal appearance of an annotation (ISO 32000-2, 12.5.5): the only stream, or the stream that the
   * annotation's state selects.
   */
  #appearanceOf(annotation: Dictionary): Reference | undefined {
    const normal = this.#objects.dictionary(annotation.get("AP"))?.get("N");
    const state = annotation.get("AS");
    const states = this.#objects.dictionary(normal);
    const chosen = typeof state === "string" && !states?.has("BBox") ? states?.get(state) : normal;
    return chosen instanceof Reference ? chosen : undefined;
  }

  #fillsBox(num: number): boolean {
    const known = this.#opaque.get(num);
    if (known !== undefined) return known;
    const isOpaque = orNull(() => this.#paintsBox(num)) ?? false;
    this.#opaque.set(num, isOpaque);
    return isOpaque;
  }

  /** Returns whether a form XObject fills its box with an opaque rectangle or image. */
  #paintsBox(num: number): boolean {
    const { source, table } = this.#objects;
    if (!table.isInFile(num)) return false;
    const { dict, data } = readStream(source, table.offsetOf(num), (length) => this.#objects.streamLength(length));
    const box = readBox(this.#objects, dict.get("BBox") ?? null);
    const resources = this.#objects.dictionary(dict.get("Resources"));
    if (!box || this.#isTransparent(resources)) return false;
    const filters = filtersOf(this.#objects, dict);
    const decoded = decodeContent(this.#objects, num, filters, data, MAX_APPEARANCE);
    if (!(decoded instanceof Uint8Array)) return false;
    const content = decodeLatin1(decoded);
    const needed = OPAQUE_SHARE * (box.x1 - box.x0) * (box.y1 - box.y0);
    const isLarge = (width?: string, height?: string) => Math.abs(Number(width) * Number(height)) >= needed;
    for (const [, , , width, height] of content.matchAll(FILLED_RECTANGLE)) if (isLarge(width, height)) return true;
    const xobjects = this.#objects.dictionary(resources?.get("XObject"));
    for (const [, width, height, name] of content.matchAll(PLACED_IMAGE))
      if (isLarge(width, height) && this.#isSolidImage(xobjects?.get(name!))) return true;
    return false;
  }

  /** Returns whether the resources include a graphics state with transparency. */
  #isTransparent(resources: Dictionary | undefined): boolean {
    const states = this.#objects.dictionary(resources?.get("ExtGState"));
    return Array.from(states?.values() ?? []).some((value) => {
      const state = this.#objects.dictionary(value);
      const alpha = state?.get("ca");
      const mode = state?.get("BM");
      const isBlended = mode !== undefined && mode !== "Normal" && mode !== "Compatible";
      return isBlended || (typeof alpha === "number" && alpha < 1);
    });
  }

  #isSolidImage(value: Value | undefined): boolean {
    const image = this.#objects.dictionary(value);
    const isImage = image?.get("Subtype") === "Image";
    return isImage && !image.has("SMask") && !image.has("Mask") && image.get("ImageMask") !== true;
  }
}

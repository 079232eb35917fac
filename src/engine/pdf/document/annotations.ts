/**
 * Finds the annotations of pages that may cover a mark (ISO 32000-2, 12.5). Readers draw annotations above the page's
 * content.
 */
import type { Objects } from "../objects/objects.ts";
import { isUnseen, shownBoxes } from "../pages/annotationFlags.ts";
import { type Box, readBox } from "../pages/boxes.ts";
import type { PageEntry } from "../pages/page.ts";
import type { Span } from "../pages/pageAttributes.ts";
import type { Splice } from "../pages/rewrite.ts";
import { type Dictionary, parseCharged, Reference, type Value } from "../syntax/values.ts";
import { AppearanceInk } from "./appearanceInk.ts";
import { GENERATING_KEYS, generatedArea } from "./generatedAppearance.ts";
import { orNull } from "./orNull.ts";
import type { PdfDocument } from "./pdfDocument.ts";

/** Maximum number of annotations that are read for a file. */
const MAX_ANNOTATIONS = 1000;
/** A notice reports annotations over the mark if they cover more than this share of its sample points. */
const COVERED_SHARE = 0.1;
/** A notice reports page content over a mark if the content covers more than this share of the mark's sample points. */
const PAINTED_SHARE = 0.5;

const KEYS = new Set(["Subtype", "Rect", "F", "AP", "AS", ...GENERATING_KEYS]);

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
export async function readAnnotations(document: PdfDocument): Promise<ReadonlyMap<number, PageAnnotations>> {
  const { objects, pages, catalog } = document;
  const form = await objects.run(() => orNull(() => objects.dictionary(catalog.get("AcroForm"))));
  const reader = new AnnotationReader(objects, form?.get("NeedAppearances") === true);
  const read = new Map<number, PageAnnotations>();
  for (const page of pages) {
    if (!page.annotations || reader.isDone) continue;
    const annotations = await reader.annotationsOf(page, page.annotations);
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
  readonly #ink: AppearanceInk;
  /** Whether readers replace the appearances of all form fields. */
  readonly #generatesFields: boolean;
  #left = MAX_ANNOTATIONS;

  constructor(objects: Objects, generatesFields: boolean) {
    this.#objects = objects;
    this.#generatesFields = generatesFields;
    this.#ink = new AppearanceInk(objects);
  }

  /** Whether `MAX_ANNOTATIONS` annotations have been read. */
  get isDone(): boolean {
    return this.#left === 0;
  }

  /** Returns the readable annotations of a page whose /Annots is at `span`. */
  async annotationsOf(page: PageEntry, span: Span): Promise<PageAnnotations> {
    const { shown, interactive, list, count } = await this.#objects.run(() => this.#annotationsAt(page, span));
    this.#left -= count;
    const opaque: Box[] = [];
    for (const { boxes, appearance, isGenerated } of shown)
      if (isGenerated || (appearance && (await this.#ink.isOpaque(appearance)))) opaque.push(...boxes);
    return { opaque, interactive, list };
  }

  #annotationsAt({ rewrite, rotate }: PageEntry, span: Span) {
    const { meter } = this.#objects.source;
    const value = orNull(() => parseCharged(rewrite.text, span.start, meter));
    const resolved = orNull(() => this.#objects.resolve(value));
    const all = Array.isArray(resolved) ? resolved : [];
    const read = all.slice(0, this.#left);
    const shown: { boxes: Box[]; appearance: Reference | null; isGenerated: boolean }[] = [];
    const interactive: Box[] = [];
    for (const item of read) {
      const annotation = orNull(() => this.#visible(item));
      const box = annotation && orNull(() => readBox(this.#objects, annotation.get("Rect") ?? null));
      if (!box) continue;
      const appearance = orNull(() => this.#appearanceOf(annotation) ?? null);
      const generates = !appearance || (this.#generatesFields && annotation.get("Subtype") === "Widget");
      const generated = generates ? orNull(() => generatedArea(this.#objects, annotation, box)) : null;
      const boxes = shownBoxes(generated ?? box, this.#objects.resolve(annotation.get("F")), rotate);
      if (INTERACTIVE.has(annotation.get("Subtype") as string)) interactive.push(...boxes);
      shown.push({ boxes, appearance, isGenerated: Boolean(generated) });
    }
    // A direct annotation in a separate array cannot be copied, because its strings are encrypted with the key of the
    // array's object.
    const references = all.filter((item) => item instanceof Reference);
    const isOwn = value instanceof Reference;
    const canAppend = read.length === all.length && (!isOwn || references.length === all.length);
    const items = isOwn ? references.map(({ num, gen }) => `${num} ${gen} R`).join(" ") : undefined;
    return { shown, interactive, list: canAppend ? { span, items } : undefined, count: read.length };
  }

  /** Returns the dictionary of an annotation, or undefined if the annotation is hidden. */
  #visible(item: Value): Dictionary | undefined {
    const annotation = this.#objects.dictionary(item, KEYS);
    return isUnseen(this.#objects.resolve(annotation?.get("F"))) ? undefined : annotation;
  }

  /**
   * Returns the normal appearance of an annotation (ISO 32000-2, 12.5.5): the only stream, or the stream that the
   * annotation's state selects. Without a state, readers select the only stream of a dictionary of states.
   */
  #appearanceOf(annotation: Dictionary): Reference | undefined {
    const normal = this.#objects.dictionary(annotation.get("AP"))?.get("N");
    const state = this.#objects.resolve(annotation.get("AS"));
    const states = this.#objects.dictionary(normal);
    const only = states?.size === 1 ? [...states.keys()][0]! : "Off";
    const chosen = states?.has("BBox") ? normal : states?.get(typeof state === "string" ? state : only);
    return chosen instanceof Reference ? chosen : undefined;
  }
}

/**
 * Shows the mark above opaque annotations by adding watermark annotations (ISO 32000-2, 12.5.6.22). A watermark
 * annotation has neither a pop-up nor a place in the list of comments. Readers draw it like a stamp: above all
 * annotations before it, except for form fields.
 */
import { mapped } from "../pdf/content/bounds.ts";
import type { Matrix } from "../pdf/content/matrix.ts";
import { appendAnnotations, type PageAnnotations, readAnnotations } from "../pdf/document/annotations.ts";
import type { Ref } from "../pdf/document/newObject.ts";
import type { PdfDocument } from "../pdf/document/pdfDocument.ts";
import { type Box, commonBox } from "../pdf/pages/boxes.ts";
import type { Page } from "../pdf/pages/page.ts";
import { wordsOf } from "./actualText.ts";
import { addForm, type Mark } from "./form.ts";
import type { Point } from "./geometry.ts";
import { numbers } from "./operators.ts";

/** Maximum number of annotations that show the mark on a page. */
const MAX_WINDOWS = 32;
/** Minimum width and height, in units of user space, of a box in which an added annotation shows the mark. */
const MIN_SIDE = 1;
/** Annotation flags Print, ReadOnly, Locked and LockedContents (ISO 32000-2, 12.5.3, table 167). */
const FLAGS = 4 | 64 | 128 | 512;

/** The boxes on a page, in user space, in which opaque annotations cover the mark. */
export interface CoveredBoxes {
  /** Boxes in which an added annotation can show the mark again. */
  readonly windows: readonly Box[];
  /** Boxes in which the mark stays hidden. */
  readonly hidden: readonly Box[];
}

/** A mark and its translation on a page. */
type PlacedMark = Point & { readonly mark: Mark };

const NOTHING_COVERED: CoveredBoxes = { windows: [], hidden: [] };

/** Adds annotations to a document that show the mark above opaque annotations. */
export class AnnotationMarks {
  readonly #document: PdfDocument;
  readonly #annotations: ReadonlyMap<number, PageAnnotations>;
  readonly #isAllowed: boolean;
  /**
   * References to the appearances of added annotations. The key consists of the box, the resources and the operators of
   * an appearance.
   */
  readonly #appearances = new Map<string, Ref>();

  private constructor(document: PdfDocument, annotations: ReadonlyMap<number, PageAnnotations>, isAllowed: boolean) {
    this.#document = document;
    this.#annotations = annotations;
    this.#isAllowed = isAllowed;
  }

  /** Reads the annotations of all pages. */
  static async of(document: PdfDocument): Promise<AnnotationMarks> {
    const annotations = await readAnnotations(document);
    return new AnnotationMarks(document, annotations, allowsAnnotations(document));
  }

  /**
   * Finds the parts of a mark that opaque annotations cover on a page.
   * @param matrix returns the matrix from the space of `parts` to the page's user space
   */
  coveredBoxes(page: Page, parts: readonly PlacedMark[], matrix: () => Matrix): CoveredBoxes {
    const annotations = this.#annotations.get(page.index);
    if (!annotations) return NOTHING_COVERED;
    const { opaque, interactive, list } = annotations;
    const toUser = matrix();
    const boxes = parts.map(placedBox);
    const windows: Box[] = [];
    const hidden: Box[] = [];
    for (const box of opaque) {
      const touched = boxes.filter((part) => touches(box, part, toUser)).map((part) => boundsOf(part, toUser));
      if (touched.length === 0) continue;
      const window = commonBox(commonBox(box, unionOf(touched)), page.box);
      const isFree = this.#isAllowed && list && !interactive.some((other) => hasArea(commonBox(other, window), 0));
      if (isFree && hasArea(window, MIN_SIDE) && windows.length < MAX_WINDOWS) windows.push(window);
      else hidden.push(box);
    }
    return { windows, hidden };
  }

  /**
   * Adds annotations to a page that show the mark in the given windows.
   * @param operators returns the operators that place the mark in user space; `nameOf` returns the resource name of an
   * XObject
   */
  show(page: Page, windows: readonly Box[], operators: (nameOf: (xobject: Ref) => string) => string): void {
    const names = new Map<Ref, string>();
    const mark = operators((xobject) => {
      const name = names.get(xobject) ?? `M${names.size}`;
      names.set(xobject, name);
      return name;
    });
    const resources = `/XObject<<${Array.from(names, ([ref, name]) => `/${name} ${ref}`).join("")}>>`;
    const references = windows.map((window, index) => {
      const earlier = windows.slice(0, index).filter((other) => hasArea(commonBox(other, window), 0));
      const content = wordsOf("", `q ${clipOut(earlier, window)}${mark} Q`);
      const rectangle = [window.x0, window.y0, window.x1, window.y1] as const;
      const key = `${numbers(rectangle)} ${resources} ${content}`;
      const appearance = this.#appearances.get(key) ?? addForm(this.#document, { box: rectangle, resources, content });
      this.#appearances.set(key, appearance);
      return this.#document.add(
        `<</Type/Annot/Subtype/Watermark/Rect[${numbers(rectangle)}]/F ${FLAGS}/AP<</N ${appearance}>>>>`,
      );
    });
    this.#document.pages[page.index]!.addedAnnotations = appendAnnotations(
      this.#annotations.get(page.index)!.list!,
      references,
    );
  }
}

/**
 * Returns operators that clip to the parts of `area` outside all boxes. Each box has a separate path, because a single
 * even-odd path would include the overlap of two boxes.
 */
export function clipOut(boxes: readonly Box[], area: Box): string {
  const rectangle = ({ x0, y0, x1, y1 }: Box) => `${numbers([x0, y0, x1 - x0, y1 - y0])} re`;
  return boxes.map((box) => `${rectangle(area)} ${rectangle(box)} W* n `).join("");
}

/**
 * Returns whether new annotations may be added to the file. The permissions of an encrypted file may forbid
 * annotations. PDF/A-1 has no watermark annotations. PDF/UA requires each annotation to be in the document's structure
 * (ISO 14289-1, 7.18.1). PDF/X allows no annotations on the page. A mark under the page's content needs no annotations,
 * because it is meant to be covered.
 */
function allowsAnnotations({ objects, pdfa, mayBePdfua, press, layer }: PdfDocument): boolean {
  if (layer === "under" || pdfa?.part === 1 || mayBePdfua || press.isPdfx) return false;
  return objects.cipher?.permitsAnnotations !== false;
}

/** Returns the box of a placed mark in the space of its placement. */
export function placedBox({ mark: { box }, x, y }: PlacedMark): Box {
  const [left, bottom, right, top] = box;
  return { x0: x + left, y0: y + bottom, x1: x + right, y1: y + top };
}

/**
 * Returns whether a box in user space overlaps `part`, which the matrix `toUser` maps to user space. Compares bounds
 * both in user space and in the space of the part, because the bounds of rotated boxes are too large.
 */
export function touches(box: Box, part: Box, toUser: Matrix): boolean {
  const isNear = hasArea(commonBox(box, boundsOf(part, toUser)), 0);
  return isNear && hasArea(commonBox(boundsOf(box, inverse(toUser)), part), 0);
}

/** Returns the bounds of a box after a matrix has mapped it. */
function boundsOf(box: Box, matrix: Matrix): Box {
  const [x0, y0, x1, y1] = mapped(matrix, [box.x0, box.y0, box.x1, box.y1]);
  return { x0, y0, x1, y1 };
}

function inverse([a, b, c, d, e, f]: Matrix): Matrix {
  const area = a * d - b * c;
  return [d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area];
}

function unionOf(boxes: readonly Box[]): Box {
  return boxes.reduce((all, box) => ({
    x0: Math.min(all.x0, box.x0),
    y0: Math.min(all.y0, box.y0),
    x1: Math.max(all.x1, box.x1),
    y1: Math.max(all.y1, box.y1),
  }));
}

/** Returns whether the width and height of a box both exceed `side`. Returns false for an inverted box. */
function hasArea({ x0, y0, x1, y1 }: Box, side: number): boolean {
  return x1 - x0 > side && y1 - y0 > side;
}

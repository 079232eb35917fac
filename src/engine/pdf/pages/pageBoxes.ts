/**
 * Reads the boxes of the pages and nodes of one page tree. A box that many pages share is read once, and equal boxes of
 * consecutive pages become one object.
 */
import type { Objects } from "../objects/objects.ts";
import { unlessMalformed } from "../syntax/lexer.ts";
import { Reference } from "../syntax/values.ts";
import { areApart, type Box, displayedBox, readBox, trimmedBox } from "./boxes.ts";
import { LastText } from "./lastText.ts";
import { LONGEST_ENTRY, type PageAttributes, parseEntry, type Span } from "./pageAttributes.ts";
import type { Inherited } from "./treeNode.ts";

/** Reads the boxes of pages and nodes, and writes them as dictionary entries. */
export class PageBoxes {
  readonly #objects: Objects;
  /** Boxes that are separate objects, by object number. The value is null for an object that is not a box. */
  readonly #separate = new Map<number, Box | null>();
  /** The last direct box of each kind; null if the array is not a box. */
  readonly #mediaBoxes = new LastText<Box | null>();
  readonly #cropBoxes = new LastText<Box | null>();
  readonly #trimBoxes = new LastText<Box | null>();
  /** The last displayed box. Most pages have an equal box, and share this object. */
  #displayed: Box | undefined;
  /** The last trimmed box. */
  #trimmed: Box | undefined;
  /** The attributes of the previous page, and these attributes as dictionary entries. */
  #last = {
    mediaBox: undefined as Box | undefined,
    cropBox: undefined as Box | undefined,
    rotate: 0,
    userUnit: 1,
    entries: "",
  };

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /**
   * Reads the /MediaBox and the /CropBox of a page or node. A box that is missing or unreadable is inherited.
   * @param text the dictionary of the page or node
   * @throws MissingRange if bytes must be fetched first
   * @throws Malformed if an entry cannot be parsed
   */
  read(
    text: Uint8Array,
    { mediaBox, cropBox }: PageAttributes,
    inherited: Inherited,
  ): Pick<Inherited, "mediaBox" | "cropBox"> {
    return {
      mediaBox: this.#box(text, mediaBox, this.#mediaBoxes) ?? inherited.mediaBox,
      cropBox: this.#box(text, cropBox, this.#cropBoxes) ?? inherited.cropBox,
    };
  }

  /** Returns the displayed area of a page; see {@link displayedBox}. */
  displayed({ mediaBox, cropBox }: Inherited): Box {
    const box = displayedBox(mediaBox, cropBox);
    if (!isEqual(this.#displayed, box)) this.#displayed = box;
    return this.#displayed!;
  }

  /**
   * Returns the part of a displayed area that lies within the TrimBox. An unreadable TrimBox counts as missing.
   * @param span the value of /TrimBox in the text of the page
   * @throws MissingRange if bytes must be fetched first
   */
  trimmed(text: Uint8Array, span: Span | undefined, displayed: Box): Box | undefined {
    if (!span || span.end - span.start > LONGEST_ENTRY) return undefined;
    const box = unlessMalformed(() => trimmedBox(displayed, this.#box(text, span, this.#trimBoxes)), undefined);
    if (box && !isEqual(this.#trimmed, box)) this.#trimmed = box;
    return box && this.#trimmed;
  }

  /**
   * Returns the boxes, the rotation and the user unit of a page as dictionary entries. Replaces a missing MediaBox, and
   * a CropBox outside the MediaBox. Readers disagree on the displayed area of a page with such boxes.
   */
  entries(inherited: Inherited, displayed: Box, userUnit: number): string {
    const { mediaBox = displayed, cropBox, rotate } = inherited;
    const shown = cropBox && areApart(mediaBox, cropBox) ? displayed : cropBox;
    const last = this.#last;
    const isSame = isEqual(last.mediaBox, mediaBox) && isEqual(last.cropBox, shown);
    if (isSame && last.rotate === rotate && last.userUnit === userUnit) return last.entries;
    let entries = `/MediaBox${boxText(mediaBox)}`;
    if (shown) entries += `/CropBox${boxText(shown)}`;
    if (rotate !== 0) entries += `/Rotate ${rotate}`;
    if (userUnit !== 1) entries += `/UserUnit ${decimal(userUnit)}`;
    this.#last = { mediaBox, cropBox: shown, rotate, userUnit, entries };
    return entries;
  }

  /**
   * Reads a box. If the box is a separate object, it is read only once. A direct box is read only if it differs from
   * the last direct box of its kind.
   */
  #box(text: Uint8Array, span: Span | undefined, last: LastText<Box | null>): Box | undefined {
    if (!span) return undefined;
    const same = last.readAt(text, span.start);
    if (same !== undefined) return same ?? undefined;
    const value = parseEntry(text, span, this.#objects);
    if (!(value instanceof Reference)) {
      const box = readBox(this.#objects, value);
      if (Array.isArray(value)) last.put(text.subarray(span.start, span.end), box ?? null);
      return box;
    }
    const known = this.#separate.get(value.num);
    if (known !== undefined) return known ?? undefined;
    const box = readBox(this.#objects, value);
    this.#separate.set(value.num, box ?? null);
    return box;
  }
}

/** Returns a box as a PDF array. */
export function boxText({ x0, y0, x1, y1 }: Box): string {
  return `[${[x0, y0, x1, y1].map(decimal).join(" ")}]`;
}

function isEqual(a: Box | undefined, b: Box | undefined): boolean {
  return a === b || (a && b && a.x0 === b.x0 && a.y0 === b.y0 && a.x1 === b.x1 && a.y1 === b.y1) === true;
}

/**
 * Rounds a number to five decimals, the precision of readers. The rounded number can be written without an exponent.
 */
function decimal(value: number): number {
  return Number(value.toFixed(5));
}

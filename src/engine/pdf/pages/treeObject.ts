/** Reads pages and nodes of a page tree that are indirect objects. */
import { EngineError } from "../../errors.ts";
import type { Objects } from "../objects/objects.ts";
import { hasStream } from "../objects/streams.ts";
import { eachEntry, endOfWhite, isDictionary, Malformed, skipWhite, startsWith } from "../syntax/lexer.ts";
import { parseCharged, Reference } from "../syntax/values.ts";
import { endOfWellFormed } from "../syntax/wellFormed.ts";
import { type PageAttributes, scanPageAttributes } from "./pageAttributes.ts";
import type { Rewrite, Rewrites } from "./rewrite.ts";

/** The dictionary of an object that is a page or a page-tree node. */
export interface TreeObject {
  readonly rewrite: Rewrite;
  readonly attributes: PageAttributes;
}

/** Options of {@link readTreeObject}. */
export interface ReadOptions {
  /** Whether to balance the brackets of unreadable page-tree kids, and to omit unreadable content. */
  lenient: boolean;
  /** Returns whether readers may use a different definition of the object than the engine does. */
  isAmbiguous(num: number): boolean;
}

/**
 * Reads an object that may be a page or a page-tree node.
 * @returns the number of the referenced object if the object is only a reference; undefined for null and, if `lenient`,
 * for any other complete value
 * @throws Malformed for any other object that is not a readable dictionary, because it may have been a page
 * @throws EngineError damaged_pdf if the object is a stream. Some readers treat such a stream as a page, although it
 * may be the content of another page.
 */
export function readTreeObject(
  num: number,
  objects: Objects,
  rewrites: Rewrites,
  { lenient, isAmbiguous }: ReadOptions,
): TreeObject | number | undefined {
  if (isAmbiguous(num)) throw unreadablePage();
  const known = rewrites.get(num);
  if (known) {
    // The object was already read during an earlier visit.
    objects.source.meter.charge("rereadTreeObject", known.text.length);
    return isDictionary(known.text, 0) ? treeObject(known) : undefined;
  }
  try {
    return objects.at(num, (bytes, at): TreeObject | number | undefined => {
      if (!isDictionary(bytes, at)) {
        const end = endOfWellFormed(bytes, at);
        if (end < 0) throw new Malformed("a kid that is no value");
        const value = parseCharged(bytes, at, objects.source.meter);
        if (value instanceof Reference) return value.num;
        const isWhole = objects.table.isInFile(num)
          ? startsWith(bytes, skipWhite(bytes, end), "endobj")
          : endOfWhite(bytes, end, bytes.length) === bytes.length;
        if (value !== null && !(lenient && isWhole)) throw new Malformed("a kid that is no dictionary");
        return undefined;
      }
      const attributes = scanPageAttributes(bytes.subarray(at), 0);
      const isWellFormed = attributes.end >= 0;
      const end = isWellFormed ? at + attributes.end : eachEntry(bytes, at, () => {});
      objects.source.meter.charge("readTreeObject", end - at);
      if (isStream(bytes, end)) throw unreadablePage();
      if (!isWellFormed) return treeObject(rewrites.registerWellFormed(num, bytes, at));
      return { rewrite: rewrites.register(num, bytes, at, end), attributes };
    });
  } catch (error) {
    const isDamaged = lenient && error instanceof Malformed;
    const rewrite = isDamaged ? rewrites.registerBalanced(num) : undefined;
    if (!rewrite) throw error;
    return treeObject(rewrite);
  }
}

/** @throws EngineError damaged_pdf if the object is a stream */
function treeObject(rewrite: Rewrite): TreeObject {
  const { text } = rewrite;
  const attributes = scanPageAttributes(text, 0);
  if (isStream(text, attributes.end >= 0 ? attributes.end : eachEntry(text, 0, () => {}))) throw unreadablePage();
  return { rewrite, attributes };
}

/** Returns whether the dictionary that ends at `end` belongs to a stream. */
function isStream(bytes: Uint8Array, end: number): boolean {
  return end < bytes.length && hasStream(bytes, end);
}

/** Returns the error for a PDF with an unreadable object that may be a page. */
export function unreadablePage(): EngineError {
  return new EngineError(
    "damaged_pdf",
    "A possible page of the PDF cannot be read. Open the PDF in a PDF reader and save it again.",
  );
}

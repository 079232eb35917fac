/** Proves the plan of an output before the first byte of the output is produced. */
import type { PdfDocument } from "../document/pdfDocument.ts";
import type { Skeleton } from "./skeleton.ts";

/**
 * Proves that every page is written, and that its contents include the mark. The mark must be the last item of the
 * contents, or the first item if the mark is under the content.
 * @param isWritten returns whether the tail of the output has an object with this number
 * @throws Error if the proof fails. The engine then has a defect, and the plan must not be executed
 */
export function provePages(
  { pages, added, layer }: PdfDocument,
  { leaves }: Pick<Skeleton, "leaves">,
  isWritten: (num: number) => boolean,
): void {
  /** Texts of the new /Contents arrays. The key is the reference to the array. Built on first use. */
  let arrays: Map<string, string> | undefined;
  const arrayOf = (contents: string) => {
    if (!contents.endsWith(" 0 R")) return contents;
    arrays ??= new Map(added.map(({ num, object }) => [` ${num} 0 R`, typeof object === "string" ? object : ""]));
    return arrays.get(contents) ?? "";
  };

  /**
   * Caches, for each placement (references in PDF syntax), whether the tail of the output has all objects that it
   * references. Most pages have the same placement.
   */
  const known = new Map<string, boolean>();
  const isWhole = (placement: string) => {
    const isKnown = known.get(placement);
    if (isKnown !== undefined) return isKnown;
    const areWritten = Array.from(placement.matchAll(/(\d+) 0 R/g), numberOf).every(isWritten);
    known.set(placement, areWritten);
    return areWritten;
  };

  const isInPlace = (array: string, placement: string) =>
    layer === "under"
      ? array === `[${placement}]` || array.startsWith(`[${placement} `)
      : endsWithBoth(array, placement, "]");

  for (const [index, { overlay }] of pages.entries()) {
    const leaf = leaves[index];
    const isProved =
      overlay !== undefined &&
      leaf !== undefined &&
      isWritten(leaf.num) &&
      isWhole(overlay.placement) &&
      isInPlace(arrayOf(overlay.contents), overlay.placement) &&
      leaf.splices.some(({ insert }) => endsWithBoth(insert, "/Contents", overlay.contents));
    if (!isProved) throw new Error(`page ${index + 1} would be written without its mark`);
  }
}

/** Returns whether a text ends with `first` and then `second`. Creates no string, because every page is checked. */
function endsWithBoth(text: string, first: string, second: string): boolean {
  return text.endsWith(second) && text.endsWith(first, text.length - second.length);
}

function numberOf([, digits]: RegExpMatchArray): number {
  return Number(digits);
}

/** Proves the plan of an output before any of it is made. */
import type { PdfDocument } from "../document/pdfDocument.ts";
import type { Rewrite } from "../pages/rewrite.ts";

/**
 * Proves that every page is written again with the mark as the last of its contents.
 * @param isWritten returns whether the tail of the output has an object of this number
 * @throws Error if a page is not, which is a defect of the engine: such a plan must never be carried out
 */
export function provePages({ pages, added }: PdfDocument, isWritten: (num: number) => boolean): void {
  /** Texts of the new arrays of contents by their references; made when first needed. */
  let arrays: Map<string, string> | undefined;
  const arrayNamedBy = (insert: string) => {
    if (!insert.endsWith(" 0 R")) return undefined;
    arrays ??= new Map(added.map(({ num, object }) => [`${num} 0 R`, typeof object === "string" ? object : ""]));
    return arrays.get(/\d+ 0 R$/.exec(insert)?.[0] ?? "");
  };

  /** Whether all objects of a placement are written: most pages have the same one. */
  const known = new Map<string, boolean>();
  const isWhole = (placement: string) => {
    const isKnown = known.get(placement) ?? Array.from(placement.matchAll(/(\d+) 0 R/g), numberOf).every(isWritten);
    known.set(placement, isKnown);
    return isKnown;
  };

  /** Number of splices of each object that have been checked. The splices of its pages are in page order. */
  const reached = new Map<Rewrite, number>();
  const isPlaced = (rewrite: Rewrite, placement: string) => {
    const { splices } = rewrite;
    const end = `${placement}]`;
    for (let at = reached.get(rewrite) ?? 0; at < splices.length; at++) {
      const { insert } = splices[at]!;
      if (!insert.endsWith(end) && !arrayNamedBy(insert)?.endsWith(end)) continue;
      reached.set(rewrite, at + 1);
      return true;
    }
    return false;
  };

  for (const { placement, rewrite, repeated, index } of pages) {
    if (repeated) continue;
    const isProved =
      placement !== undefined && isWritten(rewrite.num) && isWhole(placement) && isPlaced(rewrite, placement);
    if (!isProved) throw new Error(`page ${index + 1} would be written without its mark`);
  }
}

function numberOf([, digits]: RegExpMatchArray): number {
  return Number(digits);
}

/** Laying form XObjects over every page without touching, or even decoding, what the pages have already. */
import { deflateSync } from "node:zlib";
import type { PdfDocument } from "./document.ts";
import type { Ref } from "./newObject.ts";
import type { Page, PageEntry } from "./pageTree.ts";
import type { NameSlot } from "./resources.ts";

/**
 * How much of a page's unbalanced state the guards absorb. The opening guard saves the initial state this many times and
 * opens this many marked-content sequences; the closing guard undoes them. Content that leaves fewer `q` (or `BMC`) open
 * than that ends on one of the saved initial states all the same; content that closes more than it opened meets the spare
 * ones; balanced content stays exactly balanced. 12 saved states leave content 16 of the 28 that ISO 32000-1, Annex C
 * allows for.
 */
const SAVED_STATES = 12;
const OPEN_SEQUENCES = 4;

const OPENING = `${"/Span BMC ".repeat(OPEN_SEQUENCES)}${"q ".repeat(SAVED_STATES)}\n`;
/** `n` drops a path that was never painted; `BT ET` ends a text object that was left open and is nothing where none was. */
const CLOSING = `\nn BT ET ${"Q ".repeat(SAVED_STATES)}${"EMC ".repeat(OPEN_SEQUENCES)}\n`;

/**
 * Lays form XObjects over every page, as artifacts (ISO 32000-2, 14.8.2.2) in the page's initial graphics state. `content`
 * returns the operators that place them, in the page's user space; `names` are what they are called there, in the order of
 * `xobjects`. Pages with equal operators share one stream. To be called once for a document.
 */
export function overlay(
  document: PdfDocument,
  xobjects: readonly Ref[],
  content: (page: Page, names: readonly string[]) => string,
): void {
  const encoder = new TextEncoder();
  const opening = document.add({ dict: "/Filter/FlateDecode", data: deflateSync(OPENING) });
  const placements = new Map<string, Ref>();
  /** New /Contents arrays for pages that shared one already, by the old one's number and the placement. */
  const arrays = new Map<string, Ref>();

  for (const page of document.pages) {
    if (page.repeated) continue;
    const operators = content(page, fill(page.slot, xobjects));
    let placement = placements.get(operators);
    if (placement === undefined) {
      const text = `${CLOSING}/Artifact<</Type/Pagination/Subtype/Watermark>>BDC\n${operators}\nEMC\n`;
      placement = document.add({ dict: "", data: encoder.encode(text) });
      placements.set(operators, placement);
    }

    const { items, shared } = page.contents;
    if (shared === undefined) {
      replaceContents(page, `[${opening} ${items} ${placement}]`);
      continue;
    }
    const key = `${shared} ${placement}`;
    let array = arrays.get(key);
    if (array === undefined) {
      array = document.add(`[${opening} ${items} ${placement}]`);
      arrays.set(key, array);
    }
    replaceContents(page, ` ${array}`);
  }
}

/** Puts the XObjects into the page's dictionary of them, unless an earlier page that shares it has; returns their names. */
function fill(slot: NameSlot, xobjects: readonly Ref[]): string[] {
  const names = xobjects.map((_, index) => `${slot.prefix}${index}`);
  if (slot.filled) return names;
  slot.filled = true;
  const { start, end } = slot.place;
  const [before, after] = slot.around;
  const entries = names.map((name, index) => `/${name} ${xobjects[index]}`).join("");
  slot.rewrite.splices.push({ at: start, remove: end - start, insert: before + entries + after });
  return names;
}

function replaceContents({ rewrite, start, contentsSpan, overridden }: PageEntry, value: string): void {
  if (contentsSpan)
    rewrite.splices.push({ at: contentsSpan.start, remove: contentsSpan.end - contentsSpan.start, insert: value });
  else rewrite.splices.push({ at: start, remove: 0, insert: `/Contents${value}` });
  for (const { start: at, end } of overridden ?? []) rewrite.splices.push({ at, remove: end - at, insert: "" });
}

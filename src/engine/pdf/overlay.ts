/** Lays form XObjects over every page without changing, or even decoding, the existing content streams. */
import { encodeLatin1 } from "../bytes.ts";
import type { PdfDocument } from "./document.ts";
import { guardsFor } from "./guards.ts";
import { limitOutput } from "./meter.ts";
import type { Ref } from "./newObject.ts";
import type { Page, PageTarget } from "./pageTree.ts";
import type { NameSlot } from "./resources.ts";
import type { Rewrite } from "./rewrite.ts";

/**
/** What it takes to lay something over a page, see Meter.spend. */
const PAGE_WORK = 1024;

/**
 * Lays form XObjects over every page, as artifacts (ISO 32000-2, 14.8.2.2) in the page's initial graphics state. Pages
 * with equal operators share one content stream. Must be called only once per document.
 * @param content returns the operators that place the XObjects, in the page's user space; `names` are their resource
 * names on that page, in the order of `xobjects`
 */
export async function overlay(
  document: PdfDocument,
  xobjects: readonly Ref[],
  content: (page: Page, names: readonly string[]) => string,
): Promise<void> {
  const { meter } = document.objects.source;
  const guards = guardsFor(document.pdfa);
  const [opening, closing] = [document.add(guards.opening), document.add(guards.closing)];
  /** Closing and placement, by the operators of the placement. */
  const placements = new Map<string, string>();
  /** New /Contents arrays of pages that shared an array before, by its object number and the placement. */
  const arrays = new Map<string, Ref>();
  const entries = new Map<string, string>();
  let copied = 0;

  for (const page of document.pages) {
    const { target, rewrite } = page;
    if (page.repeated || !target) continue;
    meter.spend(PAGE_WORK);
    if (meter.isTurnOver) await meter.giveWay();
    page.target = undefined;
    const operators = content(page, fill(target.slot, xobjects, entries));
    let placement = placements.get(operators);
    if (placement === undefined) {
      const text = `/Artifact<</Type/Pagination/Subtype/Watermark>>BDC\n${operators}\nEMC ${guards.ending}`;
      const stream = document.add({ dict: "", data: encodeLatin1(text) });
      placement = [closing, stream].join(" ");
      placements.set(operators, placement);
    }

    page.placement = placement;
    const { items, shared } = target.contents;
    if (shared === undefined) {
      replaceContents(rewrite, target, arrayOf(opening, items, placement));
      continue;
    }
    const key = `${shared} ${placement}`;
    let array = arrays.get(key);
    if (array === undefined) {
      copied += items.length;
      limitOutput(copied, document.pages.length);
      array = document.add(arrayOf(opening, items, placement));
      arrays.set(key, array);
    }
    replaceContents(rewrite, target, ` ${array}`);
  }
}

/** Builds an array with join: a template would keep a tree of its parts in memory, for every page. */
function arrayOf(...items: string[]): string {
  return ["[", items.join(" "), "]"].join("");
}

/**
 * Adds the XObjects to the page's XObject dictionary, unless an earlier page that shares it has; returns their names.
 * @param known entries written so far, to share equal strings: most pages get the same
 */
function fill(slot: NameSlot, xobjects: readonly Ref[], known: Map<string, string>): string[] {
  const names = xobjects.map((_, index) => `${slot.prefix}${index}`);
  if (slot.filled) return names;
  slot.filled = true;
  const { start, end } = slot.place;
  const [before, after] = slot.around;
  const entries = before + names.map((name, index) => `/${name} ${xobjects[index]}`).join("") + after;
  const insert = known.get(entries) ?? entries;
  known.set(insert, insert);
  slot.rewrite.splice({ at: start, remove: end - start, insert });
  return names;
}

function replaceContents(rewrite: Rewrite, { start, contentsSpan, dropped }: PageTarget, value: string): void {
  if (contentsSpan)
    rewrite.splice({ at: contentsSpan.start, remove: contentsSpan.end - contentsSpan.start, insert: value });
  else rewrite.splice({ at: start, remove: 0, insert: `/Contents${value}` });
  for (const { start: at, end } of dropped ?? []) rewrite.splice({ at, remove: end - at, insert: "" });
}

/** The nodes of a page tree as they are found, and what the tree comes to once all of it has been. */
import { EngineError } from "../../errors.ts";
import type { XrefTable } from "../objects/xrefTable.ts";
import { type Meter, runYielding } from "../source/meter.ts";
import { parseValue } from "../syntax/values.ts";
import type { Box, Rotation } from "./boxes.ts";
import { type KidsArray, registerCount, registerKids, type TreeDictionary } from "./normalize.ts";
import type { PageEntry } from "./page.ts";
import type { Span } from "./pageAttributes.ts";
import type { NameSlot } from "./resources.ts";
import type { Rewrite } from "./rewrite.ts";
import { unreadablePage } from "./treeObject.ts";

/** Attributes that pages inherit from the nodes above them. */
export interface Inherited {
  mediaBox: Box | undefined;
  cropBox: Box | undefined;
  rotate: Rotation;
  /** The slot is looked up only once, when a page needs it. It is null if it does not exist. */
  resources: { holder: Rewrite; span: Span; slot: NameSlot | null | undefined } | undefined;
}

/** A node of the tree, and what has been found below it. Nodes that have the same array are one. */
export interface TreeNode extends KidsArray {
  /**
   * Each kid in order: null if it is not a page, undefined if it has not been visited yet. Once the node is settled,
   * only kids that lead to pages.
   */
  found: (PageEntry | TreeNode | null | undefined)[];
  /** The next kid to visit. */
  next: number;
  /** Number of the object that its kids have for their /Parent: itself, or the next node above; 0 if none is one. */
  readonly num: number;
  /** Attributes that the kids inherit. */
  readonly inherited: Inherited;
  /** Depth of direct dictionaries within one object. */
  readonly nesting: number;
  /** The dictionaries with this array: several if the array is a separate object. */
  readonly dictionaries: TreeDictionary[];
  /** Number of pages below the node, once it is settled. */
  count: number | undefined;
  /** Minimum number of pages: its /Count if the node was damaged, because some of its kids may be lost. */
  readonly leastPages: number;
}

/**
 * Settles the tree below `top`, once all kids have been visited: has nodes list nothing else than what has been found, and
 * count it. Must be called once.
 * @returns the pages in the order of the tree
 * @throws EngineError `too_many_pages` or `too_complex`, as a node may be listed many times; `damaged_pdf` if some
 * pages may be lost
 */
export async function settledPages(
  top: TreeNode,
  table: XrefTable,
  maxPages: number,
  meter: Meter,
): Promise<PageEntry[]> {
  await settle(top, table, meter);
  if (top.count! > maxPages) throw tooManyPages(maxPages);
  const pages: PageEntry[] = [];
  const listed = new Set<PageEntry>();
  const path = [{ node: top, next: 0 }];
  await runYielding(meter, () => {
    const at = path.at(-1);
    if (!at) return false;
    const found = at.node.found[at.next++];
    if (!found) {
      path.pop();
      return true;
    }
    meter.charge("visitTreeObject");
    if ("kids" in found) path.push({ node: found, next: 0 });
    else if (listed.has(found)) pages.push({ ...found, index: pages.length, repeated: true });
    else {
      found.index = pages.length;
      listed.add(found);
      pages.push(found);
    }
    return true;
  });
  return pages;
}

/** Counts the pages of each node, from the bottom up; a node does not list one that is above it. */
async function settle(top: TreeNode, table: XrefTable, meter: Meter): Promise<void> {
  const above = new Set([top]);
  const path = [{ node: top, next: 0, count: 0 }];
  await runYielding(meter, () => {
    const at = path.at(-1);
    if (!at) return false;
    const { node } = at;
    if (at.next === node.kids.length) {
      if (at.count < node.leastPages) throw unreadablePage();
      node.count = at.count;
      registerListing(node, table);
      meter.charge("settleKid", 1 + node.kids.length);
      above.delete(node);
      path.pop();
      const upper = path.at(-1);
      if (upper) upper.count += at.count;
      return true;
    }
    const found = node.found[at.next];
    if (found === undefined) throw new Error("a kid has not been visited");
    if (found !== null && "kids" in found) {
      if (above.has(found)) {
        // Readers that come to the array by another dictionary go through it once more.
        if (found.dictionaries.length > 1) throw unreadablePage();
        node.found[at.next] = null;
      } else if (found.count === undefined) {
        above.add(found);
        path.push({ node: found, next: 0, count: 0 });
      } else at.count += found.count;
    } else if (found !== null) at.count++;
    at.next++;
    return true;
  });
}

/** Has a node say what it lists, and how many pages. */
function registerListing(node: TreeNode, table: XrefTable): void {
  const { dictionaries, kids, found, count } = node;
  const isListed = (index: number) => found[index] !== null;
  const isDirect = (index: number) => kids.offsetAt(index) !== undefined;
  for (let index = 0; node.isPlain && index < kids.length; index++)
    node.isPlain = isListed(index) && (isDirect(index) || table.generationOf(kids.numberAt(index)!) === 0);
  node.isPlain &&= found.every((kid) => !kid || !("kids" in kid) || (kid.isPlain && kid.count! > 0));
  // A wrong /Count of a tree that is plain otherwise stays: readers show as many pages as they did, if blank ones.
  for (const dictionary of dictionaries)
    if (!(node.isPlain && mayCount(dictionary, table.largest))) registerCount(dictionary, count!);
  if (dictionaries.length > 0 && !node.isPlain) registerKids(node, table, isListed);
  node.found = found.filter((kid) => kid && !("kids" in kid && kid.count === 0));
}

/** Returns whether readers show pages by a node's /Count: none at 0, and MuPDF none if the file has not as many objects. */
function mayCount({ holder, attributes: { count } }: TreeDictionary, largest: number): boolean {
  const value = count ? parseValue(holder.text, count.start) : null;
  return typeof value === "number" && value > 0 && value <= largest;
}

/** Returns the error for a PDF with more than `maxPages` pages. */
export function tooManyPages(maxPages: number): EngineError {
  return new EngineError("too_many_pages", `The PDF has more than ${maxPages} pages.`);
}

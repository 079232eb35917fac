/** Defines the nodes of a page tree, and lists its pages. */
import { EngineError } from "../../errors.ts";
import { type Meter, runYielding } from "../source/meter.ts";
import type { Box, Rotation } from "./boxes.ts";
import type { KidList } from "./kids.ts";
import type { PageEntry } from "./page.ts";
import type { Span } from "./pageAttributes.ts";
import type { PageResources } from "./resources.ts";
import type { Rewrite } from "./rewrite.ts";
import { unreadablePage } from "./treeObject.ts";

/** Attributes that pages inherit from the nodes above them. */
export interface Inherited {
  mediaBox: Box | undefined;
  cropBox: Box | undefined;
  rotate: Rotation;
  /**
   * Resources of the nearest node that has an entry /Resources. `found` is undefined until a page needs the resources,
   * and null if they are unusable.
   */
  resources: { holder: Rewrite; span: Span; found: PageResources | null | undefined } | undefined;
}

/** The /Kids array of a page-tree node. */
export interface KidsArray {
  readonly kids: KidList;
  /** The object that contains the array, and therefore also the kids that are direct dictionaries. */
  readonly holder: Rewrite;
}

/**
 * A node of the page tree, and the pages and nodes that were found below it. Nodes that refer to the same /Kids array
 * share one instance.
 */
export interface TreeNode extends KidsArray {
  /**
   * The result for each kid, in order. The result is null for a kid that is neither a page nor a node. The result is
   * undefined until the kid has been visited.
   */
  readonly found: (PageEntry | TreeNode | null | undefined)[];
  /** Index of the next kid to visit. */
  next: number;
  /** Attributes that the kids inherit. */
  readonly inherited: Inherited;
  /** Depth at which the node's dictionary is nested in an object; 0 if the dictionary is the object itself. */
  readonly nesting: number;
  /**
   * Number of node dictionaries that refer to this /Kids array. The number can exceed 1 if the array is a separate
   * object.
   */
  dictionaries: number;
  /** Number of pages below the node. Undefined until the pages have been counted. */
  count: number | undefined;
  /** The /Count of a node of a damaged file; 0 if the count is unknown. */
  readonly stated: number;
  /**
   * Minimum number of pages that must be found below the node. If the node or a kid was damaged, the minimum is
   * `stated`, because pages may be lost. Otherwise it is 0.
   */
  leastPages: number;
}

/**
 * Lists the pages below `top` in tree order. Call this function after all kids have been visited. A page that the tree
 * lists twice counts as two pages. `isCyclic` is true if a node lists itself or an ancestor.
 * @throws EngineError `too_many_pages` or `too_complex` if the list is too long, since a node may be listed many times;
 * `damaged_pdf` if pages may be lost
 */
export async function listPages(
  top: TreeNode,
  maxPages: number,
  meter: Meter,
): Promise<{ pages: PageEntry[]; isCyclic: boolean }> {
  const isCyclic = await countPages(top, meter);
  if (top.count! > maxPages) throw tooManyPages(maxPages);
  const pages: PageEntry[] = [];
  const listed = new Set<PageEntry>();
  const path = [{ node: top, next: 0 }];
  await runYielding(meter, () => {
    const at = path.at(-1);
    if (!at) return false;
    if (at.next === at.node.found.length) {
      path.pop();
      return true;
    }
    const found = at.node.found[at.next++];
    meter.charge("visitTreeObject");
    if (!found) return true;
    if ("kids" in found) {
      if (found.count! > 0) path.push({ node: found, next: 0 });
    } else if (listed.has(found)) pages.push({ ...found, index: pages.length, repeated: true });
    else {
      found.index = pages.length;
      listed.add(found);
      pages.push(found);
    }
    return true;
  });
  return { pages, isCyclic };
}

/**
 * Counts the pages of each node from the bottom up. Removes each kid that is its node or an ancestor of its node.
 * Returns whether a kid was removed.
 */
async function countPages(top: TreeNode, meter: Meter): Promise<boolean> {
  let isCyclic = false;
  const above = new Set([top]);
  const path = [{ node: top, next: 0, count: 0 }];
  await runYielding(meter, () => {
    const at = path.at(-1);
    if (!at) return false;
    const { node } = at;
    if (at.next === node.kids.length) {
      if (at.count < node.leastPages) throw unreadablePage();
      node.count = at.count;
      meter.charge("countKid", 1 + node.kids.length);
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
        // If a reader reaches the /Kids array through another dictionary, the reader visits the kids of the array
        // again.
        if (found.dictionaries > 1) throw unreadablePage();
        node.found[at.next] = null;
        isCyclic = true;
      } else if (found.count === undefined) {
        above.add(found);
        path.push({ node: found, next: 0, count: 0 });
      } else at.count += found.count;
    } else if (found !== null) at.count++;
    at.next++;
    return true;
  });
  return isCyclic;
}

/** Returns the error for a PDF with more than `maxPages` pages. */
export function tooManyPages(maxPages: number): EngineError {
  return new EngineError("too_many_pages", `The PDF has more than ${maxPages} pages. Split the PDF.`);
}

/**
 * Writes the skeleton of the output: the catalog, the nodes of the page tree and the page dictionaries (ISO 32000-2,
 * 7.7.2 and 7.7.3). The source's page tree is not copied, because readers inherit attributes and repair trees in
 * different ways. Each page dictionary of the output states all attributes of the page. A page that the source lists
 * twice becomes two objects.
 */
import type { PdfDocument } from "../document/pdfDocument.ts";
import type { Rewrite, Splice } from "../pages/rewrite.ts";
import { forEachYielding } from "../source/meter.ts";
import { eachEntry, readName } from "../syntax/lexer.ts";
import { Reference } from "../syntax/values.ts";
import type { Blending } from "./blending.ts";

/** Maximum number of kids of a page-tree node. MuPDF needs quadratic time for the kids of one node. */
const MOST_KIDS = 64;

/** The objects of the skeleton, in the order of the output. */
export interface Skeleton {
  /** The page dictionaries, in reading order. */
  readonly leaves: readonly Rewrite[];
  /** The nodes of the page tree. The root is the last node. */
  readonly nodes: readonly { readonly num: number; readonly text: string }[];
  readonly catalog: Rewrite;
}

/** Writes the skeleton of a document whose pages are marked. Must be called only once for each document. */
export async function writeSkeleton(document: PdfDocument, blending: Blending): Promise<Skeleton> {
  const { pages, numbers, objects } = document;
  const tree = new TreeNumbers(pages.length, () => numbers.take());
  const leaves = pages.map(({ rewrite, repeated }) => (repeated ? copyOf(rewrite) : rewrite));
  const references: string[] = [];
  await forEachYielding(objects.source.meter, leaves.entries(), ([index, leaf]) => {
    const { attributes, resources, overlay, cuts, addedAnnotations } = pages[index]!;
    const shared = resources.shared ? `/Resources ${document.referenceTo(resources.shared)}` : "";
    const entries = `/Parent ${tree.parentOf(index)} 0 R${attributes}${shared}/Contents${overlay?.contents}`;
    references.push(document.referenceTo(leaf));
    const splices = cuts.map(({ start, end }): Splice => ({ at: start, remove: end - start, insert: "" }));
    splices[0] ??= { at: 2, remove: 0, insert: "" };
    splices[0].insert = `/Type/Page${entries}`;
    blending.addGroup(pages[index]!, splices[0]);
    if (addedAnnotations) splices.push(addedAnnotations);
    leaf.spliceAll(splices);
  });
  const nodes = tree.nodes(references);
  return { leaves, nodes, catalog: writeCatalog(document, nodes.at(-1)!.num) };
}

/**
 * Returns a copy of a page dictionary for a page that the source lists more than once. The copy omits the page's
 * entries for the logical structure (ISO 32000-2, 14.7.5.4) and for article threads (12.4.3). These entries refer to
 * the first listing.
 */
function copyOf(page: Rewrite): Rewrite {
  const { text, splices } = page;
  const copy = page.part(0, text.length);
  for (const splice of splices) copy.splice(splice);
  eachEntry(text, 0, (key, keyEnd, _, end) => {
    const name = readName(text, key, keyEnd);
    if (name === "StructParents" || name === "B") copy.splice({ at: key, remove: end - key, insert: "" });
  });
  return copy;
}

/** Makes the catalog refer to the new root of the page tree. */
function writeCatalog({ trailer, rewrites }: PdfDocument, root: number): Rewrite {
  const reference = trailer.get("Root");
  const catalog = reference instanceof Reference ? rewrites.get(reference.num) : undefined;
  if (!catalog) throw new Error("the catalog has not been read");
  const cuts: Splice[] = [];
  eachEntry(catalog.text, 0, (key, keyEnd, _, end) => {
    const name = readName(catalog.text, key, keyEnd);
    if (name === "Type" || name === "Pages") cuts.push({ at: key, remove: end - key, insert: "" });
  });
  for (const cut of cuts) catalog.splice(cut);
  catalog.splice({ at: 2, remove: 0, insert: `/Type/Catalog/Pages ${root} 0 R` });
  return catalog;
}

/** Object numbers for the nodes of a balanced tree, allocated before the nodes are written. */
class TreeNumbers {
  /** The numbers of the nodes by level, from the lowest level to the root. */
  readonly #levels: number[][] = [];

  constructor(leaves: number, take: () => number) {
    let count = leaves;
    do {
      count = Math.ceil(count / MOST_KIDS);
      this.#levels.push(Array.from({ length: count }, take));
    } while (count > 1);
  }

  /** Returns the number of the node that lists the leaf with index `leaf`. */
  parentOf(leaf: number): number {
    return this.#levels[0]![Math.floor(leaf / MOST_KIDS)]!;
  }

  /**
   * Returns the nodes. The root is the last node.
   * @param leaves the references to the leaves
   */
  nodes(leaves: readonly string[]): { num: number; text: string }[] {
    let kids = leaves;
    let pagesPerKid = 1;
    return this.#levels.flatMap((numbers, level) => {
      const above = this.#levels[level + 1];
      const nodes = numbers.map((num, index) => {
        const own = kids.slice(index * MOST_KIDS, (index + 1) * MOST_KIDS);
        const first = index * MOST_KIDS * pagesPerKid;
        const count = Math.min(leaves.length - first, MOST_KIDS * pagesPerKid);
        const parent = above ? `/Parent ${above[Math.floor(index / MOST_KIDS)]} 0 R` : "";
        return { num, text: `<</Type/Pages${parent}/Count ${count}/Kids[${own.join(" ")}]>>` };
      });
      kids = numbers.map((num) => `${num} 0 R`);
      pagesPerKid *= MOST_KIDS;
      return nodes;
    });
  }
}

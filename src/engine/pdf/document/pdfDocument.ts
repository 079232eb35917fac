/** An open document: the facts that were read from the file, and the changes to make. */
import type { ObjectNumbers } from "../objects/objectNumbers.ts";
import type { Objects } from "../objects/objects.ts";
import type { Box } from "../pages/boxes.ts";
import type { PageEntry } from "../pages/page.ts";
import type { PageContent } from "../pages/pageContent.ts";
import type { Rewrite, Rewrites } from "../pages/rewrite.ts";
import type { Dictionary } from "../syntax/values.ts";
import type { Xref } from "../xref/xref.ts";
import type { Layer } from "./layers.ts";
import type { NewObject, Ref } from "./newObject.ts";
import type { Feature, Pdfa } from "./pdfa.ts";
import type { Press } from "./pdfx.ts";

/** How the output begins. */
export interface OutputStart {
  /** Offset of the first source byte that is copied. */
  readonly from: number;
  /** Header to write before the copied bytes; empty if they already begin with a header. */
  readonly newHeader: string;
  /** Difference between an offset in the output and the same offset in the source. */
  readonly shift: number;
}

/** Page content that has not been read yet. */
export interface UncheckedContent {
  /** The facts about the content. The copying pass completes them. */
  readonly content: PageContent;
  /** References to the content streams. */
  readonly items: string;
  /** Whether the content is part of the document's logical structure. */
  readonly isTagged: boolean;
  /** Bit set of the resource categories that the page has, see categoriesOf. */
  readonly categories: number;
}

/** The location of the mark on a page. */
interface PlacedMark {
  /** Index of the page. */
  readonly index: number;
  /** Sample points, evenly distributed over the mark's box, in user space. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Boxes in user space in which annotations hide the mark. */
  readonly hidden: readonly Box[];
}

/** Facts about a file that `openPdf` has read. */
export interface ReadDocument {
  readonly xref: Xref;
  /** The newest trailer, completed from older ones where needed. */
  readonly trailer: Dictionary;
  /** The entries of the catalog that the engine needs. */
  readonly catalog: Dictionary;
  /** The first half of the source's /ID. */
  readonly fileId: Uint8Array | undefined;
  readonly objects: Objects;
  /** Objects of the source that the output contains in changed form. */
  readonly rewrites: Rewrites;
  /** Pages in reading order. */
  readonly pages: readonly PageEntry[];
  /**
   * Numbers of the objects that form the source's page tree: its nodes and their arrays of kids. The output does not
   * contain these objects.
   */
  readonly treeNumbers: ReadonlySet<number>;
  /** Allocates the numbers of new objects. */
  readonly numbers: ObjectNumbers;
  readonly start: OutputStart;
  /**
   * Numbers of the content objects that have not been read yet, and that the copying pass must check, see ContentCheck.
   */
  readonly deferred: ReadonlySet<number>;
  /**
   * The content of the pages whose syntax has not been checked yet, and that the copying pass must check, see
   * SyntaxCheck.
   */
  readonly unchecked: readonly UncheckedContent[];
  /** End offset of the data of each content stream, by the offset of its object. */
  readonly contentEnds: ReadonlyMap<number, number>;
  /** Whether private data or unmarked pages have been removed from the pages or the catalog. */
  readonly hasPrivateData: boolean;
  /** Whether marking breaks a signature. */
  readonly signed: boolean;
  /** Whether readers show the document's attachments before its pages. Attachments are not marked. */
  readonly isPortfolio: boolean;
  /** Whether the document is an XFA form whose XML has been removed. */
  readonly isXfaRemoved: boolean;
  /** Whether the file was damaged, so that readers may show it differently. */
  readonly isRepaired: boolean;
  /** Whether the file lists pages that are not among `pages`, because they are missing or unreadable. */
  readonly missesPages: boolean;
  /** The catalog's /Lang, which may be an invalid language tag. */
  readonly language: string | undefined;
  /** The claim to conform to PDF/A, if the file makes one. */
  readonly pdfa: Pdfa | undefined;
  /** Facts that show whether the document is made for print. */
  readonly press: Press;
  /** Device color spaces that new objects may use, see ObjectSink. */
  readonly deviceColors: ReadonlySet<number>;
  /** Whether all checks were made before the copying pass, see PlanOutdated. */
  readonly thorough: boolean;
}

/** An open document and the changes to make to it: the input of `planOutput`. Implements ObjectSink. */
export interface PdfDocument extends ReadDocument {
  /** Where the mark is drawn. */
  layer: Layer;
  /** Features that the new objects use. */
  readonly uses: Set<Feature>;
  /** Locations of the mark, in page order, on the pages on which something may cover it. */
  readonly placed: PlacedMark[];
  /** New objects, in the order in which they were added. */
  readonly added: { num: number; object: NewObject }[];
  /** Adds an object to the output and returns the reference to it. */
  add(object: NewObject): Ref;
  /** Returns the reference to an object of the source. A part of an object becomes a separate object. */
  referenceTo(rewrite: Rewrite): Ref;
}

/** Returns an open document without changes. */
export function documentOf(facts: ReadDocument): PdfDocument {
  const added: PdfDocument["added"] = [];
  return {
    ...facts,
    layer: "over",
    uses: new Set(),
    placed: [],
    added,
    add(object) {
      const num = facts.numbers.take();
      added.push({ num, object });
      return `${num} 0 R` as Ref;
    },
    referenceTo(rewrite) {
      if (rewrite.num === 0) {
        rewrite.num = facts.numbers.take();
        rewrite.rewriteUnchanged();
        facts.rewrites.add(rewrite);
      }
      return `${rewrite.num} ${facts.objects.table.generationOf(rewrite.num)} R` as Ref;
    },
  };
}

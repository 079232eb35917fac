/** Defines an open document: the facts that were read from the file, and the changes to make. */
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

/** The beginning of the output. */
export interface OutputStart {
  /** Offset of the first source byte that is copied. */
  readonly from: number;
  /** Header to write before the copied bytes. Empty if the copied bytes begin with a header. */
  readonly newHeader: string;
  /** Number to add to an offset in the source to get the offset of the same byte in the output. */
  readonly shift: number;
}

/** Page content that has not been read yet. */
export interface UncheckedContent {
  /** Facts about the content. They are completed while the source is copied. */
  readonly content: PageContent;
  /** References to the content streams. */
  readonly items: string;
  /** The displayed area of the page. */
  readonly box: Box;
  /** Whether the content is part of the document's logical structure. */
  readonly isTagged: boolean;
  /** Bit set of the page's resource categories that may have names; see ResourceCategories. */
  readonly categories: number;
}

/** The location of the mark on a page. */
interface PlacedMark {
  /** Index of the page. */
  readonly index: number;
  /** Sample points, evenly distributed over the mark's box, in user space. */
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** Boxes in user space in which annotations hide the mark. */
  readonly hidden: readonly Box[];
}

/** Facts about a file that `openPdf` has read. */
export interface ReadDocument {
  readonly xref: Xref;
  /** The newest trailer, with missing entries taken from older trailers where needed. */
  readonly trailer: Dictionary;
  /** The entries of the catalog that the engine needs. */
  readonly catalog: Dictionary;
  /** The first half of the source's /ID; undefined if the source has no readable /ID. */
  readonly fileId: Uint8Array | undefined;
  readonly objects: Objects;
  /** Objects of the source that the output contains in a changed form. */
  readonly rewrites: Rewrites;
  /** Pages in reading order. */
  readonly pages: readonly PageEntry[];
  /**
   * Numbers of the objects that form the source's page tree: the tree's nodes and their /Kids arrays. The output
   * contains such an object only if it also serves as another object.
   */
  readonly treeNumbers: ReadonlySet<number>;
  /** Allocates the numbers of new objects. */
  readonly numbers: ObjectNumbers;
  readonly start: OutputStart;
  /**
   * Numbers of the content objects that have not been read yet. They must be checked while the source is copied; see
   * ContentCheck.
   */
  readonly deferred: ReadonlySet<number>;
  /**
   * Page content whose syntax has not been checked yet. The syntax must be checked while the source is copied; see
   * SyntaxCheck.
   */
  readonly unchecked: readonly UncheckedContent[];
  /** End offset of the data of each content stream. The key is the offset of the stream's object. */
  readonly contentEnds: ReadonlyMap<number, number>;
  /** Whether private data or unmarked pages have been removed from the pages or the catalog. */
  readonly hasPrivateData: boolean;
  /** Whether marking breaks a signature. */
  readonly signed: boolean;
  /** Whether readers show the document's attachments before its pages. Attachments are not marked. */
  readonly isPortfolio: boolean;
  /** Whether the document is an XFA form whose XML has been removed. */
  readonly isXfaRemoved: boolean;
  /** Whether the file was damaged, so that readers may show it in different ways. */
  readonly isRepaired: boolean;
  /**
   * Whether the file lists pages that are not among `pages`, because they are missing or unreadable, or because a node
   * of the page tree contains itself.
   */
  readonly missesPages: boolean;
  /** The catalog's /Lang, which may be an invalid language tag. */
  readonly language: string | undefined;
  /** The file's claim to conform to PDF/A; undefined if the file makes no claim. */
  readonly pdfa: Pdfa | undefined;
  /** Whether the file may claim to be PDF/UA. */
  readonly mayBePdfua: boolean;
  /** Facts that show whether the document is made for print. */
  readonly press: Press;
  /** Device color spaces that new objects may use; see ObjectSink. */
  readonly deviceColors: ReadonlySet<number>;
  /** Whether all checks were made before the source is copied; see PlanOutdated. */
  readonly thorough: boolean;
}

/** An open document and the changes to make to it: the input of `planOutput`. The interface includes ObjectSink. */
export interface PdfDocument extends ReadDocument {
  /** Layer in which the mark is drawn. */
  layer: Layer;
  /** Whether the mark looks different on pages with a dark background. */
  adaptsToDark: boolean;
  /** Features that the new objects use. */
  readonly uses: Set<Feature>;
  /** Locations of the mark, in page order. Contains only pages on which something may cover the mark. */
  readonly placed: PlacedMark[];
  /** New objects, in the order in which they were added. */
  readonly added: { num: number; object: NewObject }[];
  /** Adds an object to the output and returns the reference to it. */
  add(object: NewObject): Ref;
  /**
   * Returns the reference to an object of the source. If `rewrite` is a part of an object, the part becomes a separate
   * object.
   */
  referenceTo(rewrite: Rewrite): Ref;
}

/** Returns an open document without changes. */
export function documentOf(facts: ReadDocument): PdfDocument {
  const added: PdfDocument["added"] = [];
  return {
    ...facts,
    layer: "over",
    adaptsToDark: false,
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

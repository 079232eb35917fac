/** A page of the page tree, and the data needed to lay something over it. */
import type { Box, Rotation } from "./boxes.ts";
import type { Contents } from "./contents.ts";
import type { IsolatedContent } from "./isolation.ts";
import type { Span } from "./pageAttributes.ts";
import type { PageContent } from "./pageContent.ts";
import type { PageResources } from "./resources.ts";
import type { Rewrite, Splice } from "./rewrite.ts";

/** A page as displayed. */
export interface Page {
  readonly index: number;
  /** Displayed area in user space: the CropBox clipped to the MediaBox, x0 < x1 and y0 < y1. */
  readonly box: Box;
  /**
   * The part of `box` within the TrimBox, if it is smaller than `box`. The finished page consists of this part
   * (14.11.2).
   */
  readonly trimBox?: Box | undefined;
  /** Clockwise rotation for display, in degrees. */
  readonly rotate: Rotation;
  /** Size of a user space unit in points (14.11.2). It is nearly always 1. */
  readonly userUnit: number;
}

/**
 * A transparency group of a page (11.6.6) that the output changes, because the group names no color space or is a
 * knockout group.
 */
export interface PageGroup {
  /** The group's entries /I and /CS in PDF syntax. */
  readonly entries: string;
  readonly hasColorSpace: boolean;
}

/** A page, and the parts from which its dictionary in the output is built. */
export interface PageEntry extends Page {
  index: number;
  /** The source's page dictionary. */
  readonly rewrite: Rewrite;
  /** Whether the page tree also lists this page earlier. */
  readonly repeated: boolean;
  /** Entries of `rewrite` that are not copied, see PageAttributes. */
  readonly cuts: readonly Span[];
  /** Span of the value of /Annots in `rewrite`. */
  readonly annotations: Span | undefined;
  /** The page's boxes, rotation and user unit, own or inherited, as dictionary entries in PDF syntax. */
  readonly attributes: string;
  /** The contents in the source. Undefined after something has been laid over the page. */
  contents: Contents | undefined;
  readonly resources: PageResources;
  /** The resources of the source's content. */
  readonly ownResources: PageResources | undefined;
  /** Facts about the source's content. */
  readonly content: PageContent;
  /** The page's group; "retained" if the output has the group unchanged. */
  readonly group: PageGroup | "retained" | undefined;
  /** Whether the content is part of the document's structure. */
  readonly isTagged: boolean;
  /** The source's content, if it is isolated: the output then draws it as form XObjects. */
  readonly isolated: IsolatedContent | undefined;
  /** The new contents. Undefined until something has been laid over the page. */
  overlay: PageOverlay | undefined;
  /** The splice of `rewrite` that adds annotations. */
  addedAnnotations: Splice | undefined;
}

/** The new contents of a page over which something has been laid. */
interface PageOverlay {
  /** References to the streams that draw the mark. */
  readonly placement: string;
  /** The value of the page's new /Contents: an array, or a reference to one. */
  readonly contents: string;
}

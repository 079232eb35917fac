/** Defines a page of the page tree, and the data that are needed to lay something over the page. */
import type { Box, Rotation } from "./boxes.ts";
import type { Contents } from "./contents.ts";
import type { IsolatedContent } from "./isolation.ts";
import type { Span } from "./pageAttributes.ts";
import type { PageContent } from "./pageContent.ts";
import type { PageResources } from "./resources.ts";
import type { Rewrite, Splice } from "./rewrite.ts";

/** The displayed properties of a page. */
export interface Page {
  readonly index: number;
  /** Displayed area in user space: the CropBox clipped to the MediaBox, x0 < x1 and y0 < y1. */
  readonly box: Box;
  /**
   * The part of `box` within the TrimBox, if this part is smaller than `box`. The finished page consists of this part
   * (ISO 32000-2, 14.11.2).
   */
  readonly trimBox?: Box | undefined;
  /** Clockwise rotation of the displayed page, in degrees. */
  readonly rotate: Rotation;
  /** Size of a user space unit in points (ISO 32000-2, 14.11.2). The size is nearly always 1. */
  readonly userUnit: number;
}

/**
 * A transparency group of a page (ISO 32000-2, 11.6.6) that the output changes. The group names no color space or is a
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
  /** The dictionary of the page in the source. */
  readonly rewrite: Rewrite;
  /** Whether this is a repeated listing of a page that the page tree lists earlier. */
  readonly repeated: boolean;
  /** Entries of `rewrite` that are not copied; see PageAttributes. */
  readonly cuts: readonly Span[];
  /** Span of the value of /Annots in the page's dictionary. */
  readonly annotations: Span | undefined;
  /** The page's boxes, rotation and user unit, own or inherited, as dictionary entries in PDF syntax. */
  readonly attributes: string;
  /** The page's contents in the source. Undefined after something has been laid over the page. */
  contents: Contents | undefined;
  readonly resources: PageResources;
  /** The resources of the page's content in the source. */
  readonly ownResources: PageResources | undefined;
  /** Facts about the page's content in the source. */
  readonly content: PageContent;
  /** The page's transparency group, or "retained" if the output has the group unchanged. */
  readonly group: PageGroup | "retained" | undefined;
  /** Whether the page's content is part of the document's logical structure. */
  readonly isTagged: boolean;
  /** The page's content in the source, if it is isolated. The output then draws the content as form XObjects. */
  readonly isolated: IsolatedContent | undefined;
  /** The page's new contents. Undefined until something has been laid over the page. */
  overlay: PageOverlay | undefined;
  /** The splice that adds annotations to the page's dictionary. */
  addedAnnotations: Splice | undefined;
}

/** The new contents of a page over which something has been laid. */
interface PageOverlay {
  /** References to the streams that draw the mark. */
  readonly placement: string;
  /** The value of the page's new /Contents: an array, or a reference to one. */
  readonly contents: string;
}

/** A page of the page tree, and the places where something can be laid over it. */
import type { Box, Rotation } from "./boxes.ts";
import type { Contents } from "./contents.ts";
import type { Span } from "./pageAttributes.ts";
import type { NameSlot } from "./resources.ts";
import type { Rewrite } from "./rewrite.ts";

/** A page as displayed. */
export interface Page {
  readonly index: number;
  /** Displayed area in user space: the CropBox clipped to the MediaBox, x0 < x1 and y0 < y1. */
  readonly box: Box;
  /** Clockwise rotation for display. */
  readonly rotate: Rotation;
  /** Size of a user space unit in points (14.11.2): nearly always 1. */
  readonly userUnit: number;
}

/** A page and what is needed to lay something over it; `target` is cleared once that is done. */
export interface PageEntry extends Page {
  index: number;
  readonly rewrite: Rewrite;
  /** True if the tree has listed this page before. */
  readonly repeated: boolean;
  /** References to the streams that draw the mark on it, once it is laid over the page. */
  placement: string | undefined;
  target: PageTarget | undefined;
}

/** Places where something can be laid over a page, in the text of its `rewrite`. */
export interface PageTarget {
  /** After the page dictionary's `<<`. */
  readonly start: number;
  /** The value of /Contents. */
  readonly contentsSpan: Span | undefined;
  /** See PageAttributes. */
  readonly dropped: Span[] | undefined;
  readonly contents: Contents;
  readonly slot: NameSlot;
}

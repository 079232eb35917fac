import type { Layer } from "./layers.ts";
import { allowsTransparency, type Feature, type Pdfa } from "./pdfa.ts";
import type { Press } from "./pdfx.ts";

declare const reference: unique symbol;

/** An indirect reference such as "12 0 R", as written in a dictionary. */
export type Ref = string & { readonly [reference]: true };

/**
 * A new object. A string is the text of an object that is not a stream. `dict` contains the entries of a stream's
 * dictionary without << >> and /Length.
 */
export type NewObject = string | { dict: string; data: Uint8Array };

/** Collects new objects for the output. */
export interface ObjectSink {
  /** Adds an object and returns the reference to it. */
  add(object: NewObject): Ref;
  /** The file's claim to be PDF/A, which new objects should not contradict. */
  readonly pdfa?: Pdfa | undefined;
  /** Facts that show whether the file is made for print. */
  readonly press?: Press;
  /** Layer in which the new objects are drawn. Objects under the page's content are never transparent. */
  readonly layer?: Layer;
  /**
   * Device color spaces that new objects may use, each given by its number of components (1, 3 or 4). The file's
   * conformance allows these color spaces, and no page redefines them by a default color space. If this field is
   * missing, all device color spaces are allowed.
   */
  readonly deviceColors?: ReadonlySet<number>;
  /** Features that the new objects use, such as transparency. */
  readonly uses?: Set<Feature>;
}

/**
 * Returns whether new objects should avoid transparency where they can. This is the case if the mark is under the
 * page's content, if the file claims to be PDF/X, or if the claim to be PDF/A forbids transparency.
 */
export function avoidsTransparency({ layer, pdfa, press }: ObjectSink): boolean {
  return layer === "under" || press?.isPdfx === true || !allowsTransparency(pdfa);
}

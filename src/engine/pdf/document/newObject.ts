import type { Feature, Pdfa } from "./pdfa.ts";

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
  /** The file's claim to be PDF/A, which new objects should not break. */
  readonly pdfa?: Pdfa | undefined;
  /**
   * Numbers of components (1, 3, 4) of the device color spaces that new objects may use: those that the file's
   * conformance allows and that no page replaces. All if missing.
   */
  readonly deviceColors?: ReadonlySet<number>;
  /** Features that the new objects use. */
  readonly uses?: Set<Feature>;
}

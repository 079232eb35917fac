import type { Feature, Pdfa } from "./pdfa.ts";

declare const reference: unique symbol;

/** An indirect reference such as "12 0 R", as it is written into a dictionary. */
export type Ref = string & { readonly [reference]: true };

/**
 * A new object: the text of a non-stream object, or a stream with the entries of its dictionary (without << >> and
 * /Length).
 */
export type NewObject = string | { dict: string; data: Uint8Array };

/** Takes new objects for the output. */
export interface ObjectSink {
  /** Adds an object and returns the reference to it. */
  add(object: NewObject): Ref;
  /** The file's claim to PDF/A, which new objects should not break. */
  readonly pdfa?: Pdfa | undefined;
  /**
   * Numbers of components of the device colour spaces that new objects may use: those that the file's conformance
   * allows and that no page replaces. All if missing.
   */
  readonly deviceColors?: ReadonlySet<number>;
  /** What the new objects use. */
  readonly uses?: Set<Feature>;
}

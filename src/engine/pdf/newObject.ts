declare const reference: unique symbol;

/** "12 0 R": ready to be written into a dictionary. */
export type Ref = string & { readonly [reference]: true };

/**
 * A new object: the text of a non-stream object, or a stream with its dictionary's entries (without << >> and /Length).
 */
export type NewObject = string | { dict: string; data: Uint8Array };

export interface ObjectSink {
  add(object: NewObject): Ref;
}

/** A file kept outside of memory. */
export interface Stored {
  readonly length: number;
  /** The bytes [start, end), which don't reach past `length`. */
  read(start: number, end: number): Promise<Uint8Array>;
  /** The same in order, in pieces that are good until the next is asked for. */
  stream(start: number, end: number): AsyncIterable<Uint8Array>;
  delete(): Promise<void>;
}

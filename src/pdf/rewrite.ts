/**
 * Objects that are written anew: their own bytes with a few splices. They keep their number and generation, so whatever
 * else they hold (encrypted strings included) stays valid as it is.
 */
import type { Objects } from "./objects.ts";
import { IN_STREAM } from "./xrefTable.ts";

/** Replaces `remove` bytes at `at` of an object's text. */
export interface Splice {
  at: number;
  remove: number;
  insert: string;
}

export interface Rewrite {
  readonly num: number;
  /** The object's value as the source has it. */
  readonly text: Uint8Array;
  /** Not overlapping, in any order. */
  readonly splices: Splice[];
}

/** The objects of a document that may be written anew, by number. */
export class Rewrites {
  readonly #objects: Objects;
  readonly #rewrites = new Map<number, Rewrite>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  get(num: number): Rewrite | undefined {
    return this.#rewrites.get(num);
  }

  /** Registers object `num`, whose value is the bytes [start, end) that `Objects.at` has shown. */
  keep(num: number, bytes: Uint8Array, start: number, end: number): Rewrite {
    const known = this.#rewrites.get(num);
    if (known) return known;
    // A view of the file costs nothing; a view of a cached block or a decoded stream would keep all of that alive.
    const inStream = this.#objects.table.kind(this.#objects.table.live(num)) === IN_STREAM;
    const stable = this.#objects.source.inMemory && !inStream;
    const rewrite = { num, text: stable ? bytes.subarray(start, end) : bytes.slice(start, end), splices: [] };
    this.#rewrites.set(num, rewrite);
    return rewrite;
  }

  /** Those that really change, ascending by number. */
  changed(): Rewrite[] {
    return [...this.#rewrites.values()].filter(({ splices }) => splices.length > 0).sort((a, b) => a.num - b.num);
  }
}

/**
 * Objects to be rewritten: their own bytes with a few splices. They keep their number and generation, so everything
 * else in them (encrypted strings included) stays valid.
 */
import type { Objects } from "./objects.ts";
import { IN_STREAM } from "./xrefTable.ts";

/** Replaces `remove` bytes at `at` of an object's text. */
export interface Splice {
  at: number;
  remove: number;
  insert: string;
}

/**
 * Up to this many splices, the array is copied instead of grown, which would reserve room for many more; most objects
 * have one splice or two.
 */
const FEW = 4;

/** An object that may be rewritten. A document has one for every page, so they are kept small. */
export class Rewrite {
  readonly num: number;
  /** Location of the text instead of a view of it, which takes as much memory as most texts. */
  readonly #buffer: ArrayBufferLike;
  readonly #start: number;
  readonly #length: number;
  #splices: Splice[] = [];

  constructor(num: number, text: Uint8Array) {
    this.num = num;
    this.#buffer = text.buffer;
    this.#start = text.byteOffset;
    this.#length = text.length;
  }

  /** The value of the object as in the source. */
  get text(): Uint8Array {
    return new Uint8Array(this.#buffer, this.#start, this.#length);
  }

  /** Not overlapping, in any order. */
  get splices(): readonly Splice[] {
    return this.#splices;
  }

  splice(splice: Splice): void {
    if (this.#splices.length < FEW) this.#splices = this.#splices.concat(splice);
    else this.#splices.push(splice);
  }
}

const SLAB = 64 * 1024;

/** The objects of a document that may be rewritten, by number. */
export class Rewrites {
  readonly #objects: Objects;
  readonly #rewrites = new Map<number, Rewrite>();
  /** Texts one after the other: a buffer for each would take more memory than most texts. */
  #slab = new Uint8Array();
  #used = 0;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  get(num: number): Rewrite | undefined {
    return this.#rewrites.get(num);
  }

  /** Registers object `num`, whose value is the bytes [start, end) as passed by `Objects.at`. */
  keep(num: number, bytes: Uint8Array, start: number, end: number): Rewrite {
    const known = this.#rewrites.get(num);
    if (known) return known;
    // A view of a file in memory is free; a view of a cached block or a decoded stream would keep all of that alive.
    const inStream = this.#objects.table.kind(this.#objects.table.live(num)) === IN_STREAM;
    const stable = this.#objects.source.inMemory && !inStream;
    const text = bytes.subarray(start, end);
    const rewrite = new Rewrite(num, stable ? text : this.#copy(text));
    this.#rewrites.set(num, rewrite);
    return rewrite;
  }

  #copy(text: Uint8Array): Uint8Array {
    if (text.length > SLAB / 4) return text.slice();
    if (this.#used + text.length > this.#slab.length) {
      this.#slab = new Uint8Array(SLAB);
      this.#used = 0;
    }
    const copy = this.#slab.subarray(this.#used, this.#used + text.length);
    copy.set(text);
    this.#used += text.length;
    return copy;
  }

  /** Returns the objects that really change, in ascending order of number. */
  changed(): Rewrite[] {
    return [...this.#rewrites.values()].filter(({ splices }) => splices.length > 0).sort((a, b) => a.num - b.num);
  }
}

/**
 * Objects to be rewritten: their own bytes with a few splices. They keep their number and generation, so everything
 * else in them (encrypted strings included) stays valid.
 */
import type { Objects } from "./objects.ts";

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

/** The objects of a document that may be rewritten, by number. */
export class Rewrites {
  readonly #objects: Objects;
  readonly #rewrites = new Map<number, Rewrite>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  get(num: number): Rewrite | undefined {
    return this.#rewrites.get(num);
  }

  /**
   * Registers object `num`, whose value is the bytes [start, end) as passed by `Objects.at`.
   * @throws EngineError too_complex if too much is kept
   */
  keep(num: number, bytes: Uint8Array, start: number, end: number): Rewrite {
    const known = this.#rewrites.get(num);
    if (known) return known;
    const rewrite = new Rewrite(num, this.#objects.keep(num, bytes.subarray(start, end)));
    this.#rewrites.set(num, rewrite);
    return rewrite;
  }

  /** Returns the objects that really change, in ascending order of number. */
  changed(): Rewrite[] {
    return [...this.#rewrites.values()].filter(({ splices }) => splices.length > 0).sort((a, b) => a.num - b.num);
  }
}

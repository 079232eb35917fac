/**
 * Represents each object to rewrite as its original bytes and a few splices. The object keeps its number and
 * generation. The bytes outside the splices, including encrypted strings, therefore stay valid.
 */
import { EngineError } from "../../errors.ts";
import type { Objects } from "../objects/objects.ts";
import { endOfWellFormed, wellFormedText } from "../syntax/wellFormed.ts";
import type { Span } from "./pageAttributes.ts";

/** A change of an object's text: replaces `remove` bytes at position `at` by `insert`. */
export interface Splice {
  at: number;
  remove: number;
  insert: string;
}

/**
 * Number of splices below which the array is copied to add a splice. Appending to the array would reserve memory for
 * many splices, but most objects have one or two.
 */
const FEW = 4;

/**
 * An object that the output may contain in changed form. Instances are small, because a document has an instance for
 * every page.
 */
export class Rewrite {
  /** Number of the object. The number is 0 for a part of another object until the part becomes an object. */
  num: number;
  /**
   * Number of the source's object that contains the text. Strings in the text are encrypted with the key of this
   * object.
   */
  readonly origin: number;
  /** Location of the text in its buffer. Storing a view instead would take as much memory as most texts. */
  readonly #buffer: ArrayBufferLike;
  readonly #start: number;
  readonly #length: number;
  #splices: Splice[] = [];
  /** Span in the file of the stream data that follow the text. These data are copied unchanged. */
  readonly data: Span | undefined;

  constructor(num: number, text: Uint8Array, data?: Span, origin = num) {
    this.num = num;
    this.origin = origin;
    this.data = data;
    this.#buffer = text.buffer;
    this.#start = text.byteOffset;
    this.#length = text.length;
  }

  /** The text of the object's value, as in the source. */
  get text(): Uint8Array {
    return new Uint8Array(this.#buffer, this.#start, this.#length);
  }

  /** Length of the text in bytes. */
  get length(): number {
    return this.#length;
  }

  /** Splices in any order. No two splices overlap. */
  get splices(): readonly Splice[] {
    return this.#splices;
  }

  /** Returns the part [start, end) of the text, which will become a separate object. */
  part(start: number, end: number): Rewrite {
    return new Rewrite(0, this.text.subarray(start, end), undefined, this.origin);
  }

  /** Makes the output contain this object as a rewritten object, even if the text is unchanged. */
  rewriteUnchanged(): void {
    if (this.#splices.length === 0) this.splice({ at: 0, remove: 0, insert: "" });
  }

  spliceAll(splices: readonly Splice[]): void {
    this.#splices = this.#splices.concat(splices);
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
  readonly #withNewText = new Set<number>();
  readonly #streams = new Set<number>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  get(num: number): Rewrite | undefined {
    return this.#rewrites.get(num);
  }

  /** Adds a new object, or an object that replaces an object of the source. */
  add(rewrite: Rewrite): void {
    this.#rewrites.set(rewrite.num, rewrite);
    if (rewrite.data) this.#streams.add(rewrite.num);
  }

  /**
   * Registers object `num`. The bytes [start, end) are the text of its value, as passed by `Objects.at`. `data` is the
   * rest of the value in the file, if any.
   * @throws EngineError too_complex if too much memory is retained
   */
  register(num: number, bytes: Uint8Array, start: number, end: number, data?: Span): Rewrite {
    const known = this.#rewrites.get(num);
    if (known) return known;
    const rewrite = new Rewrite(num, this.#objects.retain(num, bytes.subarray(start, end)), data);
    this.#rewrites.set(num, rewrite);
    return rewrite;
  }

  /**
   * Registers the stream object `num`. `text` is the beginning of its value, and may include some or all of the
   * stream's data. `data` is the span of the remaining data in the file.
   * @throws EngineError too_complex if too much memory is retained; damaged_pdf if the object is also used as another
   * type
   */
  registerStream(num: number, text: Uint8Array, data: Span): Rewrite {
    if (this.#rewrites.has(num) && !this.#streams.has(num)) throw sharedContent();
    this.#streams.add(num);
    return this.register(num, text, 0, text.length, data);
  }

  /** Returns whether an object has been registered as a stream. */
  isStream(num: number): boolean {
    return this.#streams.has(num);
  }

  /**
   * Registers object `num`, a dictionary or array at position `at` of the bytes that `Objects.at` passes. A malformed
   * value is replaced by a well-formed text.
   * @throws Malformed if the value cannot be read
   * @throws EngineError too_complex if too much memory is retained
   */
  registerWellFormed(num: number, bytes: Uint8Array, at: number): Rewrite {
    const end = endOfWellFormed(bytes, at);
    return end >= 0 ? this.register(num, bytes, at, end) : this.registerText(num, wellFormedText(bytes, at));
  }

  /**
   * Registers object `num` with a new text that replaces the original text.
   * @throws EngineError too_complex if too much memory is retained
   */
  registerText(num: number, text: Uint8Array): Rewrite {
    const known = this.#rewrites.get(num);
    if (known) return known;
    const { meter } = this.#objects.source;
    meter.charge("rewriteWellFormed", text.length);
    meter.retain(text.length);
    const rewrite = new Rewrite(num, text);
    rewrite.rewriteUnchanged();
    this.#rewrites.set(num, rewrite);
    this.#withNewText.add(num);
    return rewrite;
  }

  /**
   * Registers object `num` with balanced brackets. Its dictionary is unreadable because the original brackets do not
   * match. Returns undefined if the object is not a dictionary.
   * @throws the errors of Objects.balanced
   */
  registerBalanced(num: number): Rewrite | undefined {
    const balanced = this.#objects.balanced(num);
    return balanced && this.registerText(num, wellFormedText(balanced.text, 0));
  }

  /** Returns whether an object was damaged and has therefore been registered with a new text. */
  hasNewText(num: number): boolean {
    return this.#withNewText.has(num);
  }

  /** Returns the objects that have splices, in ascending order of their numbers. */
  changed(): Rewrite[] {
    return [...this.#rewrites.values()].filter(({ splices }) => splices.length > 0).sort((a, b) => a.num - b.num);
  }
}

/** Returns the error for an object that must change as page content but is also another part of the document. */
export function sharedContent(): EngineError {
  return new EngineError(
    "damaged_pdf",
    "An object of the PDF is both a page's content and another part, such as the catalog. Open the PDF in a PDF reader and save it again.",
  );
}

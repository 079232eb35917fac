/**
 * Bounds the work for one file, even for a hostile file. All scanning, decoding and memory is charged to the meter.
 * When a limit is exceeded, the meter throws an EngineError, which recovery never treats as damage.
 */
import { EngineError } from "../../errors.ts";
import { pause } from "../../platform/pause.ts";
import { COSTS, type MeteredOperation } from "./costs.ts";

const KB = 1 << 10;
const MB = 1 << 20;

/** Limits on the work that one file may cause, in bytes unless stated otherwise. */
export const WORK_LIMITS = {
  /** Limit for scanning, in scan units: `scannedTimes` times the file's length plus `scanned`. */
  scannedTimes: 64,
  scanned: 256 * MB,
  /**
   * Maximum number of decoded bytes of all streams together. Repeated decoding of a stream counts as scanning instead.
   */
  decoded: 512 * MB,
  /** Maximum number of decoded bytes of all filters of one stream together. */
  decodedAtOnce: 40 * MB,
  /** Maximum memory for objects that may be rewritten, and for the mark before it is drawn. */
  retained: 64 * MB,
  /**
   * Maximum number of bytes of the operators that place the mark on pages. Operators that several pages share count
   * once.
   */
  placed: 32 * MB,
  /**
   * The maximum length of the output is the length of the mark, plus twice the length of the source, plus `output`,
   * plus `outputPerPage` for each page. The source is added twice, because a rewritten object can leave a gap as long
   * as itself.
   */
  output: 1024 * KB,
  outputPerPage: 4 * KB,
} as const;

/**
 * Maximum output of a single filter, which is half of the limit for a stream. The output can be in memory twice while
 * the filter works.
 */
const MAX_FILTER_OUTPUT = WORK_LIMITS.decodedAtOnce / 2;
/**
 * Maximum number of bytes that are decoded and then discarded, because the data turn out to be damaged or too long. The
 * number of bytes is an upper estimate. Beyond this limit, no more page content is decoded.
 */
const MAX_DISCARDED = 128 * MB;
/** Work between two yields to the event loop, in scan units. This work takes 5 to 50 ms. */
const TIME_SLICE = MB;

/** Counts the work for one file, and throws when a limit is exceeded. */
export class Meter {
  readonly #scannable: number;
  #scan: number;
  #decode = WORK_LIMITS.decoded;
  #discard = MAX_DISCARDED;
  #memory = WORK_LIMITS.retained;
  #mark: number;
  #placement = WORK_LIMITS.placed;
  #slice = TIME_SLICE;

  /** @param length length of the file in bytes */
  constructor(length: number) {
    this.#scannable = WORK_LIMITS.scannedTimes * length + WORK_LIMITS.scanned;
    this.#scan = this.#scannable;
    this.#mark = this.#scannable;
  }

  /**
   * Charges an operation for `count` bytes or items; see {@link COSTS}.
   * @throws EngineError too_complex
   */
  charge(operation: MeteredOperation, count = 1): void {
    const { units, limit } = COSTS[operation];
    const work = units * count;
    this.#slice -= work;
    if (limit === "scan") {
      this.#scan -= work;
      if (this.#scan < 0) throw tooComplex("it would have to be searched too often");
    } else if (limit === "mark") {
      this.#mark -= work;
      if (this.#mark < 0) throw markTooComplex();
    }
  }

  /**
   * Charges the operators that place the mark on a page. The charge is the length of the operators in bytes.
   * @throws EngineError too_complex
   */
  chargePlacement(bytes: number): void {
    this.#placement -= bytes;
    if (this.#placement < 0) throw markTooComplex();
  }

  /**
   * Returns the output quota in bytes of the next filter of a stream. `decoded` is the number of bytes that earlier
   * filters have produced.
   */
  outputQuota(decoded: number): number {
    return Math.max(0, Math.min(MAX_FILTER_OUTPUT, this.#decode, WORK_LIMITS.decodedAtOnce - decoded));
  }

  /**
   * Charges the output of a filter, in bytes.
   * @throws EngineError too_complex
   */
  chargeDecoded(bytes: number): void {
    this.#decode -= bytes;
    this.#slice -= bytes;
    if (this.#decode < 0) throw tooLargeDecoded();
  }

  /**
   * Moves the charge for repeated decoding of a stream from the limit for decoding to the limit for scanning.
   * @throws EngineError too_complex
   */
  chargeDecodedAgain(bytes: number): void {
    this.#decode += bytes;
    this.charge("scan", bytes);
  }

  /** Charges bytes that were decoded and then discarded. Never throws; see {@link hasDiscardedMost}. */
  chargeDiscarded(bytes: number): void {
    this.#discard -= bytes;
    this.#slice -= bytes;
  }

  /** Whether the limit for discarded bytes has been reached. */
  get hasDiscardedMost(): boolean {
    return this.#discard <= 0;
  }

  /**
   * Charges memory for parts of the file, in bytes.
   * @throws EngineError too_complex
   */
  retain(bytes: number): void {
    this.#memory -= bytes;
    if (this.#memory < 0) throw tooComplex("its pages take too much memory");
  }

  /**
   * Charges memory for parts of the mark, in bytes.
   * @throws EngineError too_complex
   */
  retainMark(bytes: number): void {
    this.#memory -= bytes;
    if (this.#memory < 0) throw markTooComplex();
  }

  /** The work charged so far. `scanned` and `marked` are scan units; the other numbers are bytes. */
  get used(): { scanned: number; decoded: number; discarded: number; retained: number; marked: number } {
    return {
      marked: this.#scannable - this.#mark,
      scanned: this.#scannable - this.#scan,
      decoded: WORK_LIMITS.decoded - this.#decode,
      discarded: MAX_DISCARDED - this.#discard,
      retained: WORK_LIMITS.retained - this.#memory,
    };
  }

  /** Whether the time slice is used up and the caller must yield to the event loop. */
  get isSliceUsed(): boolean {
    return this.#slice <= 0;
  }

  /** Yields to the event loop if the time slice is used up. */
  async yieldIfDue(): Promise<void> {
    if (this.isSliceUsed) await this.yield();
  }

  /** Yields to the event loop, and starts a new time slice. */
  async yield(): Promise<void> {
    this.#slice = TIME_SLICE;
    await pause();
  }
}

/**
 * Repeats `step` until it returns false. Yields to the event loop whenever the time slice is used up.
 * @param run runs the steps of one time slice. The function may also fetch missing bytes and then run the steps again.
 */
export async function runYielding(
  meter: Meter,
  step: () => boolean,
  run: (slice: () => boolean) => boolean | Promise<boolean> = (slice) => slice(),
): Promise<void> {
  const slice = () => {
    while (!meter.isSliceUsed) if (!step()) return false;
    return true;
  };
  while (await run(slice)) await meter.yield();
}

/** Calls `visit` for each item. Yields to the event loop whenever the time slice is used up. */
export async function forEachYielding<T>(meter: Meter, items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  for (const item of items) {
    visit(item);
    if (meter.isSliceUsed) await meter.yield();
  }
}

/**
 * Checks that the output stays within the limit for `pages` pages.
 * @param bytes length of the output, minus the lengths of the mark and of twice the source; may be negative
 * @throws EngineError too_complex
 */
export function limitOutput(bytes: number, pages: number): void {
  if (bytes > WORK_LIMITS.output + pages * WORK_LIMITS.outputPerPage) throw tooComplex("the result would be too large");
}

/** Returns the error for a stream whose decoded data exceed the limit. */
export function tooLargeDecoded(): EngineError {
  return tooComplex("it is too large when decompressed");
}

function markTooComplex(): EngineError {
  return new EngineError(
    "too_complex",
    "The mark takes more work than the PDF's size allows: it has too many parts, or the pages have too many sizes. Send a shorter text or fewer pages.",
  );
}

/** Returns the error for a file that exceeds its work limits. */
export function tooComplex(reason: string): EngineError {
  return new EngineError(
    "too_complex",
    `The PDF takes more work than its size allows: ${reason}. Print it to a new PDF and send that.`,
  );
}

/**
 * Bounds the work that one file can cause, however it was made. Whatever is scanned, decoded or kept in memory of a file
 * is charged here; the end of an allowance is an EngineError, never damage to be repaired.
 */
import { EngineError } from "../../errors.ts";
import { pause } from "../../platform/pause.ts";

const KB = 1 << 10;
const MB = 1 << 20;

/** How much may be done for one file, in bytes. */
export const WORK_LIMITS = {
  /** Scanned: this many times the file's length, and so much in addition. */
  scannedTimes: 64,
  scanned: 256 * MB,
  /** Decoded, all streams together, each counted once. Decoding one again counts as scanning. */
  decoded: 512 * MB,
  /** Decoded by all filters of one stream together. */
  decodedAtOnce: 40 * MB,
  /** Held in memory of objects that may be rewritten, and of the mark until it is drawn. */
  retained: 64 * MB,
  /** Operators that place the mark on pages, those that are the same on several pages counted once. */
  placed: 32 * MB,
  /**
   * The output beyond the mark and twice the source, since what is written anew of it can leave a gap as long as itself:
   * so much, and so much for each page.
   */
  output: 1024 * KB,
  outputPerPage: 4 * KB,
} as const;

/** Most that a single filter may give: while it works, its output can be in memory twice. */
const LARGEST_DECODED = WORK_LIMITS.decodedAtOnce / 2;
/** Work after which others get their turn, in bytes scanned: 5 to 50 ms. */
const STRETCH = MB;

/** What one file has used of its allowances. */
export class Meter {
  readonly #scannable: number;
  #scan: number;
  #decode = WORK_LIMITS.decoded;
  #memory = WORK_LIMITS.retained;
  #mark: number;
  #place = WORK_LIMITS.placed;
  #stretch = STRETCH;

  /** @param length of the file in bytes */
  constructor(length: number) {
    this.#scannable = WORK_LIMITS.scannedTimes * length + WORK_LIMITS.scanned;
    this.#scan = this.#scannable;
    this.#mark = this.#scannable;
  }

  /**
   * Charges for looking at bytes.
   * @throws EngineError too_complex
   */
  scan(bytes: number): void {
    this.#scan -= bytes;
    this.#stretch -= bytes;
    if (this.#scan < 0) throw tooComplex("it would have to be searched too often");
  }

  /**
   * Charges for fitting, drawing and placing the mark what takes as long as looking at so many bytes: as much as may be
   * looked at of the file.
   * @throws EngineError too_complex
   */
  mark(bytes: number): void {
    this.#mark -= bytes;
    this.#stretch -= bytes;
    if (this.#mark < 0) throw markTooComplex();
  }

  /**
   * Charges for operators that place the mark on a page, in bytes.
   * @throws EngineError too_complex
   */
  place(bytes: number): void {
    this.#place -= bytes;
    if (this.#place < 0) throw markTooComplex();
  }

  /** How many bytes a filter may give of a stream that `decoded` bytes have come of so far. */
  roomFor(decoded: number): number {
    return Math.max(0, Math.min(LARGEST_DECODED, this.#decode, WORK_LIMITS.decodedAtOnce - decoded));
  }

  /**
   * Charges for bytes that a filter has given.
   * @throws EngineError too_complex
   */
  decode(bytes: number): void {
    this.#decode -= bytes;
    this.#stretch -= bytes;
    if (this.#decode < 0) throw tooLargeDecoded();
  }

  /** Counts what has been charged for decoding a stream as scanning instead, because it was counted before. */
  decodedAgain(bytes: number): void {
    this.#decode += bytes;
    this.scan(bytes);
  }

  /**
   * Charges for bytes that stay in memory.
   * @throws EngineError too_complex
   */
  retain(bytes: number): void {
    this.#memory -= bytes;
    if (this.#memory < 0) throw tooComplex("its pages take too much memory");
  }

  /**
   * Charges for what stays in memory of the mark.
   * @throws EngineError too_complex
   */
  retainMark(bytes: number): void {
    this.#memory -= bytes;
    if (this.#memory < 0) throw markTooComplex();
  }

  /** What has been used, in bytes. */
  get used(): { scanned: number; decoded: number; retained: number; marked: number } {
    return {
      marked: this.#scannable - this.#mark,
      scanned: this.#scannable - this.#scan,
      decoded: WORK_LIMITS.decoded - this.#decode,
      retained: WORK_LIMITS.retained - this.#memory,
    };
  }

  /** Counts work that takes as long as scanning so many bytes, but needs no allowance: what it makes is charged elsewhere. */
  spend(bytes: number): void {
    this.#stretch -= bytes;
  }

  /** Whether so much has been done since others had their turn that it is theirs again. */
  get isTurnOver(): boolean {
    return this.#stretch <= 0;
  }

  /** Lets others have their turn if it is theirs. */
  async giveWay(): Promise<void> {
    if (!this.isTurnOver) return;
    this.#stretch = STRETCH;
    await pause();
  }
}

/**
 * Checks what an output of so many pages has beyond what it may have of the source, and the mark.
 * @throws EngineError too_complex
 */
export function limitOutput(bytes: number, pages: number): void {
  if (bytes > WORK_LIMITS.output + pages * WORK_LIMITS.outputPerPage) throw tooComplex("the result would be too large");
}

/** The error of a stream that decodes to more than it may. */
export function tooLargeDecoded(): EngineError {
  return tooComplex("it is too large when decompressed");
}

function markTooComplex(): EngineError {
  return new EngineError(
    "too_complex",
    "The mark takes more work than the PDF's size allows: it has too many parts, or too many sizes of pages to be fitted to. Send a shorter text, or fewer pages.",
  );
}

/** The error of a file that would take more work than any file may. */
export function tooComplex(reason: string): EngineError {
  return new EngineError(
    "too_complex",
    `The PDF takes more work than its size allows: ${reason}. Print it to PDF, or save it anew, and send that.`,
  );
}

import { FILTER, filterByUp } from "./scanlines.ts";

/** Layout of the color bytes in a row. */
export interface ColorLayout {
  width: number;
  /** Samples per pixel. */
  components: 1 | 3;
  sampleBytes: 1 | 2;
}

/** A row of colors, in which invisible pixels have the color of the nearest visible pixel. */
interface Row {
  samples: Uint8Array;
  /** For each pixel, the distance in steps to the pixel that supplied its color. It is 0 for a visible pixel. */
  distances: Uint16Array;
}

/** Distance of a pixel without a color, larger than every real distance. */
const FARTHEST = 0xffff;

/**
 * Limits on the rows that wait before they are written: their number, and their memory in bytes. Rows wait because
 * colors from lower rows can spread into them. When a limit is reached, the upper half of the waiting rows is written.
 * The lower half can still receive colors from below.
 */
const WAITING_ROWS = 64;
const WAITING_BYTES = 6_000_000;

/**
 * Fills invisible pixels with the colors of visible pixels. Readers scale an image and its soft mask separately (ISO
 * 32000-2, 11.6.5.2). The color under alpha 0 is mostly black, and would therefore show as a rim. The entry /Matte does
 * not help: readers apply it before scaling, and it cannot restore colors where alpha is 0.
 *
 * The last rows wait in memory before they are written. A pixel receives the nearest color from all rows above it, and
 * from rows below it that arrive while it waits. Distances are counted in horizontal and vertical steps. Rows above the
 * first visible pixel are only counted. Later, they are written as copies of the first row with a color.
 */
export class ColorBleed {
  readonly #pixelBytes: number;
  readonly #copySamples: (bytes: Uint8Array, samples: Uint8Array) => void;
  readonly #write: (line: Uint8Array) => Promise<void>;
  readonly #line: Uint8Array;
  readonly #maxWaiting: number;

  #blankRows = 0;
  readonly #waiting: Row[] = [];
  /**
   * Number of waiting rows, counted from the top, that already existed at the last call of `#writeWaiting`. Colors from
   * below have already spread into these rows.
   */
  #settled = 0;
  readonly #spare: Row[] = [];
  /**
   * Samples of the last written row. If `#pixelsAbove` is set, the samples must first be copied from `#pixelsAbove`.
   */
  readonly #above: Uint8Array;
  #pixelsAbove: Uint8Array | undefined;
  #isAboveUnchanged = true;
  /** Distances of a completely visible row: all 0. */
  readonly #noDistances: Uint16Array;

  /**
   * @param copySamples copies the color samples from the bytes of a row, filtered or unfiltered
   * @param write receives each scanline, which is valid until the returned promise resolves
   */
  constructor(
    { width, components, sampleBytes }: ColorLayout,
    copySamples: (bytes: Uint8Array, samples: Uint8Array) => void,
    write: (line: Uint8Array) => Promise<void>,
  ) {
    this.#pixelBytes = components * sampleBytes;
    this.#copySamples = copySamples;
    this.#write = write;
    const rowBytes = width * this.#pixelBytes;
    this.#line = new Uint8Array(1 + rowBytes);
    this.#above = new Uint8Array(rowBytes);
    this.#noDistances = new Uint16Array(width);
    this.#maxWaiting = Math.max(2, Math.min(WAITING_ROWS, Math.floor(WAITING_BYTES / (rowBytes + 2 * width))));
  }

  /**
   * Adds a completely visible row.
   * @param line scanline of the row
   * @param pixels unfiltered pixels of the row, which must stay unchanged until the next row is added
   */
  async addVisible(line: Uint8Array, pixels: Uint8Array): Promise<void> {
    if (this.#waiting.length === 0 && this.#blankRows === 0 && this.#isAboveUnchanged) {
      this.#line[0] = line[0]!;
      this.#copySamples(line.subarray(1), this.#line.subarray(1));
      await this.#write(this.#line);
    } else {
      const row = this.#newRow(pixels);
      row.distances.fill(0);
      this.#waiting.push(row);
      await this.#writeWaiting(this.#waiting.length);
      this.#isAboveUnchanged = true;
    }
    this.#pixelsAbove = pixels;
  }

  /**
   * Adds a row that may have invisible pixels.
   * @param pixels unfiltered pixels of the row
   * @param alpha alpha of each pixel; a pixel with alpha 0 is invisible
   */
  async add(pixels: Uint8Array, alpha: Uint8Array): Promise<void> {
    let above: Row | undefined = this.#waiting.at(-1);
    if (this.#pixelsAbove) above = { samples: this.#samplesAbove(), distances: this.#noDistances };
    if (!above && alpha.every((value) => value === 0)) {
      this.#blankRows++;
      return;
    }

    const row = this.#newRow(pixels);
    spreadDown(row, alpha, above, this.#pixelBytes);
    this.#waiting.push(row);
    if (this.#waiting.length === this.#maxWaiting) await this.#writeWaiting(this.#maxWaiting >> 1);
  }

  /** Writes the remaining rows. */
  async finish(): Promise<void> {
    await this.#writeWaiting(this.#waiting.length);
    await this.#writeCopies(this.#blankRows);
  }

  #newRow(pixels: Uint8Array): Row {
    const row = this.#spare.pop() ?? {
      samples: new Uint8Array(this.#above.length),
      distances: new Uint16Array(this.#noDistances.length),
    };
    this.#copySamples(pixels, row.samples);
    return row;
  }

  /** Returns the samples of the last written row. */
  #samplesAbove(): Uint8Array {
    if (this.#pixelsAbove) this.#copySamples(this.#pixelsAbove, this.#above);
    this.#pixelsAbove = undefined;
    return this.#above;
  }

  /** Spreads colors upward among the waiting rows, and writes the first `count` rows. */
  async #writeWaiting(count: number): Promise<void> {
    for (let i = this.#waiting.length - 2; i >= 0; i--) {
      const hasChanged = spreadUp(this.#waiting[i]!, this.#waiting[i + 1]!, this.#pixelBytes);
      if (!hasChanged && i < this.#settled) break;
    }
    this.#settled = this.#waiting.length - count;
    for (const row of this.#waiting.splice(0, count)) {
      filterByUp(row.samples, this.#samplesAbove(), this.#line);
      await this.#write(this.#line);
      this.#above.set(row.samples);
      this.#isAboveUnchanged = false;
      await this.#writeCopies(this.#blankRows);
      this.#blankRows = 0;
      this.#spare.push(row);
    }
  }

  /** Repeats the last written row `count` times. */
  async #writeCopies(count: number): Promise<void> {
    if (count === 0) return;
    this.#line.fill(0);
    this.#line[0] = FILTER.UP;
    for (let i = 0; i < count; i++) await this.#write(this.#line);
  }
}

/** Fills the invisible pixels of a row with the nearest color from this row and the row above. */
function spreadDown(row: Row, alpha: Uint8Array, above: Row | undefined, pixelBytes: number): void {
  const { samples, distances } = row;
  distances.fill(0);
  for (let end = 0, start = alpha.indexOf(0); start >= 0; start = alpha.indexOf(0, end)) {
    for (end = start + 1; alpha[end] === 0; ) end++;
    if (above) {
      samples.set(above.samples.subarray(start * pixelBytes, end * pixelBytes), start * pixelBytes);
      for (let x = start; x < end; x++) distances[x] = Math.min(above.distances[x]! + 1, FARTHEST);
    } else distances.fill(FARTHEST, start, end);
    if (start > 0) spreadAside(row, start - 1, 1, pixelBytes);
    if (end < alpha.length) spreadAside(row, end, -1, pixelBytes);
  }
}

/**
 * Copies the color of the pixel `from` to the pixels on one side. Stops at the first pixel that already has the color
 * of a pixel at most as far away as `from`. Distances of neighbors differ by at most 1, so no pixel after this one is
 * nearer to `from`.
 */
function spreadAside({ samples, distances }: Row, from: number, step: 1 | -1, pixelBytes: number): void {
  for (let x = from + step, distance = 1; distance < distances[x]!; x += step, distance++) {
    distances[x] = distance;
    for (let i = 0; i < pixelBytes; i++) samples[x * pixelBytes + i] = samples[from * pixelBytes + i]!;
  }
}

/**
 * Copies the color of the pixel below to each pixel, if that color comes from a visible pixel that is nearer than the
 * pixel's present color. Returns whether any pixel changed.
 */
function spreadUp({ samples, distances }: Row, below: Row, pixelBytes: number): boolean {
  let hasChanged = false;
  for (let x = 0; x < distances.length; x++) {
    const distance = below.distances[x]! + 1;
    if (distance >= distances[x]!) continue;
    hasChanged = true;
    distances[x] = distance;
    for (let at = x * pixelBytes, end = at + pixelBytes; at < end; at++) samples[at] = below.samples[at]!;
  }
  return hasChanged;
}

import { FILTER, filterByUp } from "./scanlines.ts";

/** How the bytes of a row's colours are laid out. */
export interface ColorLayout {
  width: number;
  /** Samples of a pixel. */
  components: 1 | 3;
  sampleBytes: 1 | 2;
}

/** A row of colours, with the nearest that can be seen in place of those that cannot. */
interface Row {
  samples: Uint8Array;
  /** For each pixel how many steps its colour comes from; 0 if it can be seen. */
  distances: Uint16Array;
}

/** Of a pixel that no colour has reached. */
const FARTHEST = 0xffff;

/** At most so many rows wait for the colours below them, with which a colour spreads at least half as far upwards. */
const WAITING_ROWS = 64;
const WAITING_BYTES = 6_000_000;

/**
 * Gives the pixels that cannot be seen the colours of those that can. Readers scale an image and its soft mask apart
 * (ISO 32000-2, 11.6.5.2), so what is under alpha 0, black mostly, shows as a rim around the rest. /Matte does not help:
 * readers take it out before they scale, and find nothing where alpha is 0.
 *
 * A pixel takes the nearest colour, counted in steps to a side, of all above it and of as many rows below it as may
 * wait. Rows above everything that can be seen are only counted; they become copies of the first that shows something.
 */
export class ColorBleed {
  readonly #pixelBytes: number;
  readonly #take: (bytes: Uint8Array, samples: Uint8Array) => void;
  readonly #write: (line: Uint8Array) => Promise<void>;
  readonly #line: Uint8Array;
  readonly #mostWaiting: number;

  #blankRows = 0;
  readonly #waiting: Row[] = [];
  /** So many of them have been given the colours of each other. */
  #settled = 0;
  readonly #spare: Row[] = [];
  /** The samples of the row written last, unless they are still to be taken from its pixels. */
  readonly #above: Uint8Array;
  #pixelsAbove: Uint8Array | undefined;
  #isAboveAsItWas = true;
  /** The distances of a row that can be seen throughout. */
  readonly #noDistances: Uint16Array;

  /**
   * @param take copies the samples of a row's pixels, be they filtered or not
   * @param write is given each scanline of the samples; it is valid until that resolves
   */
  constructor(
    { width, components, sampleBytes }: ColorLayout,
    take: (bytes: Uint8Array, samples: Uint8Array) => void,
    write: (line: Uint8Array) => Promise<void>,
  ) {
    this.#pixelBytes = components * sampleBytes;
    this.#take = take;
    this.#write = write;
    const rowBytes = width * this.#pixelBytes;
    this.#line = new Uint8Array(1 + rowBytes);
    this.#above = new Uint8Array(rowBytes);
    this.#noDistances = new Uint16Array(width);
    this.#mostWaiting = Math.max(2, Math.min(WAITING_ROWS, Math.floor(WAITING_BYTES / (rowBytes + 2 * width))));
  }

  /**
   * Adds a row that can be seen throughout.
   * @param line its scanline
   * @param pixels the same without its filter; they have to stay until the next row has been added
   */
  async addVisible(line: Uint8Array, pixels: Uint8Array): Promise<void> {
    if (this.#waiting.length === 0 && this.#blankRows === 0 && this.#isAboveAsItWas) {
      this.#line[0] = line[0]!;
      this.#take(line.subarray(1), this.#line.subarray(1));
      await this.#write(this.#line);
    } else {
      const row = this.#newRow(pixels);
      row.distances.fill(0);
      this.#waiting.push(row);
      await this.#writeWaiting(this.#waiting.length);
      this.#isAboveAsItWas = true;
    }
    this.#pixelsAbove = pixels;
  }

  /**
   * Adds any row.
   * @param alpha of each pixel; what is 0 cannot be seen
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
    if (this.#waiting.length === this.#mostWaiting) await this.#writeWaiting(this.#mostWaiting >> 1);
  }

  /** Writes the rows that are left. */
  async finish(): Promise<void> {
    await this.#writeWaiting(this.#waiting.length);
    await this.#writeCopies(this.#blankRows);
  }

  #newRow(pixels: Uint8Array): Row {
    const row = this.#spare.pop() ?? {
      samples: new Uint8Array(this.#above.length),
      distances: new Uint16Array(this.#noDistances.length),
    };
    this.#take(pixels, row.samples);
    return row;
  }

  /** Returns the samples of the row written last. */
  #samplesAbove(): Uint8Array {
    if (this.#pixelsAbove) this.#take(this.#pixelsAbove, this.#above);
    this.#pixelsAbove = undefined;
    return this.#above;
  }

  /** Spreads colours upwards among the rows that wait, and writes the first `count`. */
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
      this.#isAboveAsItWas = false;
      await this.#writeCopies(this.#blankRows);
      this.#blankRows = 0;
      this.#spare.push(row);
    }
  }

  /** Writes the row written last again. */
  async #writeCopies(count: number): Promise<void> {
    if (count === 0) return;
    this.#line.fill(0);
    this.#line[0] = FILTER.UP;
    for (let i = 0; i < count; i++) await this.#write(this.#line);
  }
}

/** Gives pixels of alpha 0 the nearest colour of those beside them and of those that the row above has. */
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
 * Spreads a pixel's colour to the left or right for as long as it is the nearest. Distances of neighbours differ by 1 at
 * most: where it is no longer, it will not be again.
 */
function spreadAside({ samples, distances }: Row, from: number, step: 1 | -1, pixelBytes: number): void {
  for (let x = from + step, distance = 1; distance < distances[x]!; x += step, distance++) {
    distances[x] = distance;
    for (let i = 0; i < pixelBytes; i++) samples[x * pixelBytes + i] = samples[from * pixelBytes + i]!;
  }
}

/** Gives pixels the colours of the row below where those are nearer. Returns whether there are any. */
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

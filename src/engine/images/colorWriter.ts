import type { ColorLayout } from "./colorBleed.ts";
import { scanlines } from "./scanlines.ts";
import { type Content, Deflater } from "./zlibStreams.ts";

/** Compressed scanlines of colors. */
export interface Colors {
  data: Uint8Array;
  components: 1 | 3;
}

/**
 * Compresses scanlines of colors. RGB becomes gray if all pixels are neutral. Filters act on each channel separately
 * (PNG, 9.2). Equal channels therefore stay equal after filtering. Any one of them is the gray image.
 */
export class ColorWriter {
  readonly #layout;
  readonly #content;
  readonly #lengths;
  #lines = 0;
  readonly #mayBeGray: boolean;
  /**
   * The two possible outputs: gray only, and all components. Each output is created on first use. Most images need
   * neither output, because their data is copied unchanged.
   */
  #gray: Deflater | undefined;
  #all: Deflater | undefined;

  /** @param mayBeGray whether RGB may be written as gray */
  constructor(layout: ColorLayout, content: Content, mayBeGray: boolean) {
    const { width, components, sampleBytes } = layout;
    this.#layout = layout;
    this.#content = content;
    this.#lengths = { gray: 1 + width * sampleBytes, all: 1 + width * components * sampleBytes };
    this.#mayBeGray = components === 3 && mayBeGray;
  }

  /** Adds a scanline. */
  async add(line: Uint8Array): Promise<void> {
    if (await this.addGray(line)) return;
    this.#all ??= await this.#rewriteAsRgb();
    (await this.#all.next(line.length)).set(line);
  }

  /**
   * Adds a scanline as gray if RGB may be written as gray and all scanlines so far are neutral, including this one.
   * Returns whether the scanline was added.
   */
  async addGray(line: Uint8Array): Promise<boolean> {
    const { sampleBytes } = this.#layout;
    if (!this.#mayBeGray || this.#all || !isNeutral(line, sampleBytes)) return false;
    this.#gray ??= new Deflater(this.#content, this.#lengths.gray);
    takeSamples(line, sampleBytes, await this.#gray.next(this.#lengths.gray));
    this.#lines++;
    return true;
  }

  async finish(): Promise<Colors> {
    if (this.#all) return { data: await this.#all.finish(), components: this.#layout.components };
    return { data: await this.#gray!.finish(), components: 1 };
  }

  /** Creates the stream of all components, and rewrites the gray scanlines written so far as RGB. */
  async #rewriteAsRgb(): Promise<Deflater> {
    const all = new Deflater(this.#content, this.#lengths.all);
    if (!this.#gray) return all;
    const lengths = new Array<number>(this.#lines).fill(this.#lengths.gray);
    for await (const line of scanlines(await this.#gray.finish(), lengths))
      repeatSamples(line, this.#layout.sampleBytes, await all.next(this.#lengths.all));
    return all;
  }
}

/** Returns whether red, green and blue are equal in each pixel of a scanline. */
function isNeutral(line: Uint8Array, sampleBytes: number): boolean {
  for (let at = 1; at < line.length; at += 3 * sampleBytes)
    for (let i = at; i < at + sampleBytes; i++)
      if (line[i] !== line[i + sampleBytes] || line[i] !== line[i + 2 * sampleBytes]) return false;
  return true;
}

/** Copies the first of the three samples of each pixel. */
function takeSamples(line: Uint8Array, sampleBytes: number, gray: Uint8Array): void {
  gray[0] = line[0]!;
  for (let from = 1, to = 1; to < gray.length; from += 2 * sampleBytes)
    for (const end = to + sampleBytes; to < end; ) gray[to++] = line[from++]!;
}

/** Writes each gray sample three times. */
function repeatSamples(gray: Uint8Array, sampleBytes: number, line: Uint8Array): void {
  line[0] = gray[0]!;
  for (let from = 1, to = 1; from < gray.length; from += sampleBytes)
    for (let channel = 0; channel < 3; channel++) for (let i = 0; i < sampleBytes; i++) line[to++] = gray[from + i]!;
}

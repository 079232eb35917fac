import { bitsPerPixel, type PngHeader, scanlineLength } from "./pngChunks.ts";
import type { DrawnMask } from "./pngTransparency.ts";
import { FILTER, Unfilter } from "./scanlines.ts";
import { Deflater } from "./zlibStreams.ts";

/** Draws the soft mask of an image from its pixels, scanline by scanline. */
export class SoftMaskWriter {
  readonly #bits;
  readonly #draw;
  readonly #unfilter;
  readonly #lineLength;
  readonly #deflater;

  constructor(header: PngHeader, { bits, draw }: DrawnMask) {
    this.#bits = bits;
    this.#draw = draw;
    this.#unfilter = new Unfilter(bitsPerPixel(header), scanlineLength(header, header.width));
    this.#lineLength = 1 + Math.ceil((header.width * bits) / 8);
    this.#deflater = new Deflater("drawing", this.#lineLength);
  }

  /** Draws the mask of the image's next scanline, which is still filtered. */
  async add(line: Uint8Array): Promise<void> {
    const maskLine = await this.#deflater.next(this.#lineLength);
    maskLine[0] = FILTER.NONE;
    this.#draw(this.#unfilter.next(line), maskLine.subarray(1));
  }

  /** Returns the mask's scanlines, compressed. */
  async finish(): Promise<{ data: Uint8Array; bits: number }> {
    return { data: await this.#deflater.finish(), bits: this.#bits };
  }
}

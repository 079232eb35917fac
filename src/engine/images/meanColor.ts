import type { Color } from "../pdf/content/color.ts";
import type { ColorLayout } from "./colorBleed.ts";

/** Distance between two counted pixels of a row. */
const STEP = 4;
/** Minimum alpha of a counted pixel. */
const VISIBLE = 128;

/** Computes the mean color of an image's visible pixels from some of its rows. */
export class MeanColor {
  readonly #layout: ColorLayout;
  readonly #palette: Uint8Array | undefined;
  readonly #sums: [number, number, number] = [0, 0, 0];
  #count = 0;

  /** @param palette the RGB colors of the samples' values; undefined if the samples are gray or RGB themselves */
  constructor(layout: ColorLayout, palette: Uint8Array | undefined) {
    this.#layout = layout;
    this.#palette = palette;
  }

  /** Adds every `STEP`th pixel of a row to the mean, if the pixel is visible. `alpha` has one byte per pixel. */
  add(samples: Uint8Array, alpha: Uint8Array): void {
    const { components, sampleBytes } = this.#layout;
    for (let x = 0; x < alpha.length; x += STEP) {
      if (alpha[x]! < VISIBLE) continue;
      const at = x * components * sampleBytes;
      const [from, first, step] = this.#palette ? [this.#palette, 3 * samples[at]!, 1] : [samples, at, sampleBytes];
      const isGray = !this.#palette && components === 1;
      for (let i = 0; i < 3; i++) this.#sums[i]! += from[first + (isGray ? 0 : i * step)] ?? 0;
      this.#count++;
    }
  }

  /** The mean color. Undefined if no visible pixel was counted. */
  get color(): Color | undefined {
    const [red, green, blue] = this.#sums;
    const total = 255 * this.#count;
    return total > 0 ? [red / total, green / total, blue / total] : undefined;
  }
}

/** Decides whether the appearance of an annotation is opaque (ISO 32000-2, 12.5.5). */
import type { Bounds } from "../content/bounds.ts";
import type { Objects } from "../objects/objects.ts";
import type { Box } from "../pages/boxes.ts";
import { BEGINNING, PageInkReader } from "../pages/pageInk.ts";
import type { Reference } from "../syntax/values.ts";
import { opaqueAreasInto } from "./paintedPages.ts";

/** An appearance counts as opaque if opaque areas cover at least this share of the sample points of its box. */
const OPAQUE_SHARE = 0.95;
/** Number of sample points along each side of an appearance's box. */
const SAMPLES = 20;

/** Reads appearances within the limits {@link BEGINNING} for all appearances of a file. */
export class AppearanceInk {
  readonly #reader: PageInkReader;
  /** Maps the object number of each appearance read so far to whether the appearance is opaque. */
  readonly #opaque = new Map<number, boolean>();

  constructor(objects: Objects) {
    this.#reader = new PageInkReader(objects, BEGINNING);
  }

  /** Returns whether a form XObject paints nearly all of its box opaquely. Ignores the form's matrix. */
  async isOpaque(form: Reference): Promise<boolean> {
    const known = this.#opaque.get(form.num);
    if (known !== undefined) return known;
    const areas: Box[] = [];
    const box = await this.#reader.readForm(form, opaqueAreasInto(areas));
    const isOpaque = box !== undefined && coveredShare(box, areas) >= OPAQUE_SHARE;
    this.#opaque.set(form.num, isOpaque);
    return isOpaque;
  }
}

/** Returns the share of the sample points of `box` that lie in any of the areas. */
function coveredShare([left, bottom, right, top]: Bounds, areas: readonly Box[]): number {
  let covered = 0;
  for (let i = 0; i < SAMPLES ** 2; i++) {
    const x = left + (((i % SAMPLES) + 0.5) / SAMPLES) * (right - left);
    const y = bottom + ((Math.floor(i / SAMPLES) + 0.5) / SAMPLES) * (top - bottom);
    if (areas.some(({ x0, y0, x1, y1 }) => x0 <= x && x <= x1 && y0 <= y && y <= y1)) covered++;
  }
  return covered / SAMPLES ** 2;
}

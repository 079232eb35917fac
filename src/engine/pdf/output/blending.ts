/**
 * Adds a color space for blending to pages (ISO 32000-2, 11.6.6). Acrobat composites a page in CMYK if it has a
 * transparent object but no color space for blending. This changes the colors of the whole page. In print, however,
 * blending in RGB would change black text and spot colors. Only pages that have RGB colors and no colors for print
 * therefore blend in RGB.
 */
import { NAMED_SPACE } from "../content/operators.ts";
import type { PdfDocument } from "../document/pdfDocument.ts";
import type { PageEntry } from "../pages/page.ts";
import {
  colorsOfContent,
  PRINT,
  ResourceColorReader,
  type ResourceColors,
  SCREEN,
  UNKNOWN,
} from "../pages/resourceColors.ts";
import type { Splice } from "../pages/rewrite.ts";
import { runYielding } from "../source/meter.ts";

const RGB_SPACE = "/CS/DeviceRGB";
const RGB_GROUP = `/Group<</S/Transparency${RGB_SPACE}>>`;
const BLANK_SPACE = " ".repeat(RGB_SPACE.length);
const BLANK_GROUP = " ".repeat(RGB_GROUP.length);

/** A page that may blend in RGB. */
interface Candidate {
  readonly page: PageEntry;
  readonly resources: ResourceColors;
  /**
   * A splice of the page's dictionary. Its text begins with the transparency group, or with blanks of the same length.
   */
  splice: Splice | undefined;
}

/** Decides which pages of the output get a transparency group with a color space. */
export class Blending {
  /** Pages that may blend in RGB, by page index. Undefined for a page that already has a color space for blending. */
  readonly #candidates: readonly (Candidate | undefined)[];

  private constructor(candidates: readonly (Candidate | undefined)[]) {
    this.#candidates = candidates;
  }

  /** Reads the colors of the pages' resources. Must be called after the mark has been laid over all pages. */
  static async of({ pages, uses, objects, press }: PdfDocument): Promise<Blending> {
    if (!uses.has("transparency") || press.isForPrint) return new Blending([]);
    const reader = new ResourceColorReader(objects);
    const candidates: (Candidate | undefined)[] = [];
    const step = () => {
      const page = pages[candidates.length];
      if (!page) return false;
      const isGiven = page.group === "retained" || page.group?.hasColorSpace;
      candidates.push(isGiven ? undefined : { page, resources: reader.of(page.ownResources), splice: undefined });
      return true;
    };
    await runYielding(objects.source.meter, step, (slice) => objects.run(slice));
    return new Blending(candidates);
  }

  /** Inserts the transparency group of a page at the start of a splice of the page's dictionary. */
  addGroup(page: PageEntry, splice: Splice): void {
    const candidate = this.#candidates[page.index];
    if (candidate) candidate.splice = splice;
    if (candidate || typeof page.group === "object") splice.insert = groupText(page, false) + splice.insert;
  }

  /**
   * Decides which pages blend in RGB. Call this method before the pages are written, but after their content has been
   * read. Some content is read only while the source is copied. A page with unread content is treated like the page
   * before it.
   */
  decide(): void {
    let isRgb = false;
    for (const candidate of this.#candidates) {
      if (!candidate) continue;
      const { page, resources, splice } = candidate;
      isRgb = isScreenPage(page, resources) ?? isRgb;
      if (!isRgb || !splice) continue;
      const group = groupText(page, true);
      splice.insert = group + splice.insert.slice(group.length);
    }
  }
}

/**
 * Returns whether a page has RGB colors and no colors for print. Returns undefined if the content of the page is
 * unknown.
 */
function isScreenPage({ content }: PageEntry, { drawn, named }: ResourceColors): boolean | undefined {
  const isRead = content.colors !== undefined && (drawn & UNKNOWN) === 0;
  const selected = content.colors ?? NAMED_SPACE;
  const colors = drawn | colorsOfContent(selected) | ((selected & NAMED_SPACE) > 0 ? named : 0);
  if ((colors & PRINT) > 0) return false;
  if ((colors & SCREEN) > 0) return true;
  return isRead ? false : undefined;
}

/**
 * Returns the entry /Group of a page. If the page does not blend in RGB, blanks of the same length replace the text for
 * RGB.
 */
function groupText({ group }: PageEntry, isRgb: boolean): string {
  if (typeof group !== "object") return isRgb ? RGB_GROUP : BLANK_GROUP;
  const space = group.hasColorSpace ? "" : isRgb ? RGB_SPACE : BLANK_SPACE;
  return `/Group<</S/Transparency${group.entries}${space}>>`;
}

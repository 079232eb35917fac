/** Finds the pages on which a mark needs white parts, because the page below the mark is dark. */
import type { Color } from "../pdf/content/color.ts";
import { type Matrix, multiply } from "../pdf/content/matrix.ts";
import type { PdfDocument } from "../pdf/document/pdfDocument.ts";
import type { Page } from "../pdf/pages/page.ts";
import { beginsDark } from "../pdf/pages/pageContent.ts";
import { PageInkReader } from "../pdf/pages/pageInk.ts";
import { needsWhite, type Paint } from "./contrast.ts";
import { type Point, type Size, samplesOf, toUserSpace } from "./geometry.ts";

/** Limits on the content that is run, in bytes. */
const LIMITS = { run: 8 << 20, content: 8 << 20, data: Number.POSITIVE_INFINITY };
/** Share of the mark's sample points that must be on dark areas. */
const DARK_SHARE = 0.9;

/**
 * Returns the indexes of the pages on which the mark needs white parts. Must be called before a mark is laid over the
 * pages.
 *
 * Runs only content that begins with a dark background, so other pages cost no time. Areas of an unknown color, such as
 * images, do not count as dark. A page whose content has not been read is treated like the page before it.
 * @param placeOn returns the size of the mark and its matrix to displayed space. Returns undefined if the mark covers
 * the page.
 */
export async function darkPages(
  document: PdfDocument,
  paint: Paint,
  placeOn: (page: Page) => { size: Size; matrix: Matrix } | undefined,
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  if (!document.adaptsToDark) return found;
  const reader = new PageInkReader(document.objects, LIMITS);
  let isCandidate = false;
  for (const page of document.pages) {
    const { box, content } = page;
    isCandidate = content.colors === undefined ? isCandidate : beginsDark(content, box);
    if (!isCandidate) continue;
    const place = placeOn(page);
    const points = place
      ? samplesOf([0, 0, place.size.width, place.size.height], multiply(place.matrix, toUserSpace(page)))
      : samplesOf([box.x0, box.y0, box.x1, box.y1]);
    const visible = points.filter(({ x, y }) => box.x0 < x && x < box.x1 && box.y0 < y && y < box.y1);
    const colors = await colorsBelow(reader, page, visible);
    const dark = colors?.filter((color) => color && needsWhite(paint, color)) ?? [];
    if (dark.length > 0 && dark.length >= DARK_SHARE * visible.length) found.add(page.index);
    await document.objects.source.meter.yieldIfDue();
  }
  return found;
}

/**
 * Returns the color of the topmost area at each point, in user space. A color is undefined if it is unknown. Text and
 * lines do not count. Returns undefined if the content of the page cannot be read.
 */
async function colorsBelow(
  reader: PageInkReader,
  page: PdfDocument["pages"][number],
  points: readonly Point[],
): Promise<(Color | undefined)[] | undefined> {
  const colors = new Array<Color | undefined>(points.length);
  const isRead = await reader.read(page, {
    area({ bounds: [x0, y0, x1, y1], isOpaque, color }) {
      for (const [i, { x, y }] of points.entries())
        if (x0 <= x && x <= x1 && y0 <= y && y <= y1) colors[i] = isOpaque ? color : undefined;
    },
  });
  return isRead ? colors : undefined;
}

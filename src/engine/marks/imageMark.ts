import type { Picture } from "../images/picture.ts";
import { DEFAULTS, type ImageMark } from "../options.ts";
import type { PdfDocument } from "../pdf/document.ts";
import type { Page } from "../pdf/page.ts";
import { type Mark, makeMark, repeatMark } from "./form.ts";
import {
  displayedSize,
  haveSameShape,
  largestScale,
  type Matrix,
  marginOn,
  placeAt,
  roomOn,
  sizeKey,
  tile,
} from "./geometry.ts";
import { numbers } from "./operators.ts";
import { type Placement, placeOnPages } from "./placeOnPages.ts";
import { spotOf } from "./positions.ts";

/**
 * Ghostscript maps soft masks, which are /DeviceGray always (ISO 32000-2, 11.6.5.2), through the page's default for it.
 * This one leaves them as they are.
 */
const LINEAR_GRAY = "/ColorSpace<</DefaultGray[/CalGray<</WhitePoint[0.9505 1 1.089]>>]>>";

/** Lays an image over every page, `scale` of the displayed width wide but within the margins. It is stored once. */
export async function markWithImage(
  document: PdfDocument,
  picture: Picture,
  options: Omit<ImageMark, "image">,
): Promise<void> {
  const { width, height } = picture;
  const { opacity = DEFAULTS.opacity, rotation = DEFAULTS.rotation, scale = DEFAULTS.scale } = options;
  const spot = spotOf(options.position ?? DEFAULTS.imagePosition);
  const { xobject, matrix } = picture.embed(document);
  const mark = makeMark(
    document,
    {
      box: [0, 0, width, height],
      resources: `/XObject << /Image ${xobject} >>${document.deviceColors.has(1) ? "" : LINEAR_GRAY}`,
      content: `${width} 0 0 ${height} 0 0 cm ${numbers(matrix)} cm /Image Do`,
    },
    opacity,
  );

  const repeated = new Map<string, Mark>();
  let last: { page: Page; placement: Placement } | undefined;
  const placementOn = (page: Page): Placement => {
    const shown = displayedSize(page);
    const marginPt = marginOn(shown, options.marginPt);
    const factor = Math.min((scale * shown.width) / width, largestScale(picture, roomOn(shown, marginPt), rotation));
    if (spot) return one(mark, placeAt(spot, picture, factor, rotation, shown, marginPt));

    const key = sizeKey(shown);
    const copies = repeated.get(key) ?? repeatMark(document, mark, tile(picture, factor, rotation, shown), shown);
    repeated.set(key, copies);
    return one(copies, [1, 0, 0, 1, 0, 0]);
  };
  await placeOnPages(document, (page) => {
    if (!last || !haveSameShape(last.page, page)) last = { page, placement: placementOn(page) };
    return last.placement;
  });
}

function one(mark: Mark, matrix: Matrix): Placement {
  return { matrix, parts: [{ mark, x: 0, y: 0 }] };
}

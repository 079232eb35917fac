import type { Picture } from "../images/picture.ts";
import { DEFAULTS, type ImageMark } from "../options.ts";
import type { PdfDocument } from "../pdf/document/pdfDocument.ts";
import type { Page } from "../pdf/pages/page.ts";
import { makeMark } from "./form.ts";
import { haveSameShape, largestScale, marginOn, roomOn } from "./geometry.ts";
import { numbers } from "./operators.ts";
import { type MarkOutline, type PlacedMarks, type Placement, placeOnPages } from "./placeOnPages.ts";
import { Placer } from "./placer.ts";
import { placesFor } from "./places.ts";
import { spotOf } from "./positions.ts";

/**
 * Resource that keeps the values of /DeviceGray unchanged. A soft mask is always /DeviceGray (ISO 32000-2, 11.6.5.2),
 * and Ghostscript interprets its values in the page's default color space.
 */
const LINEAR_GRAY = "/ColorSpace<</DefaultGray[/CalGray<</WhitePoint[0.9505 1 1.089]>>]>>";

/**
 * Puts an image on every page and embeds it only once. The width of the image is `scale` times the displayed page
 * width, or less if the image would cross the margins.
 */
export async function markWithImage(
  document: PdfDocument,
  picture: Picture,
  options: Omit<ImageMark, "image">,
  onPlace?: (outline: MarkOutline) => void,
): Promise<PlacedMarks> {
  const { width, height } = picture;
  const { opacity = DEFAULTS.opacity, rotation = DEFAULTS.rotation, scale = DEFAULTS.scale } = options;
  const { marginPt = DEFAULTS.marginPt, position = DEFAULTS.imagePosition } = options;
  const isAuto = position === "auto";
  const spot = spotOf(isAuto ? DEFAULTS.imagePosition : position);
  const isUnder = document.layer === "under";
  const { xobject, matrix } = picture.embed(document, isUnder ? opacity : 1);
  const mark = makeMark(
    document,
    {
      box: [0, 0, width, height],
      resources: `/XObject << /Image ${xobject} >>${isUnder || document.deviceColors.has(1) ? "" : LINEAR_GRAY}`,
      content: `${width} 0 0 ${height} 0 0 cm ${numbers(matrix)} cm /Image Do`,
    },
    isUnder ? 1 : opacity,
  );

  const placer = new Placer(document, options);
  const placeOn = await placesFor(document, placer, { spot, isAuto, marginPt }, (page) => {
    const frame = placer.frameOn(page);
    const room = roomOn(frame, marginOn(frame, marginPt));
    const factor = Math.min((scale * frame.width) / width, largestScale(picture, room, rotation));
    return { size: picture, scale: factor, rotation };
  });
  let previous: { page: Page; placement: Placement } | undefined;
  const placementOn = (page: Page): Placement => {
    const { matrix, tiling } = placeOn(page);
    const copies = tiling?.copiesOf(mark);
    return {
      matrix,
      size: picture,
      parts: (copies ? [mark, copies] : [mark]).map((part) => ({ mark: part, x: 0, y: 0 })),
    };
  };
  const cached = (page: Page): Placement => {
    if (isAuto || !previous || !haveSameShape(previous.page, page)) previous = { page, placement: placementOn(page) };
    return previous.placement;
  };
  return placeOnPages(document, cached, onPlace);
}

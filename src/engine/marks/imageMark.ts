import type { Picture } from "../images/picture.ts";
import { DEFAULTS, type ImageMark } from "../options.ts";
import { BLACK } from "../pdf/content/color.ts";
import type { PdfDocument } from "../pdf/document/pdfDocument.ts";
import type { Page } from "../pdf/pages/page.ts";
import { darkPages } from "./darkPages.ts";
import { drawPicture } from "./drawPicture.ts";
import { type Mark, makeMark } from "./form.ts";
import { haveSameShape, largestScale, marginOn, roomOn } from "./geometry.ts";
import { type MarkOutline, type PlacedMarks, type Placement, placeOnPages } from "./placeOnPages.ts";
import { Placer } from "./placer.ts";
import { placesFor } from "./places.ts";
import { spotOf } from "./positions.ts";

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
  const { width } = picture;
  const { opacity = DEFAULTS.opacity, rotation = DEFAULTS.rotation, scale = DEFAULTS.scale } = options;
  const { marginPt = DEFAULTS.marginPt, position = DEFAULTS.imagePosition, edge = DEFAULTS.edge } = options;
  const isAuto = position === "auto";
  const spot = spotOf(isAuto ? DEFAULTS.imagePosition : position);
  const isUnder = document.layer === "under";
  const embedded = picture.embed(document, isUnder ? opacity : 1);
  const draw = (hasEdge: boolean) =>
    makeMark(document, drawPicture(document, picture, embedded, hasEdge), isUnder ? 1 : opacity);
  const mark = draw(false);
  let markOnDark: Mark | undefined;

  const placer = new Placer(document, options);
  const placeOn = await placesFor(document, placer, { spot, isAuto, marginPt }, (page) => {
    const frame = placer.frameOn(page);
    const room = roomOn(frame, marginOn(frame, marginPt));
    const factor = Math.min((scale * frame.width) / width, largestScale(picture, room, rotation));
    return { size: picture, scale: factor, rotation };
  });
  document.adaptsToDark = edge === "auto" && !isUnder && picture.visibleColor !== undefined;
  const dark = await darkPages(document, { color: picture.visibleColor ?? BLACK, opacity }, (page) => {
    const { matrix, tiling } = placeOn(page);
    return tiling ? undefined : { size: picture, matrix };
  });

  let previous: { page: Page; isDark: boolean; placement: Placement } | undefined;
  const placementOn = (page: Page, isDark: boolean): Placement => {
    const { matrix, tiling } = placeOn(page);
    if (isDark) markOnDark ??= draw(true);
    const shown = isDark ? markOnDark! : mark;
    const copies = tiling?.copiesOf(shown);
    return {
      matrix,
      size: picture,
      isTiled: tiling !== undefined,
      parts: (copies ? [shown, copies] : [shown]).map((part) => ({ mark: part, x: 0, y: 0 })),
    };
  };
  const cached = (page: Page): Placement => {
    const isDark = dark.has(page.index);
    if (isAuto || !previous || previous.isDark !== isDark || !haveSameShape(previous.page, page))
      previous = { page, isDark, placement: placementOn(page, isDark) };
    return previous.placement;
  };
  return placeOnPages(document, cached, onPlace);
}

import type { PdfDocument } from "../pdf/document.ts";
import type { ImageRequest } from "../schemas.ts";
import { makeMark } from "./form.ts";
import { displayedSize, largestScale, marginOn, placeAt, tile } from "./geometry.ts";
import type { Picture } from "./image/picture.ts";
import { numbers } from "./operators.ts";
import { layOver } from "./stamp.ts";

/** Lays an image over every page, `scale` of the displayed width wide but never past the margins. It is stored once. */
export function markWithImage(document: PdfDocument, request: ImageRequest, picture: Picture): void {
  const { width, height } = picture;
  const { xobject, matrix } = picture.embed(document);
  const mark = makeMark(
    document,
    {
      width,
      height,
      bleed: 0,
      resources: `/XObject << /Image ${xobject} >>`,
      content: `${width} 0 0 ${height} 0 0 cm ${numbers(matrix)} cm /Image Do`,
    },
    request.opacity,
  );

  layOver(document, (page) => {
    const shown = displayedSize(page);
    const marginPt = marginOn(shown, request.margin);
    const scale = Math.min((request.scale * shown.width) / width, largestScale(mark, shown, 0, marginPt));
    return {
      key: "image",
      mark: () => mark,
      matrices:
        request.position === "tile"
          ? tile(mark, scale, 0, shown)
          : [placeAt(request.position, mark, scale, 0, shown, marginPt)],
    };
  });
}

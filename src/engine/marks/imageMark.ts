import type { ImageRequest } from "../../schemas.ts";
import type { Picture } from "../images/picture.ts";
import type { PdfDocument } from "../pdf/document.ts";
import { deviceColors, type Mark, makeMark, repeatMark } from "./form.ts";
import { displayedSize, keyOf, largestScale, type Matrix, marginOn, placeAt, tile } from "./geometry.ts";
import { numbers } from "./operators.ts";
import { layOver, type Placement } from "./placeOnPages.ts";

/** Lays an image over every page, `scale` of the displayed width wide but never past the margins. It is stored once. */
export function markWithImage(document: PdfDocument, request: ImageRequest, picture: Picture): void {
  const { width, height } = picture;
  const { rotation } = request;
  const { xobject, matrix } = picture.embed(document);
  const mark = makeMark(
    document,
    {
      box: [0, 0, width, height],
      resources: `/XObject << /Image ${xobject} >>${deviceColors("Gray", "RGB", "CMYK")}`,
      content: `${width} 0 0 ${height} 0 0 cm ${numbers(matrix)} cm /Image Do`,
    },
    request.opacity,
  );

  const repeated = new Map<string, Mark>();
  layOver(document, (page) => {
    const shown = displayedSize(page);
    const marginPt = marginOn(shown, request.margin);
    const scale = Math.min((request.scale * shown.width) / width, largestScale(picture, shown, rotation, marginPt));
    if (request.position !== "tile")
      return one(mark, placeAt(request.position, picture, scale, rotation, shown, marginPt));

    const key = keyOf(shown);
    const copies = repeated.get(key) ?? repeatMark(document, mark, tile(picture, scale, rotation, shown), shown);
    repeated.set(key, copies);
    return one(copies, [1, 0, 0, 1, 0, 0]);
  });
}

function one(mark: Mark, matrix: Matrix): Placement {
  return { matrix, parts: [{ mark, x: 0, y: 0 }] };
}

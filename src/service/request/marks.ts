/** Converts a request's fields to a mark of the engine. The Worker and the page both use these functions. */
import type { ImageMark, TextMark } from "../../engine/index.ts";
import type { ImageRequest, TextRequest } from "./schemas.ts";

/** Returns the text mark of a request. */
export function textMarkOf(request: Omit<TextRequest, "file">): TextMark {
  const { file: _, filename, password, font_size: fontSizePt, page_start: pageStart, ...rest } = request as TextRequest;
  const { margin: marginPt, offset_x: offsetXPt, offset_y: offsetYPt, tile_gap: tileGap, ...fields } = rest;
  return {
    ...optionsOf<TextMark, typeof fields>(fields),
    fontSizePt,
    pageStart,
    marginPt,
    offsetXPt,
    offsetYPt,
    tileGap,
  };
}

/** Returns the image mark of a request, with the bytes of its image. */
export function imageMarkOf(request: Omit<ImageRequest, "file" | "image">, image: Uint8Array): ImageMark {
  const { file: _, image: __, filename, password, ...rest } = request as ImageRequest;
  const { margin: marginPt, offset_x: offsetXPt, offset_y: offsetYPt, tile_gap: tileGap, ...fields } = rest;
  return {
    ...optionsOf<Omit<ImageMark, "image">, typeof fields>(fields),
    image,
    marginPt,
    offsetXPt,
    offsetYPt,
    tileGap,
  };
}

/** Returns fields of a request as options of a mark. A field that is not an option causes a compile error. */
function optionsOf<
  Options,
  Fields extends { [Field in keyof Fields]: Field extends keyof Options ? Options[Field] : never },
>(fields: Fields): Fields {
  return fields;
}

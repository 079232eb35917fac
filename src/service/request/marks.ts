/** What a request asks of the engine: the one place where its fields become a mark, for the Worker and for the page. */
import type { ImageMark, TextMark } from "../../engine/index.ts";
import type { ImageRequest, TextRequest } from "./schemas.ts";

/** Returns the text mark that a request asks for. */
export function textMarkOf(request: Omit<TextRequest, "file">): TextMark {
  const { file: _, filename, password, font_size: fontSizePt, margin: marginPt, ...fields } = request as TextRequest;
  return { ...optionsOf<TextMark, typeof fields>(fields), fontSizePt, marginPt };
}

/** Returns the mark that a request asks for, with its image, which has been fetched or uploaded. */
export function imageMarkOf(request: Omit<ImageRequest, "file" | "image">, image: Uint8Array): ImageMark {
  const { file: _, image: __, filename, password, margin: marginPt, ...fields } = request as ImageRequest;
  return { ...optionsOf<Omit<ImageMark, "image">, typeof fields>(fields), image, marginPt };
}

/** Fields of a request as options of a mark. It does not compile for a field that is no option. */
function optionsOf<
  Options,
  Fields extends { [Field in keyof Fields]: Field extends keyof Options ? Options[Field] : never },
>(fields: Fields): Fields {
  return fields;
}

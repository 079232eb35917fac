import type { ImagePosition, Position } from "./marks/positions.ts";
import { DEFAULT_TEMPLATE, type TemplateName } from "./marks/templates.ts";

/** Options that text and image marks share. */
interface MarkOptions {
  /** Opacity of the whole mark: 0 is invisible, 1 opaque. */
  opacity?: number | undefined;
  /** Degrees counter-clockwise, relative to the page as displayed. */
  rotation?: number | undefined;
  /** Distance from the edges of the page in points, at most a tenth of its shorter side. */
  marginPt?: number | undefined;
}

/** A text to lay over every page. Omitted options come from the template, opacity and margin from {@link DEFAULTS}. */
export interface TextMark extends MarkOptions {
  /** At least one visible character; `\n` breaks a line. For placeholders see {@link fillIn}. */
  text: string;
  template?: TemplateName | undefined;
  position?: Position | undefined;
  /** Color as `#rrggbb`. */
  color?: string | undefined;
  /** BCP 47 tag of the text's language, for its forms of letters. By default guessed from the text and the document. */
  lang?: string | undefined;
  /** Font size in points, by default the largest of the template. Smaller if the page cannot hold the text. */
  fontSizePt?: number | undefined;
}

/** An image to lay over every page. */
export interface ImageMark extends MarkOptions {
  /** The bytes of a file of one of the {@link IMAGE_FORMATS}. */
  image: Uint8Array;
  position?: ImagePosition | undefined;
  /** Width of the image as a fraction of the page width; the image is smaller if it would leave the page. */
  scale?: number | undefined;
}

/** Defaults for omitted options. `rotation` and `scale` apply to images: a text's rotation comes from its template. */
export const DEFAULTS = {
  template: DEFAULT_TEMPLATE,
  imagePosition: "center" as ImagePosition,
  opacity: 0.3,
  rotation: 0,
  scale: 0.5,
  marginPt: 24,
} as const;

import type { ImagePosition, Position } from "./marks/positions.ts";
import { DEFAULT_TEMPLATE, type TemplateName } from "./marks/templates.ts";

/** What marks have in common. */
interface MarkOptions {
  /** Of the mark as a whole: 0 is invisible, 1 opaque. */
  opacity?: number | undefined;
  /** Degrees, counter-clockwise as the reader sees the page. */
  rotation?: number | undefined;
  /** Points from the edges of the page, never more than a tenth of its shorter side. */
  marginPt?: number | undefined;
}

/** A text to lay over every page. What is left out is as the template has it. */
export interface TextMark extends MarkOptions {
  /** At least one visible character; `\n` breaks a line. {@link fillIn} says what is filled in. */
  text: string;
  template?: TemplateName | undefined;
  position?: Position | undefined;
  /** `#rrggbb`. */
  color?: string | undefined;
  /** Otherwise the text is as large as its template allows and the page holds. */
  fontSizePt?: number | undefined;
}

/** An image to lay over every page. */
export interface ImageMark extends MarkOptions {
  /** A PNG or a JPEG. */
  image: Uint8Array;
  position?: ImagePosition | undefined;
  /** Width of the image as a share of the page's width; the image is smaller where it would leave the page. */
  scale?: number | undefined;
}

/** What is taken where a mark says nothing. */
export const DEFAULTS = {
  template: DEFAULT_TEMPLATE,
  imagePosition: "center" as ImagePosition,
  opacity: 0.3,
  rotation: 0,
  scale: 0.5,
  marginPt: 24,
} as const;

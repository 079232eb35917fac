import type { FontStyle } from "./fonts/language.ts";
import type { FrameBox } from "./marks/geometry.ts";
import type { ImagePosition, Position } from "./marks/positions.ts";
import { DEFAULT_TEMPLATE, type TemplateName } from "./marks/templates.ts";
import type { Layer } from "./pdf/document/layers.ts";

/** Options that text and image marks share. */
export interface MarkOptions {
  /**
   * Opacity of the whole mark: 0 is invisible, 1 is opaque. A mark under the page's content is always opaque. Its
   * opacity option determines how light its colors are.
   */
  opacity?: number | undefined;
  /** Whether the mark is drawn over the page's content or under it. */
  layer?: Layer | undefined;
  /** Counter-clockwise rotation in degrees, relative to the page as displayed. */
  rotation?: number | undefined;
  /** Distance from the page edges in points, at most a tenth of the shorter side. */
  marginPt?: number | undefined;
  /**
   * Page box from which margins and positions are measured. Defaults to the TrimBox if it is inset by more than 10
   * points, and otherwise to the CropBox.
   */
  box?: FrameBox | undefined;
  /** Displacement from the position to the right, in points of the page as displayed. */
  offsetXPt?: number | undefined;
  /** Displacement from the position upward, in points of the page as displayed. */
  offsetYPt?: number | undefined;
  /**
   * Gap between the copies of a tiled mark: in a row as a share of the mark's width, and between rows as a share of the
   * mark's height. Defaults to 0.5 and 1.5.
   */
  tileGap?: number | undefined;
}

/**
 * A text to put on every page. The template defines the defaults of omitted options, except for opacity and margin: see
 * {@link DEFAULTS}.
 */
export interface TextMark extends MarkOptions {
  /** The text, with at least one visible character. `\n` breaks a line. Placeholders such as `{page}` are filled in. */
  text: string;
  template?: TemplateName | undefined;
  position?: Position | undefined;
  /** Number of the first page for the placeholder `{page}`: a whole number from 0 to 999,999,999. */
  pageStart?: number | undefined;
  /** Color as `#rrggbb`. */
  color?: string | undefined;
  /**
   * BCP 47 tag of the text's language, which selects regional glyph variants. If omitted, the engine guesses the
   * language from the text and the document.
   */
  lang?: string | undefined;
  /** Style of Latin, Greek and Cyrillic letters. */
  font?: FontStyle | undefined;
  /**
   * Font size in points. Defaults to the largest size that the template allows. The size shrinks if the text does not
   * fit the page.
   */
  fontSizePt?: number | undefined;
}

/**
 * The values of {@link ImageMark.edge}. `auto` adds an edge on pages with a dark background, if the image needs one.
 */
export const EDGES = ["auto", "none"] as const;
export type Edge = (typeof EDGES)[number];

/** An image to put on every page. */
export interface ImageMark extends MarkOptions {
  /** The bytes of a PNG or JPEG image. */
  image: Uint8Array;
  position?: ImagePosition | undefined;
  /** Whether an image with transparency gets a white edge on pages with a dark background. */
  edge?: Edge | undefined;
  /** Width of the image as a fraction of the page width. The image shrinks if it does not fit the page. */
  scale?: number | undefined;
}

/**
 * Defaults of omitted options. The defaults of `rotation` and `scale` are for images. The template of a text determines
 * its default rotation.
 */
export const DEFAULTS = {
  template: DEFAULT_TEMPLATE,
  imagePosition: "center" as ImagePosition,
  opacity: 0.3,
  layer: "over" as Layer,
  rotation: 0,
  scale: 0.5,
  marginPt: 24,
  offsetPt: 0,
  pageStart: 1,
  font: "sans" as FontStyle,
  edge: "auto" as Edge,
} as const;

/** Smallest and largest values of the options that are numbers. A size and a scale must exceed 0. */
export const BOUNDS = {
  opacity: [0, 1],
  rotation: [-360, 360],
  marginPt: [0, 10_000],
  offsetPt: [-10_000, 10_000],
  tileGap: [0, 10],
  fontSizePt: [0, 2000],
  scale: [0, 1],
  pageStart: [0, 999_999_999],
} as const;

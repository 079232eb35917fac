import type { Weight } from "../fonts/coverage.ts";
import type { Position } from "./positions.ts";

/** Defaults for the appearance of a text mark. `appearanceOf` combines them with the caller's fields. */
export interface Template {
  description: string;
  position: Position;
  /**
   * Rotation in degrees, counter-clockwise. If undefined, the mark follows the page's diagonal in the position
   * `diagonal` and is level elsewhere.
   */
  rotation?: number | undefined;
  weight: Weight;
  color: string;
  /** Maximum font size, as a share of the page's shorter side. */
  sizeShare: number;
  /** Whether letters are drawn as outlines. */
  hollow?: true;
  /** Whether the text has a frame. */
  framed?: true;
  /** Maximum size of the mark, as shares of the page's sides. */
  maxShares?: { width?: number; height?: number };
  /**
   * Maximum height of all lines together, as a share of the page's shorter side. A longer text has a smaller font size.
   * A text that is still too long at 6 points is cut short and ends in an ellipsis. The caller's line breaks are kept,
   * even if the lines exceed the height.
   */
  maxDepth?: number;
  /**
   * Whether letters are so small that they need a higher opacity to be readable. The mark then has the opacity of two
   * overlaid copies.
   */
  small?: true;
  /** Whether the mark stays at its own place on every page, even in the position `auto`. */
  fixed?: true;
}

/** Maximum font size of small text as a share of the page's shorter side: 9 points on A4. */
const SMALL_SHARE = 9 / 595;
/** Maximum height of the lines of a text at an edge of the page, as a share of the page's shorter side. */
const MAX_DEPTH = 1 / 3;

/** All templates by name. Other lists of templates derive from this table. */
const TABLE = {
  diagonal: {
    description: "Large letters across the page, from its lower left to its upper right.",
    position: "diagonal",
    weight: "bold",
    color: "#282828",
    sizeShare: 0.26,
    fixed: true,
  },
  horizontal: {
    description: "Large level letters in the middle of the page.",
    position: "center",
    weight: "bold",
    color: "#282828",
    sizeShare: 0.26,
    maxShares: { height: 0.4 },
  },
  tiled: {
    description: "Small slanted copies all over the page, past its edges.",
    position: "tile",
    rotation: 30,
    weight: "regular",
    color: "#282828",
    sizeShare: 0.035,
  },
  header: {
    description: "Small text at the top, mostly one line.",
    position: "top",
    weight: "regular",
    color: "#000000",
    sizeShare: SMALL_SHARE,
    small: true,
    maxDepth: MAX_DEPTH,
  },
  footer: {
    description: "Small text at the bottom, mostly one line.",
    position: "bottom",
    weight: "regular",
    color: "#000000",
    sizeShare: SMALL_SHARE,
    small: true,
    maxDepth: MAX_DEPTH,
  },
  stamp: {
    description: "A framed red stamp, slightly rotated, in the upper right corner.",
    position: "top-right",
    rotation: 12,
    weight: "bold",
    color: "#7a0c0c",
    sizeShare: 0.05,
    framed: true,
    maxShares: { width: 0.4 },
  },
  sidebar: {
    description: "Small text up the left edge, mostly one line.",
    position: "left",
    rotation: 90,
    weight: "regular",
    color: "#000000",
    sizeShare: SMALL_SHARE,
    small: true,
    maxDepth: MAX_DEPTH,
    fixed: true,
  },
  outline: {
    description: "Large hollow letters across the page.",
    position: "diagonal",
    weight: "bold",
    color: "#282828",
    sizeShare: 0.26,
    hollow: true,
    fixed: true,
  },
} satisfies Record<string, Template>;

/** The name of a template. */
export type TemplateName = keyof typeof TABLE;

/** `TABLE`, typed so that the optional properties of `Template` can be read on every template. */
export const TEMPLATES: Readonly<Record<TemplateName, Template>> = TABLE;

/** The template that applies if the caller names no template. */
export const DEFAULT_TEMPLATE: TemplateName = "diagonal";

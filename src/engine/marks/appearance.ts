import type { Weight } from "../fonts/coverage.ts";
import type { FontStyle } from "../fonts/language.ts";
import { DEFAULTS, type TextMark } from "../options.ts";
import type { Size } from "./geometry.ts";
import { type Position, spotOf } from "./positions.ts";
import { DEFAULT_TEMPLATE, TEMPLATES } from "./templates.ts";

/** Maximum font size of text outside the middle of the page, as a share of the page's shorter side. */
const OUTER_SIZE_SHARE = 0.06;

/**
 * The properties that determine how a text mark is drawn. {@link appearanceOf} resolves all properties, so drawing code
 * never reads a template.
 */
export interface Appearance {
  readonly position: Position;
  /** Whether the mark moves from its position to the emptiest place of each page. */
  readonly isAuto: boolean;
  /** Rotation in degrees, counter-clockwise. If undefined, the mark follows the diagonal of each page. */
  readonly rotation: number | undefined;
  readonly weight: Weight;
  /** Color of the letters as `#rrggbb`. */
  readonly color: string;
  /** Opacity of the whole mark, from 0 to 1. */
  readonly opacity: number;
  /** Whether letters have a light edge. On dark pages, such letters are white and have a dark edge. */
  readonly hasEdge: boolean;
  /** Whether letters are drawn as outlines. */
  readonly isHollow: boolean;
  /** Whether the text has a frame. */
  readonly isFramed: boolean;
  /**
   * Font size in points that the caller requested. The font size is reduced if the text does not fit. If undefined,
   * `sizeShare` determines the font size.
   */
  readonly fontSizePt: number | undefined;
  /** Maximum font size as a share of the page's shorter side. */
  readonly sizeShare: number;
  /** Maximum size of the mark, as shares of the page's sides. */
  readonly maxShares: Partial<Size>;
  /**
   * Maximum height of all lines together, as a share of the page's shorter side. If undefined, the height has no limit.
   * The caller's line breaks are kept, even if the lines exceed the limit.
   */
  readonly maxDepth: number | undefined;
  /** Requested margin in points. */
  readonly marginPt: number;
  /** Language of the text (BCP 47), which selects letterforms. If undefined, the language of the document applies. */
  readonly lang: string | undefined;
  readonly font: FontStyle;
}

/**
 * Resolves the appearance of a mark. A field of the caller wins over the template, and the template wins over
 * `DEFAULTS`. There are four special cases:
 * - A template for small text raises the opacity, because thin letters would otherwise be unreadable.
 * - Outside the middle of the page, `OUTER_SIZE_SHARE` limits the template's share.
 * - Text in a color of the caller has no light edge.
 * - Text under the page's content is opaque and has a lighter color instead. It has no light edge, because the edge
 *   would not be visible.
 */
export function appearanceOf(mark: Omit<TextMark, "text">): Appearance {
  const template = TEMPLATES[mark.template ?? DEFAULT_TEMPLATE];
  const position = mark.position === undefined || mark.position === "auto" ? template.position : mark.position;
  const spot = spotOf(position);
  const isInMiddle = spot.x === 0.5 && spot.y === 0.5 && !spot.isTiled;
  const requested = mark.opacity ?? DEFAULTS.opacity;
  const opacity = template.small ? 1 - (1 - requested) ** 2 : requested;
  const color = mark.color ?? template.color;
  const isUnder = mark.layer === "under";

  return {
    position,
    isAuto: mark.position === "auto" && !template.fixed,
    rotation: mark.rotation ?? (spot.alongDiagonal ? undefined : (template.rotation ?? 0)),
    weight: template.weight,
    color: isUnder ? mixedWithWhite(color, opacity) : color,
    opacity: isUnder ? 1 : opacity,
    hasEdge: mark.color === undefined && !isUnder,
    isHollow: template.hollow ?? false,
    isFramed: template.framed ?? false,
    fontSizePt: mark.fontSizePt,
    sizeShare: isInMiddle ? template.sizeShare : Math.min(template.sizeShare, OUTER_SIZE_SHARE),
    maxShares: template.maxShares ?? {},
    maxDepth: template.maxDepth,
    marginPt: mark.marginPt ?? DEFAULTS.marginPt,
    lang: mark.lang,
    font: mark.font ?? DEFAULTS.font,
  };
}

/** Returns the opaque color that looks like the color `#rrggbb` when it is painted on white with the given opacity. */
function mixedWithWhite(color: string, opacity: number): string {
  const channels = [1, 3, 5].map((at) => 255 - opacity * (255 - Number.parseInt(color.slice(at, at + 2), 16)));
  return `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;
}

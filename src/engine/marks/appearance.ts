import { DEFAULTS, type TextMark } from "../options.ts";
import { spotOf } from "./positions.ts";
import { DEFAULT_TEMPLATE, TEMPLATES, type Template } from "./templates.ts";

/** Maximum font size of text outside of the middle of the page, as a share of the page's shorter side, in any template. */
const EDGE_SIZE_SHARE = 0.06;

/** How a text mark is drawn: every property of its template, overridden by the caller's fields, with defaults applied. */
export interface Appearance extends Omit<Template, "description" | "small"> {
  /** Degrees, counter-clockwise. If undefined, the mark follows the page's diagonal. */
  readonly rotation: number | undefined;
  /** Whether letters have a light edge, which makes them visible on dark pages. A color of the caller has none. */
  readonly isEdged: boolean;
  /** Opacity of the mark as a whole, from 0 to 1. */
  readonly opacity: number;
  /** Requested margin in points. */
  readonly marginPt: number | undefined;
  /** Requested font size in points. It is reduced if the text does not fit. */
  readonly fontSizePt: number | undefined;
  /** Language of the text (BCP 47), which selects letterforms. */
  readonly lang: string | undefined;
}

/**
 * Resolves the appearance of a mark. The caller's fields win over the template, with two exceptions. Text outside of the
 * middle of the page is limited to `EDGE_SIZE_SHARE`. Small templates have a higher opacity than requested, because thin
 * letters would be unreadable at it.
 */
export function appearanceOf({ template: name = DEFAULT_TEMPLATE, ...mark }: Omit<TextMark, "text">): Appearance {
  const { description: _, small, ...template }: Template = TEMPLATES[name];
  const { opacity = DEFAULTS.opacity } = mark;
  const position = mark.position ?? template.position;
  const spot = spotOf(position);
  const isInMiddle = spot.x === 0.5 && spot.y === 0.5 && !spot.isTiled;

  return {
    ...template,
    position,
    rotation: mark.rotation ?? (spot.alongDiagonal ? undefined : (template.rotation ?? 0)),
    color: mark.color ?? template.color,
    isEdged: mark.color === undefined,
    opacity: small ? 1 - (1 - opacity) ** 2 : opacity,
    sizeShare: isInMiddle ? template.sizeShare : Math.min(template.sizeShare, EDGE_SIZE_SHARE),
    marginPt: mark.marginPt,
    fontSizePt: mark.fontSizePt,
    lang: mark.lang,
  };
}

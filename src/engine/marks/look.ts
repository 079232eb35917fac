import { DEFAULTS, type TextMark } from "../options.ts";
import { spotOf } from "./positions.ts";
import { DEFAULT_TEMPLATE, TEMPLATES, type Template } from "./templates.ts";

/** The largest share of the page's shorter side for text that is not in the middle of the page, in any template. */
const EDGE_SIZE_SHARE = 0.06;

/**
 * How a text mark is drawn: its template with its own options applied, and the options that templates do not have.
 * Without a rotation it follows the page's diagonal.
 */
export type Look = Template &
  Omit<TextMark, keyof Template | "text" | "template"> & {
    /** Letters have a light edge, by which they are seen on dark pages: not those in a colour of the caller's. */
    readonly isEdged: boolean;
    /** Of the mark as a whole, from 0 to 1. */
    readonly opacity: number;
  };

/**
 * Applies a mark's own options to its template. In a position along the diagonal the text follows that, unless the mark
 * has a rotation of its own.
 */
export function lookOf({ template: name = DEFAULT_TEMPLATE, ...mark }: Omit<TextMark, "text">): Look {
  const template: Template = TEMPLATES[name];
  const { opacity = DEFAULTS.opacity } = mark;
  const position = mark.position ?? template.position;
  const spot = spotOf(position);
  const rotation = mark.rotation ?? (spot.alongDiagonal ? undefined : (template.rotation ?? 0));
  const inTheMiddle = spot.x === 0.5 && spot.y === 0.5 && !spot.isTiled;
  return {
    ...template,
    ...mark,
    position,
    rotation,
    color: mark.color ?? template.color,
    isEdged: mark.color === undefined,
    opacity: template.small ? 1 - (1 - opacity) ** 2 : opacity,
    sizeShare: inTheMiddle ? template.sizeShare : Math.min(template.sizeShare, EDGE_SIZE_SHARE),
  };
}

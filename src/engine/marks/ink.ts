import { plainSpace } from "../images/colorSpaces.ts";
import type { ObjectSink } from "../pdf/document/newObject.ts";
import { number } from "./operators.ts";

/** Operators that set a color. */
interface Paint {
  readonly fill: string;
  readonly stroke: string;
}

/** Operators that set the colors of a mark and of its edge, and the resources that the operators need. */
export interface Ink extends Paint {
  readonly edge: Paint;
  readonly resources: string;
}

/** Operators that set device colors for fills and strokes (ISO 32000-2, 8.6.8). */
const DEVICE: Readonly<Record<string, readonly [string, string]>> = {
  "/DeviceGray": ["g", "G"],
  "/DeviceRGB": ["rg", "RG"],
  "/DeviceCMYK": ["k", "K"],
};

/** Returns the ink with the colors of the mark and of its edge exchanged. */
export function inverted({ fill, stroke, edge, resources }: Ink): Ink {
  return { ...edge, edge: { fill, stroke }, resources };
}

/**
 * Returns the ink of a color `#rrggbb`, with a white edge. A color with equal channels becomes gray, so that printers
 * use only black ink. In PDF/X files, other colors become CMYK, because most of these files forbid RGB.
 */
export function inkOf(color: string, sink: ObjectSink): Ink {
  const shares = [1, 3, 5].map((at) => share(Number.parseInt(color.slice(at, at + 2), 16)));
  const isGray = new Set(shares).size === 1;
  const isCmyk = !isGray && sink.press?.takesCmyk === true;
  const values = isGray ? shares.slice(0, 1) : isCmyk ? cmykOf(shares) : shares;

  const space = plainSpace(values.length, sink);
  const device = DEVICE[space];
  const paint = (components: readonly number[]): Paint => {
    const operands = components.map(number).join(" ");
    if (device) return { fill: `${operands} ${device[0]}`, stroke: `${operands} ${device[1]}` };
    return { fill: `/C cs ${operands} sc`, stroke: `/C CS ${operands} SC` };
  };
  const resources = device ? "" : `/ColorSpace<</C${space}>>`;
  return { ...paint(values), edge: paint(values.map(() => (isCmyk ? 0 : 1))), resources };
}

/**
 * Converts a channel (0 to 255) to a number from 0 to 1 with three decimals, which are enough to distinguish all 256
 * values. The number is rounded up, because some readers truncate the channel when they convert the number back.
 */
function share(value: number): number {
  return Math.ceil((value * 1000) / 255) / 1000;
}

/** Converts red, green and blue (each from 0 to 1) to CMYK (ISO 32000-2, 10.4.2.4), with as much black as possible. */
function cmykOf(shares: readonly number[]): number[] {
  const white = Math.max(...shares);
  return [...shares.map((value) => (white === 0 ? 0 : 1 - value / white)), 1 - white];
}

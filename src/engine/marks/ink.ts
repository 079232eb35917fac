import { plainSpace } from "../images/colorSpaces.ts";
import type { ObjectSink } from "../pdf/newObject.ts";
import { number } from "./operators.ts";

/** A colour to draw with: operators that set it for fills and for strokes, and the resources that they need. */
export interface Ink {
  readonly fill: string;
  readonly stroke: string;
  readonly resources: string;
}

/** Operators of device colours, for fills and strokes (ISO 32000-2, 8.6.8). */
const DEVICE: Readonly<Record<string, readonly [string, string]>> = {
  "/DeviceGray": ["g", "G"],
  "/DeviceRGB": ["rg", "RG"],
};

/** Returns the ink of a colour `#rrggbb`. Neutral colours are greys, which are printed with black ink only. */
export function inkOf(color: string, sink: ObjectSink): Ink {
  const shares = [1, 3, 5].map((at) => share(Number.parseInt(color.slice(at, at + 2), 16)));
  const values = new Set(shares).size === 1 ? shares.slice(0, 1) : shares;
  const operands = values.map(number).join(" ");

  const space = plainSpace(values.length, sink);
  const operators = DEVICE[space];
  if (operators) return { fill: `${operands} ${operators[0]}`, stroke: `${operands} ${operators[1]}`, resources: "" };
  return { fill: `/C cs ${operands} sc`, stroke: `/C CS ${operands} SC`, resources: `/ColorSpace<</C${space}>>` };
}

/** Three decimals distinguish all 256 values of a channel. They are rounded up, as some readers cut off the product. */
function share(value: number): number {
  return Math.ceil((value * 1000) / 255) / 1000;
}

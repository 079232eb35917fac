import { plainSpace } from "../images/colorSpaces.ts";
import type { ObjectSink } from "../pdf/document/newObject.ts";
import { number } from "./operators.ts";

/** Operators that set a colour. */
interface Paint {
  readonly fill: string;
  readonly stroke: string;
}

/** A colour to draw with, white, and the resources that their operators need. */
export interface Ink extends Paint {
  readonly white: Paint;
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

  const space = plainSpace(values.length, sink);
  const device = DEVICE[space];
  const paint = (components: readonly number[]): Paint => {
    const operands = components.map(number).join(" ");
    if (device) return { fill: `${operands} ${device[0]}`, stroke: `${operands} ${device[1]}` };
    return { fill: `/C cs ${operands} sc`, stroke: `/C CS ${operands} SC` };
  };
  const resources = device ? "" : `/ColorSpace<</C${space}>>`;
  return { ...paint(values), white: paint(values.map(() => 1)), resources };
}

/** Three decimals distinguish all 256 values of a channel. They are rounded up, as some readers cut off the product. */
function share(value: number): number {
  return Math.ceil((value * 1000) / 255) / 1000;
}

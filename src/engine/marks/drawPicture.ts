import { plainSpace } from "../images/colorSpaces.ts";
import type { EmbeddedPicture } from "../images/picture.ts";
import type { ObjectSink } from "../pdf/document/newObject.ts";
import type { Drawing } from "./form.ts";
import type { Size } from "./geometry.ts";
import { numbers } from "./operators.ts";

/** Width of the white edge, as a share of the picture's shorter side. */
const EDGE_SHARE = 0.02;
/** Number of directions in which the shape of the picture is displaced to draw its edge. */
const DIRECTIONS = 8;

/**
 * Resource that keeps the values of /DeviceGray unchanged. A soft mask is always /DeviceGray (ISO 32000-2, 11.6.5.2).
 * Without this resource, Ghostscript interprets the values of the mask in the page's default color space.
 */
const LINEAR_GRAY = "/ColorSpace<</DefaultGray[/CalGray<</WhitePoint[0.9505 1 1.089]>>]>>";

/**
 * Draws a picture of `size` in its own units. If `hasEdge`, first draws the picture's shape in white, displaced in
 * several directions. A picture without a mask never has an edge.
 */
export function drawPicture(
  sink: ObjectSink,
  { width, height }: Size,
  { xobject, matrix, maskEntry }: EmbeddedPicture,
  hasEdge: boolean,
): Drawing {
  const shown = (name: string, x = 0, y = 0) =>
    `${numbers([width, 0, 0, height, x, y])} cm ${numbers(matrix)} cm /${name} Do`;
  const gray = sink.layer === "under" || sink.deviceColors?.has(1) ? "" : LINEAR_GRAY;
  if (!hasEdge || maskEntry === undefined)
    return {
      box: [0, 0, width, height],
      resources: `/XObject << /Image ${xobject} >>${gray}`,
      content: shown("Image"),
    };

  const edge = EDGE_SHARE * Math.min(width, height);
  const white = sink.add({
    dict: `/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace ${plainSpace(1, sink)}/BitsPerComponent 8${maskEntry}`,
    data: new Uint8Array([255]),
  });
  const copies = Array.from({ length: DIRECTIONS }, (_, i) => {
    const angle = (2 * Math.PI * i) / DIRECTIONS;
    return `q ${shown("White", edge * Math.cos(angle), edge * Math.sin(angle))} Q`;
  });
  return {
    box: [-edge, -edge, width + edge, height + edge],
    resources: `/XObject<</Image ${xobject}/White ${white}>>${gray}`,
    content: [...copies, shown("Image")].join("\n"),
  };
}

import type { ObjectSink, Ref } from "../pdf/newObject.ts";
import type { Size } from "./geometry.ts";
import { number, numbers } from "./operators.ts";

/** A finished drawing: a form XObject whose space has its origin at the lower left of `size`. */
export interface Mark extends Size {
  ref: Ref;
}

/** What a mark shows, in its own space. `bleed` is how far ink may reach past its size. */
export interface Drawing extends Size {
  content: string;
  /** Entries of the resource dictionary. */
  resources: string;
  bleed: number;
}

/**
 * Makes a drawing a form XObject that looks the same wherever it is invoked: opacity applies to the drawing as a whole
 * (an isolated transparency group, so overlaps never darken), and whatever blending the page left behind is reset
 * (ISO 32000-2, 8.10, 11.4.5, 11.6.4.4). An opaque mark needs no group, which keeps PDF/A-1 files valid.
 */
export function makeMark(
  sink: ObjectSink,
  { width, height, content, resources, bleed }: Drawing,
  opacity: number,
): Mark {
  const box = `/Type /XObject /Subtype /Form /BBox [${numbers([-bleed, -bleed, width + bleed, height + bleed])}]`;
  const group = opacity < 1 ? " /Group << /S /Transparency /I true >>" : "";
  const drawing = sink.add({ dict: `${box}${group} /Resources << ${resources} >>`, data: bytes(content) });
  const state = `<< /Type /ExtGState /ca ${number(opacity)} /CA ${number(opacity)} /BM /Normal /SMask /None /AIS false >>`;
  const ref = sink.add({
    dict: `${box} /Resources << /ExtGState << /State ${state} >> /XObject << /Drawing ${drawing} >> >>`,
    data: bytes("/State gs /Drawing Do"),
  });
  return { ref, width, height };
}

function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

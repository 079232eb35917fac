import type { ObjectSink, Ref } from "../../pdf/objects.ts";
import { Problem } from "../../problems.ts";
import type { Matrix } from "../geometry.ts";
export interface Picture {
  width: number;
  height: number;
  embed(sink: ObjectSink): { xobject: Ref; matrix: Matrix };
}
export function readImage(_bytes: Uint8Array, _limits: { maxPixels: number }): Picture {
  throw new Problem("unsupported_image", "not yet");
}

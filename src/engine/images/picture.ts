import type { ObjectSink, Ref } from "../pdf/newObject.ts";
import type { UnitMatrix } from "./orientation.ts";

/** An image that is ready to be drawn. Whatever can be wrong with it has been found. */
export interface Picture {
  /** Pixels as displayed, after the EXIF orientation. */
  width: number;
  height: number;
  /**
   * Writes the image XObject with what it refers to (ISO 32000-2, 8.9.5); once is enough for any number of pages.
   * `matrix` goes before `Do`: it turns the image's unit square so that it is displayed upright in that same square.
   */
  embed(sink: ObjectSink): { xobject: Ref; matrix: UnitMatrix };
}

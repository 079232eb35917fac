import type { ObjectSink, Ref } from "../pdf/document/newObject.ts";
import type { UnitMatrix } from "./orientation.ts";

/** An image that has been read and checked. Data that goes into the PDF unchanged may be checked only in part. */
export interface Picture {
  /** Pixels as displayed, with the EXIF orientation applied. */
  width: number;
  height: number;
  /** How many bytes of data it has. */
  size: number;
  /**
   * Writes the image XObject and the objects it refers to (ISO 32000-2, 8.9.5); once is enough for any number of pages.
   * `matrix` goes before `Do`: it maps the unit square onto itself so that the image is displayed upright.
   */
  embed(sink: ObjectSink): { xobject: Ref; matrix: UnitMatrix };
}

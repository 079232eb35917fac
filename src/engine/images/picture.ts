import type { ObjectSink, Ref } from "../pdf/document/newObject.ts";
import type { UnitMatrix } from "./orientation.ts";

/** An image that has been read and checked. Data that goes into the PDF unchanged may be checked only partly. */
export interface Picture {
  /** Size in pixels as displayed, with the EXIF orientation applied. */
  width: number;
  height: number;
  /** Number of bytes of its data. */
  size: number;
  /**
   * Writes the image XObject and the objects that it refers to (ISO 32000-2, 8.9.5), once for all pages. `matrix`
   * precedes `Do`. It maps the unit square onto itself so that the image is displayed upright.
   */
  embed(sink: ObjectSink): { xobject: Ref; matrix: UnitMatrix };
}

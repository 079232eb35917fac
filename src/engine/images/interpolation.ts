import type { ObjectSink } from "../pdf/document/newObject.ts";

/**
 * Returns the entry that makes readers interpolate an image and its soft mask (ISO 32000-2, 8.9.5.3). Without the
 * entry, MuPDF, Poppler and Ghostscript show the pixels of a small image as squares. Ghostscript also drops pixels of a
 * large image. PDF/A forbids the entry (ISO 19005-1, 6.2.4; ISO 19005-2, 6.2.8).
 */
export function interpolateEntry({ pdfa }: ObjectSink): string {
  return pdfa ? "" : " /Interpolate true";
}

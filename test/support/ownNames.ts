/** Files that have names of their own where the mark's would be. */
import { namePrefix } from "../../src/engine/pdf/document/namePrefix.ts";

/** Stands for what the mark's names begin with, in a file that is still to be written. */
export const OWN = "Zzz";

/** Has the names of a file with a cross-reference table begin as the mark's do, instead of with {@link OWN}. */
export function withOwnNames(pdf: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(pdf).toString("latin1");
  const trailer = /trailer\s*(<<.*>>)\s*startxref/s.exec(text)![1]!;
  const prefix = namePrefix([Buffer.from(trailer, "latin1")], pdf.length);
  return new Uint8Array(Buffer.from(text.replaceAll(`/${OWN}`, `/${prefix}`), "latin1"));
}

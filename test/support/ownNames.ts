/** Creates files whose resource names begin with the same prefix as the mark's names. */
import { namePrefix } from "../../src/engine/pdf/document/namePrefix.ts";

/** Placeholder for the prefix of the mark's resource names. The prefix is known only when the file is complete. */
export const OWN = "Zzz";

/** Replaces {@link OWN} by the prefix of the mark's resource names. The file must have a cross-reference table. */
export function withOwnNames(pdf: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(pdf).toString("latin1");
  const trailer = /trailer\s*(<<.*>>)\s*startxref/s.exec(text)![1]!;
  const prefix = namePrefix([Buffer.from(trailer, "latin1")], pdf.length);
  return new Uint8Array(Buffer.from(text.replaceAll(`/${OWN}`, `/${prefix}`), "latin1"));
}

/** Is the cross-reference true? Asked where the whole file is at hand, at about 50 ns an object. */
import type { ByteSource } from "./byteSource.ts";
import { Malformed, readHeader } from "./lexer.ts";
import { IN_FILE, type XrefTable } from "./xrefTable.ts";

/**
 * Throws Malformed where a live object is not at its offset. Readers only notice (and repair) when they come to need the
 * object; the output moves and blanks by these offsets, so for it every one counts.
 */
export function verifyOffsets(source: ByteSource, table: XrefTable): void {
  const bytes = source.bytes(0, source.length);
  for (let row = 0; row < table.rows; row++) {
    if (table.kind(row) !== IN_FILE || !table.isLive(row)) continue;
    const place = table.place(row);
    if (readHeader(bytes, place)?.num !== table.number(row))
      throw new Malformed(`object ${table.number(row)} is not at offset ${place}`);
  }
}

/** Checks the cross-reference against the file. Done if the whole file is in memory, at about 50 ns per object. */
import type { ByteSource } from "./byteSource.ts";
import { Malformed, readHeader } from "./lexer.ts";
import { IN_FILE, type XrefTable } from "./xrefTable.ts";

/**
 * Checks that live objects are at their offsets. Readers only notice (and repair) a wrong one when they need the
 * object; the output moves and erases bytes by these offsets, so every one counts.
 * @throws Malformed if a live object is not at its offset
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

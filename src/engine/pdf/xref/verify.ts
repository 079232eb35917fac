/** Checks the cross-reference against the file: at about 50 ns per object if the whole file is in memory. */

import { IN_FILE, type XrefTable } from "../objects/xrefTable.ts";
import { type ByteSource, retry } from "../source/byteSource.ts";
import { headerAt, LONGEST_HEADER, Malformed } from "../syntax/lexer.ts";
import type { Xref } from "./xref.ts";

/**
 * Checks that live objects are at their offsets. Readers only notice (and repair) a wrong one when they need the object;
 * the output moves and erases bytes by these offsets, so every one counts. The generations are taken from the objects,
 * as Poppler finds nothing where the output's cross-reference says another one. Reads most blocks of a source that is
 * not in memory.
 * @throws Malformed if a live object is not at its offset
 */
export async function verifyOffsets(source: ByteSource, table: XrefTable): Promise<void> {
  if (!source.inMemory) {
    await verifyRanges(source, table, () => true);
    return;
  }
  const bytes = source.bytes(0, source.length);
  for (let row = 0; row < table.rows; row++) {
    if (table.kind(row) !== IN_FILE || !table.isLive(row)) continue;
    verify(table, row, headerAt(bytes, table.offset(row)));
  }
}

/**
 * Checks what shows without reading the file; the copying pass looks at the other objects (see `PlanOutdated`). What is
 * at the offset of a cross-reference section is not copied: it has to be that section's own stream.
 * @throws Malformed if a live object is behind the end, at the offset of another, or at that of a section it is not
 */
export async function verifyPlausibility(source: ByteSource, { table, sections }: Xref): Promise<void> {
  if (!table.hasPlausibleOffsets(source.length)) throw new Malformed("objects are where they cannot be");
  const offsets = new Set(sections);
  await verifyRanges(source, table, (offset) => offsets.has(offset));
}

/** Checks the live objects at some of the places in a source that is not in memory. */
async function verifyRanges(source: ByteSource, table: XrefTable, isMeant: (offset: number) => boolean): Promise<void> {
  const rows: number[] = [];
  for (let row = 0; row < table.rows; row++)
    if (table.kind(row) === IN_FILE && table.isLive(row) && isMeant(table.offset(row))) rows.push(row);
  rows.sort((a, b) => table.offset(a) - table.offset(b)); // in the order of the file, so that each block is read once
  let next = 0;
  await retry(source, () => {
    for (; next < rows.length; next++) {
      const row = rows[next]!;
      const offset = Math.min(table.offset(row), source.length - 1);
      const bytes = source.bytes(offset, Math.min(offset + LONGEST_HEADER, source.length));
      verify(table, row, headerAt(bytes, 0));
    }
  });
}

function verify(table: XrefTable, row: number, found: ReturnType<typeof headerAt>): void {
  if (found?.num !== table.number(row))
    throw new Malformed(`object ${table.number(row)} is not at offset ${table.offset(row)}`);
  if (found.gen !== table.generation(row)) table.setGeneration(row, found.gen);
}

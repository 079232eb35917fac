/**
 * Checks the cross-reference table against the file. If the whole file is in memory, the check takes about 50 ns per
 * object.
 */

import { IN_FILE, type XrefTable } from "../objects/xrefTable.ts";
import { type ByteSource, retry } from "../source/byteSource.ts";
import { headerAt, LONGEST_HEADER, Malformed } from "../syntax/lexer.ts";
import type { Xref } from "./xref.ts";

/**
 * Checks that all live objects are at their offsets. Readers notice and repair a wrong offset only when they need the
 * object. The output moves and erases bytes by these offsets, so all offsets must be right. Corrects generations from
 * the object headers, because Poppler does not find an object whose generation differs from its cross-reference entry.
 * Reads most blocks of a source that is not in memory.
 * @throws Malformed if a live object is not at its offset
 */
export async function verifyOffsets(source: ByteSource, table: XrefTable): Promise<void> {
  if (!source.inMemory) {
    await verifyHeaders(source, table, () => true);
    return;
  }
  const bytes = source.bytes(0, source.length);
  for (let row = 0; row < table.rows; row++) {
    if (table.kind(row) !== IN_FILE || !table.isLive(row)) continue;
    verify(table, row, headerAt(bytes, table.offset(row)));
  }
}

/**
 * Checks the offsets of live objects with few reads. The objects themselves are checked later, while they are copied;
 * see `PlanOutdated`. Cross-reference sections are not copied. An object at the offset of a section must therefore be
 * the section's cross-reference stream.
 * @throws Malformed if a live object is beyond the end of the file, at the offset of another object, or at the offset
 * of a section without being the section's stream
 */
export async function verifyPlausibility(source: ByteSource, { table, sections }: Xref): Promise<void> {
  if (!table.hasPlausibleOffsets(source.length)) throw new Malformed("the offsets of objects contradict each other");
  const offsets = new Set(sections);
  await verifyHeaders(source, table, (offset) => offsets.has(offset));
}

/** Checks the headers of the live objects for whose offset `isIncluded` returns true. The source is not in memory. */
async function verifyHeaders(
  source: ByteSource,
  table: XrefTable,
  isIncluded: (offset: number) => boolean,
): Promise<void> {
  const rows: number[] = [];
  for (let row = 0; row < table.rows; row++)
    if (table.kind(row) === IN_FILE && table.isLive(row) && isIncluded(table.offset(row))) rows.push(row);
  // sorts the rows in file order, so that each block is read only once
  rows.sort((a, b) => table.offset(a) - table.offset(b));
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

/** Restores the objects of an older revision of a damaged file whose newest page tree is incomplete. */
import { FREE, IN_FILE, IN_STREAM, XrefTable } from "../objects/xrefTable.ts";
import type { ByteSource } from "../source/byteSource.ts";

/**
 * Returns the cross-reference table of an older revision of a damaged file. In the result, the objects before the
 * newest definition of `num` take precedence over later definitions. Objects without an earlier definition are also
 * included. Returns undefined if the file has no earlier definition of `num`.
 * @throws EngineError too_complex
 */
export async function tableBefore(table: XrefTable, num: number, source: ByteSource): Promise<XrefTable | undefined> {
  const newest = table.offsetOf(num);
  let hasOlder = false;
  const positions = new Float64Array(table.rows);
  for (let row = 0; row < table.rows; row++) {
    const kind = table.kind(row);
    if (kind === FREE) return undefined;
    positions[row] = kind === IN_STREAM ? table.offsetOf(table.streamNumber(row)) : table.offset(row);
    hasOlder ||= kind === IN_FILE && table.number(row) === num && positions[row]! < newest;
  }
  if (!hasOlder) return undefined;
  source.meter.charge("sortOffset", table.rows);
  const isOlder = (row: number) => Number(positions[row]! < newest);
  const rows = Array.from(positions.keys()).sort(
    (a, b) => isOlder(a) - isOlder(b) || positions[a]! - positions[b]! || a - b,
  );
  const older = new XrefTable(source.length);
  for (const row of rows) {
    const isMember = table.kind(row) === IN_STREAM;
    const [field2, field3] = isMember
      ? [table.streamNumber(row), table.index(row)]
      : [table.offset(row), table.generation(row)];
    older.replace(table.number(row), table.kind(row), field2, field3);
    await source.meter.yieldIfDue();
  }
  return older;
}

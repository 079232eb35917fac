/**
 * Reads embedded TrueType programs independently of the code under test. The programs contain only the tables that
 * drawing needs.
 */
export function readSubset(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tables: Record<string, { sum: number; start: number; length: number }> = {};
  for (let at = 12; at < 12 + view.getUint16(4) * 16; at += 16) {
    const tag = new TextDecoder().decode(bytes.subarray(at, at + 4));
    tables[tag] = { sum: view.getUint32(at + 4), start: view.getUint32(at + 8), length: view.getUint32(at + 12) };
  }
  const start = (tag: string) => tables[tag]?.start ?? NaN;
  const isLong = view.getInt16(start("head") + 50) === 1;
  const offset = (glyph: number) =>
    start("glyf") +
    (isLong ? view.getUint32(start("loca") + glyph * 4) : view.getUint16(start("loca") + glyph * 2) * 2);

  return {
    view,
    tables,
    isLong,
    glyphCount: view.getUint16(start("maxp") + 4),
    advanceCount: view.getUint16(start("hhea") + 34),
    advance: (glyph: number) => view.getUint16(start("hmtx") + glyph * 4),
    leftSideBearing: (glyph: number) => view.getInt16(start("hmtx") + glyph * 4 + 2),
    outline: (glyph: number) => bytes.subarray(offset(glyph), offset(glyph + 1)),
  };
}

/** Returns the sum of the big-endian 32-bit words of a table, padded with zeros (OpenType, "Calculating checksums"). */
export function wordSum(view: DataView, start: number, length: number): number {
  let sum = 0;
  for (let at = start; at < start + length; at += 4) sum = (sum + view.getUint32(at)) % 2 ** 32;
  return sum;
}

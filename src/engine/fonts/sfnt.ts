/**
 * Reads and writes the container of a font file: a directory of tagged tables (OpenType, "Organization of an OpenType
 * font").
 */

const HEADER_LENGTH = 12;
const RECORD_LENGTH = 16;
const TRUETYPE = 0x00010000;

/** Offset of `checkSumAdjustment` in `head`, and the checksum that the whole file must have after this field is set. */
const ADJUSTMENT_OFFSET = 8;
const ADJUSTED_SUM = 0xb1b0afba;

/** Returns a view of the memory of `bytes`. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns whether a file begins as a TrueType font does. */
export function isTrueType(file: Uint8Array): boolean {
  return file.length >= HEADER_LENGTH && viewOf(file).getUint32(0) === TRUETYPE;
}

/**
 * Reads the table directory of `font`.
 * @returns a lookup from a tag to the bytes of its table, as a view into `font`. The lookup throws an Error if the table
 * is missing
 */
export function openTables(font: Uint8Array): (tag: string) => Uint8Array {
  const view = viewOf(font);
  const tables = new Map<string, Uint8Array>();

  for (let i = 0; i < view.getUint16(4); i++) {
    const record = HEADER_LENGTH + i * RECORD_LENGTH;
    const tag = String.fromCharCode(...font.subarray(record, record + 4));
    const start = view.getUint32(record + 8);
    tables.set(tag, font.subarray(start, start + view.getUint32(record + 12)));
  }

  return (tag) => {
    const table = tables.get(tag);
    if (!table) throw new Error(`the font has no ${tag} table`);
    return table;
  };
}

/** Packs tables, which must include `head`, into a TrueType font file with its checksums. */
export function packTables(tables: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const entries = Object.entries(tables).toSorted(([a], [b]) => (a < b ? -1 : 1));
  let end = HEADER_LENGTH + entries.length * RECORD_LENGTH;
  const font = new Uint8Array(entries.reduce((length, [, table]) => length + aligned(table.length), end));
  const view = viewOf(font);

  const searchable = 2 ** Math.floor(Math.log2(entries.length));
  view.setUint32(0, TRUETYPE);
  view.setUint16(4, entries.length);
  view.setUint16(6, searchable * RECORD_LENGTH);
  view.setUint16(8, Math.log2(searchable));
  view.setUint16(10, (entries.length - searchable) * RECORD_LENGTH);

  let headStart = 0;
  for (const [i, [tag, table]] of entries.entries()) {
    const start = end;
    end += aligned(table.length);
    font.set(table, start);
    if (tag === "head") {
      headStart = start;
      view.setUint32(start + ADJUSTMENT_OFFSET, 0);
    }

    const record = HEADER_LENGTH + i * RECORD_LENGTH;
    for (let c = 0; c < 4; c++) font[record + c] = tag.charCodeAt(c);
    view.setUint32(record + 4, checksum(view, start, end));
    view.setUint32(record + 8, start);
    view.setUint32(record + 12, table.length);
  }

  view.setUint32(headStart + ADJUSTMENT_OFFSET, (ADJUSTED_SUM - checksum(view, 0, end)) >>> 0);
  return font;
}

function aligned(length: number): number {
  return (length + 3) & ~3;
}

function checksum(view: DataView, start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end; at += 4) sum = (sum + view.getUint32(at)) >>> 0;
  return sum;
}

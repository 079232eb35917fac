/** Reads the rows of cross-reference streams (ISO 32000-2, 7.5.8). */

import { FREE, IN_FILE, IN_STREAM, type XrefTable } from "../objects/xrefTable.ts";
import { LARGEST_GENERATION, Malformed } from "../syntax/lexer.ts";
import type { Dictionary, Value } from "../syntax/values.ts";

/** Maximum number of rows that a step adds. */
const ROWS_AT_ONCE = 8192;

/**
 * Adds the entries of a cross-reference stream to the table in steps (ISO 32000-2, 7.5.8.2, tables 17 and 18). Each
 * step yields the number of rows that it has added. The last step returns the number instead.
 * @param bias number to add to the offsets in the stream
 * @param replaceFreeFrom see XrefTable.add
 * @throws Malformed if /W or /Index is invalid
 * @throws EngineError too_complex if XrefTable.add throws it
 */
export function* streamEntries(
  table: XrefTable,
  dict: Dictionary,
  data: Uint8Array,
  bias: number,
  replaceFreeFrom: number,
): Generator<number, number> {
  const [width1, width2, width3] = fieldWidths(dict.get("W"));
  const width = width1 + width2 + width3;
  if (width === 0) throw new Malformed("a cross-reference stream has no fields");
  const size = dict.get("Size");
  const index = dict.get("Index");
  const sections = Array.isArray(index) ? index : [0, isWhole(size) ? size : Number.MAX_SAFE_INTEGER];
  let at = 0;
  let rows = 0;
  for (let i = 0; i + 1 < sections.length; i += 2) {
    const first = sections[i];
    const count = sections[i + 1];
    if (!isWhole(first) || !isWhole(count)) throw new Malformed("a cross-reference stream has a wrong /Index");
    for (let num = first; num < first + count && at + width <= data.length; num++, at += width) {
      const kind = width1 === 0 ? 1 : field(data, at, width1);
      const field2 = field(data, at + width1, width2);
      const field3 = field(data, at + width1 + width2, width3);
      if (kind === 1 && field2 > 0)
        table.add(num, IN_FILE, field2 + bias, Math.min(field3, LARGEST_GENERATION), replaceFreeFrom);
      else if (kind === 2) table.add(num, IN_STREAM, field2, field3, replaceFreeFrom);
      else if (kind < 2) table.add(num, FREE, 0, Math.min(field3, LARGEST_GENERATION), replaceFreeFrom);
      if (++rows < ROWS_AT_ONCE) continue;
      yield rows;
      rows = 0;
    }
  }
  return rows;
}

function fieldWidths(value: Value | undefined): [number, number, number] {
  const widths = Array.isArray(value) ? value.slice(0, 3) : [];
  const [first, second, third] = widths.map((width) => (isWhole(width) && width <= 8 ? width : 0));
  if (first === undefined || second === undefined || third === undefined)
    throw new Malformed("a cross-reference stream has no /W");
  return [first, second, third];
}

function isWhole(value: Value | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function field(data: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let i = 0; i < width; i++) value = value * 256 + data[at + i]!;
  return value;
}

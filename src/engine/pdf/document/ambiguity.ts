/** Finds the objects that readers may interpret differently in a file whose cross-reference is damaged. */
import { FREE, IN_STREAM, type XrefTable } from "../objects/xrefTable.ts";
import type { WalkOptions } from "../pages/pageTree.ts";
import type { ByteSource } from "../source/byteSource.ts";
import { parseAt, readHeader, skipWhite, unlessMalformed } from "../syntax/lexer.ts";
import type { Scan } from "../xref/rebuild.ts";
import type { Xref } from "../xref/xref.ts";

/** The result of a scan, and the file's own cross-reference, which the scan replaces. */
export interface Recovery {
  readonly scan: Scan;
  /** The file's own cross-reference; undefined if it cannot be read. */
  readonly own: Xref | undefined;
}

/** Functions that report whether readers may disagree on the object with a given number. */
export interface Ambiguity extends Pick<WalkOptions, "mayBeDefinedElsewhere"> {
  /** Returns whether readers may use a different definition of the object than the engine does. */
  isAmbiguous(num: number): boolean;
}

/**
 * Returns the functions that report ambiguous objects of a document.
 * @param recovery undefined if the file's own cross-reference is used
 * @param catalog number of the catalog, which counts as ambiguous, because it must not also be a page or a page-tree
 * node
 * @param areStreamsRead whether every object stream could be read
 */
export function ambiguityOf(
  source: ByteSource,
  recovery: Recovery | undefined,
  catalog: number,
  areStreamsRead: boolean,
): Ambiguity {
  if (!recovery) return { mayBeDefinedElsewhere: () => false, isAmbiguous: (num) => num === catalog };
  const { scan, own } = recovery;
  const mayHideObjects = !areStreamsRead || scan.mayHideObjectStreams;
  return {
    mayBeDefinedElsewhere: (num) => mayHideObjects || scan.ambiguous.has(num),
    isAmbiguous: (num) =>
      num === catalog ||
      scan.redefined.has(num) ||
      (own !== undefined && !own.table.agreesWith(scan.xref.table, num) && isElsewhere(source, own, scan, num)),
  };
}

/**
 * Returns whether the file's own cross-reference and the scan lead to different definitions of an object. White space
 * before the object makes no difference.
 */
function isElsewhere(source: ByteSource, own: Xref, { xref: { table } }: Scan, num: number): boolean {
  if (!isAtOffset(source, own.table, num)) return false;
  if (!own.table.isInFile(num) || table.liveRow(num) < 0 || !table.isInFile(num)) return true;
  const offset = own.table.offsetOf(num);
  return parseAt(source, offset, (bytes, at) => offset + skipWhite(bytes, at) - at) !== table.offsetOf(num);
}

/**
 * Returns whether an object is really at the location that the cross-reference table states: in the file or in an
 * object stream.
 */
function isAtOffset(source: ByteSource, table: XrefTable, num: number): boolean {
  const row = table.liveRow(num);
  if (row < 0 || table.kind(row) === FREE) return false;
  if (table.kind(row) === IN_STREAM) {
    const stream = table.streamNumber(row);
    return table.isInFile(stream) && isAtOffset(source, table, stream);
  }
  return unlessMalformed(() => parseAt(source, table.offset(row), readHeader)?.num === num, false);
}

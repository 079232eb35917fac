/**
 * The cost of every operation that the meter counts, in scan units. One scan unit is about the time that it takes to
 * scan one byte.
 */

/** The allowance that an operation is charged to. Every operation also uses up the time slice. */
type Allowance =
  /** The scanning allowance of the file. */
  | "scan"
  /** The allowance of the mark, which has the same size. */
  | "mark"
  /** None, only the time slice. Another allowance bounds how often the operation runs. */
  | "none";

interface Cost {
  /** Scan units per byte or item. */
  readonly units: number;
  readonly allowance: Allowance;
}

const scan = (units: number): Cost => ({ units, allowance: "scan" });
const mark = (units: number): Cost => ({ units, allowance: "mark" });
const time = (units: number): Cost => ({ units, allowance: "none" });

/** The cost of each operation. The comment names the byte or item that is charged. */
export const COSTS = {
  /** Byte that is read or searched. */
  scan: scan(1),
  /** Byte that is parsed into a value. */
  parse: scan(32),
  /** Byte that is decrypted. */
  decrypt: scan(2),

  /** Filter of a stream: it builds tables and state even for empty data. */
  startFilter: scan(4096),
  /** Byte that a filter reads, or a predictor changes, one at a time. */
  filterByte: scan(4),
  /** Row of a predictor, in addition to its bytes. */
  predictorRow: scan(16),
  /** Compressed byte. The worst case is a series of empty blocks, which have tables but no output. */
  inflateInput: scan(10),
  /** Byte that may have been inflated before the data turned out to be damaged. */
  inflateDiscarded: scan(1 / 16),

  /** Byte of white space before `endstream`. Many /Length values may point to the same white space. */
  skipBeforeEndstream: scan(16),
  /** Occurrence of `endobj` that may end an object. */
  inspectEndobj: scan(256),
  /** Row of the cross-reference table when its live offsets are sorted. */
  sortOffset: scan(16),
  /** Row of a cross-reference stream that is added to the table. */
  addXrefRow: scan(32),
  /** Number and offset of a member in the head of an object stream. */
  listMember: scan(64),
  /** Member of an object stream that is added to the table. */
  addMember: time(64),
  /** Failure to parse an object during a scan, in addition to its bytes. */
  failedParse: time(8192),
  /** Object that may be the catalog, in addition to its bytes. */
  inspectCatalog: scan(2048),

  /** Visit to a page or node of the page tree, in addition to its bytes. */
  visitTreeObject: scan(512),
  /** Byte of a page or node that is read for the first time. */
  readTreeObject: time(8),
  /** Byte of a page or node that is read again, because its visit is repeated. */
  rereadTreeObject: scan(8),
  /** Byte of a /Kids array. */
  readKids: scan(16),
  /** Kid of a page-tree node when its pages are counted. */
  settleKid: time(128),
  /** Byte of a /Contents array, each of whose elements is looked up. */
  readContentsArray: scan(16),
  /** Byte of a content stream's dictionary, which every page may share. */
  readStreamDictionary: scan(8),
  /** Byte of a malformed object that is rewritten in well-formed syntax. */
  rewriteWellFormed: scan(32),

  /** Character of a line that is shaped and laid out: 1 to 5 μs. The worst case is a new script at every character. */
  layOutCharacter: mark(256),
  /** Character of a text that is fitted to a page size. */
  fitCharacter: mark(64),
  /** Object that is added for the mark of one page. A viewer may have to draw it as copies that fill the page. */
  drawObject: mark(64 * 1024),
  /** Byte of the operators that place the mark on a page. */
  placeMark: mark(8),
  /** Page that receives the mark. */
  markPage: time(1024),

  /** Row or section whose boundary is collected. */
  collectBoundary: scan(32),
  /** Boundary that is sorted. */
  sortBoundary: time(32),
  /** Boundary that is checked, in addition to the bytes of its object. */
  checkBoundary: time(16),
  /** Byte of a long member whose syntax is checked before it is copied. */
  checkMember: time(4),
  /** Byte of a member that is copied into a new object stream. */
  copyMember: scan(4),
  /** Byte of a member that overlaps other members, so that the output is longer than the stream. */
  copyOverlappingMember: scan(16),
  /** Object that is written into an object stream, in addition to its bytes. */
  packMember: time(1024),
  /** Byte of an object that is written into an object stream. */
  packByte: time(1),
  /** Byte that is compressed. */
  deflate: time(4),
  /** Entry that is collected for the new cross-reference. */
  collectEntry: time(32),
  /** Row that is written into the new cross-reference stream. */
  writeXrefRow: time(32),
} as const satisfies Record<string, Cost>;

/** An operation that the meter counts. */
export type MeteredOperation = keyof typeof COSTS;

/** Memory of a structure in bytes, in addition to the bytes that it holds. */
export const MEMORY = {
  /** Parsed value of any type. */
  value: 32,
  /** Parsed string, array or dictionary. */
  container: 256,
  /** Entry of a parsed dictionary. */
  entry: 64,
  /** Byte of a string while it is parsed. */
  stringByte: 8,
  /** Member of a decoded object stream: its number and offset. */
  member: 64,
  /** Copy of a member. */
  memberCopy: 192,
  /** Object number in a Set. */
  objectNumber: 32,
  /** Node of the page tree. */
  treeNode: 512,
} as const;

/**
 * The cost of every operation that the meter counts, in scan units. One scan unit is about the time that it takes to
 * scan one byte.
 */

/** The allowance that an operation is charged to. Every operation also counts toward the time slice. */
type Allowance =
  /** The scanning allowance of the file. */
  | "scan"
  /** The allowance of the mark, which is as large as the scanning allowance. */
  | "mark"
  /** No allowance, only the time slice. The allowance of another operation limits how often this one runs. */
  | "none";

interface Cost {
  /** Scan units per byte or item. */
  readonly units: number;
  readonly allowance: Allowance;
}

const scan = (units: number): Cost => ({ units, allowance: "scan" });
const mark = (units: number): Cost => ({ units, allowance: "mark" });
const time = (units: number): Cost => ({ units, allowance: "none" });

/** The cost of each operation. The comment of an operation names its unit. */
export const COSTS = {
  /** Per byte that is read or searched. */
  scan: scan(1),
  /** Per byte that is parsed into a value. */
  parse: scan(32),
  /** Per byte that is decrypted. */
  decrypt: scan(2),

  /** Per filter of a stream. A filter builds tables and state even for empty data. */
  startFilter: scan(4096),
  /** Per byte that a filter reads or a predictor changes individually. */
  filterByte: scan(4),
  /** Per row of a predictor, in addition to its bytes. */
  predictorRow: scan(16),
  /** Per compressed byte. The worst case is a series of empty blocks, which have tables but no output. */
  inflateInput: scan(10),
  /** Per byte that may have been inflated before the data turned out to be damaged. */
  inflateDiscarded: scan(1 / 16),

  /** Per byte of white space before `endstream`. Many /Length values may point to the same white space. */
  skipBeforeEndstream: scan(16),
  /** Per occurrence of `endobj` that may end an object. */
  inspectEndobj: scan(256),
  /** Per row of the cross-reference table when its live offsets are sorted. */
  sortOffset: scan(16),
  /** Per row of a cross-reference stream that is added to the table. */
  addXrefRow: scan(32),
  /** Per number and offset of a member in the head of an object stream. */
  listMember: scan(64),
  /** Per member of an object stream that is added to the table. */
  addMember: time(64),
  /** Per failure to parse an object during a scan, in addition to its bytes. */
  failedParse: time(8192),
  /** Per object that may be the catalog, in addition to its bytes. */
  inspectCatalog: scan(2048),

  /** Per visit to a page or node of the page tree, in addition to its bytes. */
  visitTreeObject: scan(512),
  /** Per byte of a page or node that is read for the first time. */
  readTreeObject: time(8),
  /** Per byte of a page or node that is read again on a repeated visit. */
  rereadTreeObject: scan(8),
  /** Per byte of a /Kids array. */
  readKids: scan(16),
  /** Per child of a page-tree node when its pages are counted. */
  countKid: time(128),
  /** Per byte of a /Contents array. Each element of the array is looked up. */
  readContentsArray: scan(16),
  /** Per byte of a content stream's dictionary. All pages may share the stream. */
  readStreamDictionary: scan(8),
  /** Per byte of decoded content whose syntax is checked. */
  checkContent: scan(4),
  /** Per byte of decoded content that is run to find what it paints. */
  findInk: time(16),
  /** Per byte of a malformed object that is rewritten in well-formed syntax. */
  rewriteWellFormed: scan(32),

  /** Per character of a line that is laid out: 1 to 5 μs. The worst case is a new script at every character. */
  layOutCharacter: mark(256),
  /** Per character of a text that is fitted to a page size. */
  fitCharacter: mark(64),
  /** Per object that the mark adds for a page, such as the repeated copies of a tiled mark. */
  drawObject: mark(64 * 1024),
  /** Per byte of the operators that place the mark on a page. */
  placeMark: mark(8),
  /** Per page that receives the mark. */
  markPage: time(1024),

  /** Per row or section whose boundary is collected. */
  collectBoundary: scan(32),
  /** Per boundary that is sorted. */
  sortBoundary: time(32),
  /** Per boundary that is checked, in addition to the bytes of its object. */
  checkBoundary: time(16),
  /** Per byte of a long member whose syntax is checked before it is copied. */
  checkMember: time(4),
  /** Per byte of a member that is copied into a new object stream. */
  copyMember: scan(4),
  /** Per byte of a member that overlaps other members. Overlaps can make the output longer than the stream. */
  copyOverlappingMember: scan(16),
  /** Per object that is written into an object stream, in addition to its bytes. */
  packMember: time(1024),
  /** Per byte of an object that is written into an object stream. */
  packByte: time(1),
  /** Per byte that is searched for references. */
  findReferences: scan(2),
  /** Per byte that is compressed. */
  deflate: time(4),
  /** Per entry that is collected for the new cross-reference. */
  collectEntry: time(32),
  /** Per row that is written into the new cross-reference stream. */
  writeXrefRow: time(32),
} as const satisfies Record<string, Cost>;

/** An operation that the meter counts. */
export type MeteredOperation = keyof typeof COSTS;

/** Memory overhead of each structure in bytes, in addition to the bytes that it holds. */
export const MEMORY = {
  /** Per parsed value of any type. */
  value: 32,
  /** Per parsed string, array or dictionary. */
  container: 256,
  /** Per entry of a parsed dictionary. */
  entry: 64,
  /** Per byte of a string while it is parsed. */
  stringByte: 8,
  /** Per member of a decoded object stream: its number and offset. */
  member: 64,
  /** Per copy of a member. */
  memberCopy: 192,
  /** Per object number in a Set. */
  objectNumber: 32,
  /** Per node of the page tree. */
  treeNode: 512,
} as const;

/**
 * Defines the cost of every operation that the meter counts, in scan units. One scan unit is about the time that it
 * takes to scan one byte.
 */

/** The work limit to which an operation is charged. Every operation also counts toward the time slice. */
type WorkLimit =
  /** The limit for scanning the file. */
  | "scan"
  /** The limit for the mark, which is as large as the limit for scanning. */
  | "mark"
  /**
   * No work limit, only the time slice. The work limit of another operation already bounds how often the operation
   * runs.
   */
  | "none";

interface Cost {
  /** Cost of one byte or one item in scan units. */
  readonly units: number;
  readonly limit: WorkLimit;
}

const scan = (units: number): Cost => ({ units, limit: "scan" });
const mark = (units: number): Cost => ({ units, limit: "mark" });
const time = (units: number): Cost => ({ units, limit: "none" });

/** The cost of each operation. The comment of an operation names its unit. */
export const COSTS = {
  /** Cost per byte that is read or searched. */
  scan: scan(1),
  /** Cost per byte that is parsed into a value. */
  parse: scan(32),
  /** Cost per byte that is decrypted. */
  decrypt: scan(2),

  /** Cost per filter of a stream. A filter builds tables and state even for empty data. */
  startFilter: scan(4096),
  /** Cost per byte that a filter reads individually or a predictor changes individually. */
  filterByte: scan(4),
  /** Cost per row of a predictor, in addition to its bytes. */
  predictorRow: scan(16),
  /** Cost per compressed byte. The worst case is a series of empty blocks, which have tables but no output. */
  inflateInput: scan(10),
  /** Cost per byte that may have been inflated before the data turned out to be damaged. */
  inflateDiscarded: scan(1 / 16),

  /** Cost per byte of white space before `endstream`. Many /Length values may point to the same white space. */
  skipBeforeEndstream: scan(16),
  /** Cost per occurrence of `endobj` that may end an object. */
  inspectEndobj: scan(256),
  /** Cost per row of the cross-reference table when its live offsets are sorted. */
  sortOffset: scan(16),
  /** Cost per row of a cross-reference stream that is added to the table. */
  addXrefRow: scan(32),
  /** Cost per number and offset of a member in the head of an object stream. */
  listMember: scan(64),
  /** Cost of adding one member of an object stream to the table. */
  addMember: time(64),
  /** Cost per failure to parse an object during a scan, in addition to the cost of the object's bytes. */
  failedParse: time(8192),
  /** Cost per object that may be the catalog, in addition to the cost of the object's bytes. */
  inspectCatalog: scan(2048),

  /** Cost per visit to a page or node of the page tree, in addition to the cost of its bytes. */
  visitTreeObject: scan(512),
  /** Cost per byte of a page or node that is read for the first time. */
  readTreeObject: time(8),
  /** Cost per byte of a page or node that is read again on a repeated visit. */
  rereadTreeObject: scan(8),
  /** Cost per byte of a /Kids array. */
  readKids: scan(16),
  /** Cost per child of a page-tree node when the pages below the node are counted. */
  countKid: time(128),
  /** Cost per byte of a /Contents array. Each element of the array is looked up. */
  readContentsArray: scan(16),
  /** Cost per byte of a content stream's dictionary. All pages may share the stream. */
  readStreamDictionary: scan(8),
  /** Cost per byte of decoded content whose syntax is checked. */
  checkContent: scan(4),
  /** Cost per byte of decoded content that is run to find painted areas. */
  findInk: time(16),
  /** Cost per byte of a malformed object that is rewritten in well-formed syntax. */
  rewriteWellFormed: scan(32),

  /** Cost per character of a line that is laid out: 1 to 5 μs. The worst case is a new script at every character. */
  layOutCharacter: mark(256),
  /** Cost per character of a text that is fitted to a page size. */
  fitCharacter: mark(64),
  /** Cost per object that the mark adds for a page, such as the repeated copies of a tiled mark. */
  drawObject: mark(64 * 1024),
  /** Cost per byte of the operators that place the mark on a page. */
  placeMark: mark(8),
  /** Cost per page that receives the mark. */
  markPage: time(1024),

  /** Cost per row or section whose boundary is collected. */
  collectBoundary: scan(32),
  /** Cost per boundary that is sorted. */
  sortBoundary: time(32),
  /** Cost per boundary that is checked, in addition to the cost of the object's bytes. */
  checkBoundary: time(16),
  /** Cost per byte of a long member whose syntax is checked before it is copied. */
  checkMember: time(4),
  /** Cost per byte of a member that is copied into a new object stream. */
  copyMember: scan(4),
  /** Cost per byte of a member that overlaps other members. Overlaps can make the output longer than the stream. */
  copyOverlappingMember: scan(16),
  /** Cost per object that is written into an object stream, in addition to the cost of its bytes. */
  packMember: time(1024),
  /** Cost per byte of an object that is written into an object stream. */
  packByte: time(1),
  /** Cost per byte that is searched for references. */
  findReferences: scan(2),
  /** Cost per byte that is compressed. */
  deflate: time(4),
  /** Cost per entry that is collected for the new cross-reference. */
  collectEntry: time(32),
  /** Cost per row that is written into the new cross-reference stream. */
  writeXrefRow: time(32),
} as const satisfies Record<string, Cost>;

/** An operation that the meter counts. */
export type MeteredOperation = keyof typeof COSTS;

/** Memory overhead of each structure in bytes. The bytes in a structure are counted separately. */
export const MEMORY = {
  /** Memory per parsed value of any type. */
  value: 32,
  /** Memory per parsed string, array or dictionary. */
  container: 256,
  /** Memory per entry of a parsed dictionary. */
  entry: 64,
  /** Memory per byte of a string while it is parsed. */
  stringByte: 8,
  /** Memory per member of a decoded object stream: its number and offset. */
  member: 64,
  /** Memory per copy of a member of an object stream. */
  memberCopy: 192,
  /** Memory per object number in a Set. */
  objectNumber: 32,
  /** Memory per node of the page tree. */
  treeNode: 512,
} as const;

/** Finds what the output's own objects supersede in the source, and what has to be written instead. */
import { retry } from "./byteSource.ts";
import type { PdfDocument } from "./document.ts";
import { eachEntry, isDictionary, Malformed, nameIs, parseAt, readHeader, skipWhite } from "./lexer.ts";
import type { ObjectStream } from "./objects.ts";
import { scanPageAttributes } from "./pageAttributes.ts";
import { mentionsPage } from "./revisions.ts";
import type { Rewrite } from "./rewrite.ts";
import { type Member, spliced } from "./serialize.ts";
import { IN_FILE, IN_STREAM } from "./xrefTable.ts";

/** What is replaced or dropped of the source. */
export interface Replacements {
  /** Rewritten objects that are directly in the file. */
  inFile: Rewrite[];
  /** Live members of the object streams that are replaced, with their new text. */
  members: Member[];
  /** Object numbers whose body in the source is dead. */
  gone: Set<number>;
  /** The numbers in `gone` that are no longer used. */
  freed: Set<number>;
}

/**
 * Plans what is replaced: object streams with a member that is rewritten (they still contain the unmarked page) or
 * superseded by a later revision. Cross-reference streams and the linearization dictionary are dropped.
 */
export async function planReplacements(document: PdfDocument): Promise<Replacements> {
  const { table, sections } = document.xref;
  const { source } = document.objects;
  const changed = document.rewrites.changed();
  const inFile: Rewrite[] = [];
  const streams = new Set<number>();
  const gone = new Set<number>();
  for (const rewrite of changed) {
    const row = table.live(rewrite.num);
    if (table.kind(row) === IN_STREAM) streams.add(table.place(row));
    else {
      inFile.push(rewrite);
      gone.add(rewrite.num);
    }
  }

  const sectionOffsets = new Set(sections);
  // Unreadable objects are dropped: one without an end would extend into whatever follows it in the output.
  const freed = new Set(document.unreadable);
  let first = Number.POSITIVE_INFINITY;
  let firstNumber = 0;
  for (let row = 0; row < table.rows; row++) {
    const kind = table.kind(row);
    const place = table.place(row);
    if (kind === IN_STREAM) {
      if (!table.isLive(row) && isInFile(document, place)) streams.add(place);
      continue;
    }
    if (kind !== IN_FILE || !table.isLive(row)) continue;
    if (sectionOffsets.has(place)) freed.add(table.number(row));
    if (place < first) {
      first = place;
      firstNumber = table.number(row);
    }
  }
  if (firstNumber > 0 && (await retry(source, () => isLinearization(document, first)))) freed.add(firstNumber);

  const members: Member[] = [];
  for (const num of [...streams].sort((a, b) => a - b)) {
    const stream = await retry(source, () => readStream(document, num));
    if (!stream) continue;
    freed.add(num);
    collectMembers(document, num, stream, { members, freed });
  }
  for (const num of freed) gone.add(num);
  return { inFile, members, gone, freed };
}

function isInFile({ xref: { table } }: PdfDocument, num: number): boolean {
  const row = table.live(num);
  return row >= 0 && table.kind(row) === IN_FILE;
}

/** Reads an object stream; undefined if an older revision's entry names an object that is none now. */
function readStream(document: PdfDocument, num: number): ObjectStream | undefined {
  try {
    return document.objects.stream(num);
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/**
 * Adds the live members of object stream `stream`, in the stream's order. Pages that the page tree does not lead to are
 * freed: like older revisions, they have no mark.
 */
function collectMembers(
  { xref: { table }, rewrites }: PdfDocument,
  stream: number,
  { bytes, length, numbers, offsets }: ObjectStream,
  { members, freed }: Pick<Replacements, "members" | "freed">,
): void {
  const seen = new Set<number>();
  const ascending = [...offsets, length].sort((a, b) => a - b);
  const ends = new Map(ascending.map((offset, i) => [offset, ascending[i + 1] ?? length]));
  numbers.forEach((num, i) => {
    const row = table.live(num);
    if (row < 0 || table.kind(row) !== IN_STREAM || table.place(row) !== stream || seen.has(num)) return;
    const index = table.detail(row);
    if (index !== i && numbers[index] === num) return;
    seen.add(num);

    const rewrite = rewrites.get(num);
    if (rewrite && rewrite.splices.length > 0) {
      members.push({ num, text: spliced(rewrite) });
      return;
    }
    const offset = offsets[i]!;
    const text = bytes.subarray(offset, ends.get(offset));
    if (!rewrite && mentionsPage(text) && isPage(bytes, offset)) freed.add(num);
    else members.push({ num, text });
  });
}

function isPage(bytes: Uint8Array, offset: number): boolean {
  try {
    const at = skipWhite(bytes, offset);
    return isDictionary(bytes, at) && scanPageAttributes(bytes, at).isPage;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

/**
 * Returns whether the parameter dictionary of a linearized file (Annex F) is at `offset`; the output is not linearized.
 */
function isLinearization({ objects: { source } }: PdfDocument, offset: number): boolean {
  try {
    return parseAt(source, offset, (bytes, at) => {
      const header = readHeader(bytes, at);
      if (!header || !isDictionary(bytes, header.end)) return false;
      let found = false;
      eachEntry(bytes, header.end, (key, keyEnd) => {
        if (nameIs(bytes, key, keyEnd, "Linearized")) found = true;
      });
      return found;
    });
  } catch (error) {
    if (error instanceof Malformed) return false; // an unreadable object is no part of the document
    throw error;
  }
}

/** Writes the part of the output after the copied source: objects and the cross-reference section. */
import { md5 } from "#platform/hashes";
import { decodeLatin1, encodeLatin1, toHex } from "../../bytes.ts";
import type { NewObject } from "../document/newObject.ts";
import type { PdfDocument } from "../document/pdfDocument.ts";
import { FREE, IN_FILE, IN_STREAM } from "../objects/xrefTable.ts";
import type { Rewrite } from "../pages/rewrite.ts";
import { forEachYielding, limitOutput } from "../source/meter.ts";
import { ByteWriter } from "../syntax/byteWriter.ts";
import { GREATER_THAN, LINE_FEED } from "../syntax/characters.ts";
import { eachEntry, LARGEST_GENERATION, readName, unlessMalformed } from "../syntax/lexer.ts";
import { Reference } from "../syntax/values.ts";
import { endOfWellFormed, wellFormedName, wellFormedText } from "../syntax/wellFormed.ts";
import { provePages } from "./proof.ts";
import { correctReferences } from "./references.ts";
import { keptMembers, type Replacements } from "./replacements.ts";
import {
  END_OF_DATA,
  lengthOf,
  type Member,
  packObjects,
  rekeyed,
  spliced,
  writeObject,
  writeSpliced,
} from "./serialize.ts";
import type { Skeleton } from "./skeleton.ts";
import { addEntry, type Entries, linkFreeEntries, makeEntries, streamSection, tableSection } from "./xrefWriter.ts";

/** An object stream is full when it has this number of objects or of bytes. */
const PACKED_OBJECTS = 200;
const PACKED_BYTES = 1 << 20;
/** Approximate size in bytes of each part that consists of rewritten objects. */
const CHUNK = 256 * 1024;
/** Largest offset that fits into the ten digits of a table entry (ISO 32000-2, 7.5.4). */
const LARGEST_TABLE_OFFSET = 9_999_999_999;

/** A cross-reference entry of the output. */
type Entry =
  | { kind: typeof FREE; generation: number }
  | { kind: typeof IN_FILE; offset: number; generation: number }
  | { kind: typeof IN_STREAM; streamNumber: number; index: number };

/** The end of an output: parts with a total of `length` bytes. */
export interface Tail {
  length: number;
  /** Whether the tail has object streams or a cross-reference stream. */
  usesStreams: boolean;
  /** Yields the parts in order. Each part is valid until the next part is requested. */
  parts(): AsyncIterable<Uint8Array>;
}

/**
 * Writes the tail of an output that begins with `start` bytes of the source. Each object is written after the objects
 * that it needs. A reader that repairs a truncated file therefore finds no page without its mark. New objects come
 * first, then objects that pages may use, then the skeleton: pages, nodes and catalog. The skeleton is never in object
 * streams. A reader that scans the file therefore finds the catalog of the skeleton last.
 * @throws EngineError too_complex if the tail is longer than the limit for this source and mark
 */
export async function writeTail(
  document: PdfDocument,
  skeleton: Skeleton,
  replacements: Replacements,
  start: number,
): Promise<Tail> {
  const { xref, objects } = document;
  const { meter } = objects.source;
  const { inFile, inStreams, streams, freed } = replacements;
  // If the source is a hybrid file, the output has only a cross-reference stream, because every current reader supports
  // cross-reference streams.
  const asStream =
    xref.usesStreams || streams.length > 0 || hasCompressed(document) || start > LARGEST_TABLE_OFFSET - (1 << 30);
  const member = (rewrite: Rewrite): Member => {
    correctReferences(rewrite, document, freed);
    return { num: rewrite.num, text: spliced(rewrite) };
  };

  const body = new Body(document, start, freed);
  for (const { num, object } of document.added) {
    if (asStream && typeof object === "string") await body.pack({ num, text: encodeLatin1(object) });
    else body.add(num, object);
  }
  await body.endPack();
  const marked = body.offset;
  const allowed = marked - start + 2 * objects.source.length;
  const check = (offset: number) => limitOutput(offset - allowed, document.pages.length);
  const pack = async (packed: Member) => {
    await body.pack(packed);
    meter.charge("packMember");
    meter.charge("packByte", packed.text.length);
    await meter.yieldIfDue();
  };
  for (const num of streams) {
    // Each replaced stream becomes a separate stream. Some readers skip a whole stream with one damaged member. If
    // members of several streams were mixed, these readers would also lose members of undamaged streams.
    for await (const kept of keptMembers(document, replacements, num)) await pack(kept);
    await body.endPack();
    check(body.offset);
  }
  for (const rewrite of inStreams) await pack(member(rewrite));
  await body.endPack();
  body.rewrite(inFile);
  body.rewrite(skeleton.leaves);
  for (const { num, text } of skeleton.nodes) body.add(num, text);
  body.rewrite([skeleton.catalog]);

  const { entries, offset } = body;
  for (const num of freed) {
    if (!entries.has(num)) entries.set(num, { kind: FREE, generation: nextGeneration(document, num) });
  }
  provePages(document, skeleton, (num) => (entries.get(num)?.kind ?? FREE) !== FREE);
  const section = asStream ? document.numbers.take() : 0;
  if (asStream) entries.set(section, { kind: IN_FILE, offset, generation: 0 });
  const all = await collectEntries(document, replacements, entries);
  const trailer = trailerEntries(document, body.newBytes());
  const written = asStream ? await streamSection(section, all, trailer, meter) : tableSection(all, trailer);
  const end = encodeLatin1(`startxref\n${offset}\n%%EOF\n`);
  check(offset + written.length + end.length);
  return {
    length: offset - start + written.length + end.length,
    usesStreams: asStream,
    async *parts() {
      yield* body.parts();
      yield* written.parts();
      yield end;
    },
  };
}

const END = "\nendobj\n";

function headOf(num: number, gen: number): string {
  return `${num} ${gen} obj\n`;
}

/** The objects of the tail in output order, and the location of each. */
class Body {
  readonly entries = new Map<number, Entry>();
  /** Offset of the next object in the output. */
  offset: number;
  readonly #document: PdfDocument;
  readonly #freed: ReadonlySet<number>;
  /** Members of the current object stream, and the total length of the members in bytes. */
  #pack: Member[] = [];
  #packed = 0;
  /**
   * Parts of the tail, in order. To save memory, rewritten objects are serialized only when `parts` yields them. Every
   * page may have such an object.
   */
  readonly #sequence: (ByteWriter | { rewrites: readonly Rewrite[]; length: number })[] = [];

  /** @param freed numbers of the source's objects that the output does not contain */
  constructor(document: PdfDocument, start: number, freed: ReadonlySet<number>) {
    this.#document = document;
    this.#freed = freed;
    this.offset = start;
    this.#write((out) => out.byte(LINE_FEED));
  }

  /** Adds a new object to the tail. */
  add(num: number, object: NewObject): void {
    this.entries.set(num, { kind: IN_FILE, offset: this.offset, generation: 0 });
    this.#write((out) => writeObject(out, num, object, this.#document.objects.cipher));
  }

  /** Adds an object to the current object stream. The stream is written when it is full or when `endPack` is called. */
  async pack(member: Member): Promise<void> {
    this.#pack.push(member);
    this.#packed += member.text.length;
    if (this.#pack.length === PACKED_OBJECTS || this.#packed >= PACKED_BYTES) await this.endPack();
  }

  /** Writes the current object stream, if it has members. */
  async endPack(): Promise<void> {
    if (this.#pack.length === 0) return;
    const stream = this.#document.numbers.take();
    for (const [index, { num }] of this.#pack.entries())
      this.entries.set(num, { kind: IN_STREAM, streamNumber: stream, index });
    this.add(stream, await packObjects(this.#pack, this.#document.objects.source.meter));
    this.#pack = [];
    this.#packed = 0;
  }

  /** Adds rewritten objects to the tail. */
  rewrite(sources: readonly Rewrite[]): void {
    const start = this.offset;
    const rewrites = sources.map((source) => {
      if (!this.#document.rewrites.isStream(source.num)) correctReferences(source, this.#document, this.#freed);
      return rekeyed(source, this.#document.objects);
    });
    for (const rewrite of rewrites) {
      const { num } = rewrite;
      const gen = this.#document.xref.table.generationOf(num);
      this.entries.set(num, { kind: IN_FILE, offset: this.offset, generation: gen });
      this.offset += headOf(num, gen).length + lengthOf(rewrite) + END.length;
    }
    if (rewrites.length > 0) this.#sequence.push({ rewrites, length: this.offset - start });
  }

  /** Yields the parts in order. Each part is valid until the next part is requested. */
  async *parts(): AsyncGenerator<Uint8Array, undefined> {
    for (const piece of this.#sequence) {
      if (piece instanceof ByteWriter) yield* piece.parts();
      else yield* written(piece.rewrites, Math.min(CHUNK, piece.length), this.#document);
    }
  }

  /** Returns the bytes of the tail that are not rewritten objects. */
  newBytes(): Uint8Array[] {
    return this.#sequence.flatMap((piece) => (piece instanceof ByteWriter ? piece.parts() : []));
  }

  #write(write: (out: ByteWriter) => void): void {
    let out = this.#sequence.at(-1);
    if (!(out instanceof ByteWriter)) {
      out = new ByteWriter();
      this.#sequence.push(out);
    }
    const before = out.length;
    write(out);
    this.offset += out.length - before;
  }
}

/** Yields rewritten objects in parts of about `size` bytes. Yields the data of streams as the source returns them. */
async function* written(
  rewrites: readonly Rewrite[],
  size: number,
  { xref: { table }, objects: { source } }: PdfDocument,
): AsyncGenerator<Uint8Array, undefined> {
  let out = new ByteWriter(size);
  for (const rewrite of rewrites) {
    const { num, data } = rewrite;
    if (out.length > 0 && out.length + lengthOf(rewrite) > size) {
      yield* out.parts();
      out = new ByteWriter(size);
    }
    out.text(headOf(num, table.generationOf(num)));
    writeSpliced(out, rewrite);
    if (data) {
      if (data.end > data.start) {
        yield* out.parts();
        if (source.inMemory) yield source.bytes(data.start, data.end);
        else yield* source.stream(data.start, data.end);
        out = new ByteWriter(size);
      }
      out.text(END_OF_DATA);
    }
    out.text(END);
  }
  yield* out.parts();
}

function nextGeneration({ xref: { table } }: PdfDocument, num: number): number {
  return Math.min(table.generationOf(num) + 1, LARGEST_GENERATION);
}

function hasCompressed({ xref: { table } }: PdfDocument): boolean {
  for (let row = 0; row < table.rows; row++) if (table.kind(row) === IN_STREAM && table.isLive(row)) return true;
  return false;
}

/** Appends an entry. Free entries are linked into a list later. */
function put(entries: Entries, num: number, entry: Entry): void {
  if (entry.kind === IN_FILE) addEntry(entries, num, entry.kind, entry.offset, entry.generation);
  else if (entry.kind === IN_STREAM) addEntry(entries, num, entry.kind, entry.streamNumber, entry.index);
  else addEntry(entries, num, FREE, 0, entry.generation);
}

/**
 * Collects the entries of all objects of the output in ascending order: the source's live entries and the `changed`
 * entries. If both have an entry for an object, the changed entry takes precedence.
 */
async function collectEntries(
  document: PdfDocument,
  { freed }: Replacements,
  changed: Map<number, Entry>,
): Promise<Entries> {
  const { table } = document.xref;
  const { from, shift } = document.start;
  const { length, meter } = document.objects.source;
  const added = [...changed.keys()].filter((num) => table.liveRow(num) < 0).sort((a, b) => a - b);
  const isDense = table.largest < 2 * table.rows + 1000;
  const entries = makeEntries((isDense ? table.largest + 1 : 2 * table.rows + 1) + 2 * added.length + 1);
  addEntry(entries, 0, FREE, 0, LARGEST_GENERATION);
  let last = 0;
  // A file without updates has a single subsection (ISO 32000-2, 7.5.4). Gaps are therefore filled with free entries,
  // unless the gaps are large.
  const fill = (num: number) => {
    while (isDense && ++last < num) addEntry(entries, last, FREE, 0, 0);
    last = num;
  };

  let next = 0;
  const addNew = (num: number) => {
    last = num;
    put(entries, num, changed.get(num)!);
  };

  const entryOf = (row: number): Entry => {
    const kind = table.kind(row);
    if (kind === FREE) return { kind, generation: table.generation(row) };
    if (kind === IN_FILE) {
      const offset = table.offset(row);
      if (offset >= from && offset < length) return { kind, offset: offset + shift, generation: table.generation(row) };
    } else {
      const streamNumber = table.streamNumber(row);
      if (table.isInFile(streamNumber) && !freed.has(streamNumber))
        return { kind, streamNumber, index: table.index(row) };
    }
    return { kind: FREE, generation: 0 };
  };

  await forEachYielding(meter, table.numbers(), (num) => {
    if (num === 0) return;
    meter.charge("collectEntry");
    while (next < added.length && added[next]! < num) addNew(added[next++]!);
    fill(num);
    const entry = changed.get(num);
    put(entries, num, entry ?? entryOf(table.liveRow(num)));
  });
  while (next < added.length) addNew(added[next++]!);
  linkFreeEntries(entries);
  return entries;
}

/**
 * Trailer entries that are not copied: they apply only to the source's cross-reference section, or are written
 * separately.
 */
const OWN_ENTRIES = new Set(
  "Size Prev XRefStm Type W Index Filter DecodeParms Length DL F FFilter FDecodeParms Root Info Encrypt ID".split(" "),
);

/**
 * Returns the entries of the new trailer except /Size. The first half of /ID stays unchanged. The second half is a hash
 * of the source's trailers and of the `added` bytes, so that equal input produces equal output (ISO 32000-2, 14.4).
 */
function trailerEntries(document: PdfDocument, added: readonly Uint8Array[]): string {
  const { trailer, fileId, xref } = document;
  const newest = xref.trailers[0];
  let entries = "";
  if (newest) {
    eachEntry(newest.text, 0, (key, keyEnd, start) => {
      if (!OWN_ENTRIES.has(readName(newest.text, key, keyEnd)) && newest.text[start] !== GREATER_THAN)
        entries += entryText(newest.text, key, keyEnd, start);
    });
  }
  for (const key of ["Root", "Info", "Encrypt"]) {
    const value = trailer.get(key);
    if (value instanceof Reference) entries += `/${key} ${value.num} ${value.gen} R`;
    else if (value !== undefined) entries += verbatim(document, key);
  }
  // The key of an encrypted document depends on the first half of /ID. If the source has no /ID, the output must not
  // have one.
  if (document.objects.cipher && !fileId) return entries;
  const second = md5(...xref.trailers.map(({ text }) => text), ...added);
  return `${entries}/ID[<${toHex(fileId ?? second)}><${toHex(second)}>]`;
}

function verbatim({ xref }: PdfDocument, wanted: string): string {
  for (const { text, dict } of xref.trailers) {
    if (!dict.has(wanted)) continue;
    let entry = "";
    eachEntry(text, 0, (key, keyEnd, start) => {
      if (readName(text, key, keyEnd) === wanted) entry = entryText(text, key, keyEnd, start);
    });
    return entry;
  }
  return "";
}

/**
 * Returns a trailer entry in well-formed syntax. Returns an empty text if readers may disagree on the meaning of the
 * entry.
 */
function entryText(text: Uint8Array, key: number, keyEnd: number, start: number): string {
  const name = wellFormedName(text, key, keyEnd);
  const end = endOfWellFormed(text, start);
  if (end >= 0) return name + decodeLatin1(text, keyEnd, end);
  return unlessMalformed(() => `${name} ${decodeLatin1(wellFormedText(text, start))}`, "");
}

/**
 * Reads document-wide properties from the catalog, and removes properties that marking invalidates (ISO 32000-2,
 * 7.7.2).
 */
import { EngineError } from "../../errors.ts";
import { LONGEST_REFERENCE_CHAIN, type Objects } from "../objects/objects.ts";
import type { PageTreeRoot } from "../pages/pageTree.ts";
import { Rewrite, type Rewrites } from "../pages/rewrite.ts";
import { eachEntry, isDictionary, Malformed, nameIs, readName } from "../syntax/lexer.ts";
import { type Dictionary, parseValue, Reference, type Value } from "../syntax/values.ts";
import { endOfWellFormed, wellFormedText } from "../syntax/wellFormed.ts";
import type { Trailer } from "../xref/xref.ts";

/**
 * Catalog keys whose values are read. Other entries are skipped, because a catalog may contain ten thousand
 * destinations or page labels.
 */
const CATALOG_KEYS: ReadonlySet<string> = new Set(
  "Type Pages Version Lang AcroForm NeedsRendering Perms Collection Metadata OutputIntents MarkInfo".split(" "),
);

/**
 * Reads the needed entries of the dictionary to which the /Root of a trailer refers. Returns undefined if /Root does
 * not lead to a dictionary.
 * @throws the errors of {@link Objects.at}
 */
export function readRoot(objects: Objects, root: Value | undefined): Dictionary | undefined {
  return objects.dictionary(root, CATALOG_KEYS);
}

/**
 * Reads the catalog.
 * @throws Malformed if the trailer's /Root does not refer to a catalog with a page tree
 */
export function readCatalog(objects: Objects, trailer: Dictionary): Dictionary {
  const catalog = readRoot(objects, trailer.get("Root"));
  if (!catalog?.has("Pages")) throw new Malformed("no catalog");
  return catalog;
}

/**
 * Returns whether the document is a portfolio (ISO 32000-2, 12.3.5). Most readers show the attachments of a portfolio
 * instead of its pages.
 */
export function isPortfolio(objects: Objects, catalog: Dictionary): boolean {
  return objects.dictionary(catalog.get("Collection")) !== undefined;
}

/**
 * Returns whether the document is an XFA form without PDF form fields (ISO 32000-2, 12.7.8). Readers that support XFA
 * generate its pages from XML. Such readers show the PDF's own pages, and therefore a mark, only if /XFA is removed.
 * For an XFA form with PDF form fields, readers show the PDF's own pages.
 * @throws EngineError `xfa_not_supported` if the catalog's /NeedsRendering says that the form is dynamic
 */
export function isPureXfa(objects: Objects, catalog: Dictionary): boolean {
  const form = objects.dictionary(catalog.get("AcroForm"));
  if (!form?.has("XFA")) return false;
  if (objects.resolve(catalog.get("NeedsRendering")) === true) throw dynamicXfa();
  const fields = objects.resolve(form.get("Fields"));
  return !(Array.isArray(fields) && fields.length > 0);
}

/** Returns the error for a dynamic XFA form, whose pages readers generate from XML. */
export function dynamicXfa(): EngineError {
  return new EngineError(
    "xfa_not_supported",
    "The PDF is a dynamic XFA form, which has no fixed pages. Print it to PDF and send the result.",
  );
}

/**
 * Returns the reference to the catalog. If the catalog is a direct dictionary in a trailer, first moves it to an
 * indirect object, as ISO 32000-2, 7.5.5 requires.
 * @param trailers the trailers of the file, newest first
 * @param num number of the new object
 * @throws Malformed if no trailer contains a catalog
 */
export function moveCatalogOutOfTrailer(trailers: readonly Trailer[], rewrites: Rewrites, num: number): Reference {
  const text = trailers.find(({ dict }) => dict.has("Root"))?.text;
  const entry = text && entryOf(text, "Root");
  if (!entry) throw new Malformed("no catalog");
  rewrites.registerText(num, wellFormedText(text, entry.start));
  return new Reference(num, 0);
}

/**
 * Returns the location of the page tree's root. The location is a reference, or the root's offset in the catalog if the
 * root is a direct dictionary.
 * @param root the trailer's /Root after {@link registerNamed}
 * @throws Malformed if /Pages is neither a reference nor a dictionary
 * @throws MissingRange if bytes must be fetched first
 */
export function pageTreeRoot(objects: Objects, rewrites: Rewrites, root: Reference): PageTreeRoot {
  const holder = dictionaryAt(objects, rewrites, root);
  const entry = holder && entryOf(holder.text, "Pages");
  if (entry) {
    const pages = parseValue(holder.text, entry.start);
    if (pages instanceof Reference) return pages;
    if (pages instanceof Map) return { holder, at: entry.start };
  }
  throw new Malformed("the catalog has no page tree");
}

/** Keys to remove from a dictionary that is an entry of the catalog. */
export interface Removal {
  /** Key of the dictionary in the catalog. */
  readonly from: string;
  readonly keys: readonly string[];
}

/**
 * Removes usage rights from the catalog's /Perms (ISO 32000-2, 12.8.2.3). Usage rights are a signature of the whole
 * file, and Acrobat shows an error if the signature is broken. Other permissions are retained.
 */
export const USAGE_RIGHTS: Removal = { from: "Perms", keys: ["UR", "UR3"] };
/** Removes the XML of an XFA form. */
export const XFA: Removal = { from: "AcroForm", keys: ["XFA"] };

/** An entry to remove, as the bytes [start, end) of an object's text. */
export interface RemovedEntry {
  readonly rewrite: Rewrite;
  readonly start: number;
  readonly end: number;
}

/**
 * Entries of the catalog and of its /Names that contain unmarked data: private data of programs (ISO 32000-2, 14.5),
 * Web Capture data (14.10) and template pages (12.7.7).
 */
const PRIVATE_KEYS: ReadonlySet<string> = new Set(["PieceInfo", "SpiderInfo", "Templates"]);
const PRIVATE_NAMES: ReadonlySet<string> = new Set(["IDS", "URLS", "Templates"]);

/**
 * Finds the entries of the catalog and of its /Names that contain private data or unmarked pages.
 * @param root the trailer's /Root after {@link registerNamed}
 * @throws MissingRange if bytes must be fetched first
 */
export function findPrivateEntries(objects: Objects, rewrites: Rewrites, root: Reference): RemovedEntry[] {
  const catalog = dictionaryAt(objects, rewrites, root);
  if (!catalog) return [];
  const found = entriesAt(catalog, 0, PRIVATE_KEYS);
  const names = entryOf(catalog.text, "Names");
  if (!names) return found;
  if (isDictionary(catalog.text, names.start)) return [...found, ...entriesAt(catalog, names.start, PRIVATE_NAMES)];
  try {
    const value = parseValue(catalog.text, names.start);
    if (!objects.dictionary(value, PRIVATE_NAMES)?.size) return found;
    const dictionary = dictionaryAt(objects, rewrites, value);
    return dictionary ? [...found, ...entriesAt(dictionary, 0, PRIVATE_NAMES)] : found;
  } catch (error) {
    if (error instanceof Malformed || error instanceof EngineError) return found; // no page depends on /Names
    throw error;
  }
}

/** Finds the entries whose key is one of `keys` in the dictionary at `at`. */
function entriesAt(rewrite: Rewrite, at: number, keys: ReadonlySet<string>): RemovedEntry[] {
  const found: RemovedEntry[] = [];
  eachEntry(rewrite.text, at, (key, keyEnd, _, end) => {
    if (keys.has(readName(rewrite.text, key, keyEnd))) found.push({ rewrite, start: key, end });
  });
  return found;
}

/**
 * Finds the entries that a removal names. If a dictionary has no other entries, the whole dictionary is removed.
 * @param root the trailer's /Root after {@link registerNamed}
 * @returns the entries to remove, or the entry of the whole dictionary
 * @throws MissingRange if bytes must be fetched first
 */
export function findRemoved(
  objects: Objects,
  rewrites: Rewrites,
  root: Reference,
  { from, keys }: Removal,
): RemovedEntry[] {
  const catalog = dictionaryAt(objects, rewrites, root);
  const entry = catalog && entryOf(catalog.text, from);
  if (!entry) return [];
  const isDirect = isDictionary(catalog.text, entry.start);
  const rewrite = isDirect ? catalog : dictionaryAt(objects, rewrites, parseValue(catalog.text, entry.start));
  if (!rewrite) return [];

  const removed: RemovedEntry[] = [];
  let others = 0;
  eachEntry(rewrite.text, isDirect ? entry.start : 0, (key, keyEnd, _, end) => {
    if (keys.includes(readName(rewrite.text, key, keyEnd))) removed.push({ rewrite, start: key, end });
    else others++;
  });
  return removed.length === 0 || others > 0 ? removed : [{ rewrite: catalog, start: entry.key, end: entry.end }];
}

/**
 * Registers the catalog and the encryption dictionary. Registered objects are not erased as unlisted pages, even if
 * their /Type is /Page. Makes the trailer refer to both objects directly, because PDFium does not follow a reference to
 * a reference.
 * @param trailers the trailers of the file, newest first
 * @throws EngineError damaged_pdf if the encryption dictionary is malformed, since readers interpret it differently
 * @throws MissingRange if bytes must be fetched first
 */
export function registerNamed(
  objects: Objects,
  rewrites: Rewrites,
  trailers: readonly Trailer[],
  trailer: Dictionary,
): void {
  for (const key of ["Root", "Encrypt"]) {
    const found = dictionaryAt(objects, rewrites, trailer.get(key) ?? null);
    if (found) trailer.set(key, new Reference(found.num, objects.table.generationOf(found.num)));
  }
  const encrypt = trailer.get("Encrypt");
  if (encrypt === undefined) return;
  const text = trailers.find(({ dict }) => dict.has("Encrypt"))?.text;
  const entry = text && entryOf(text, "Encrypt");
  const isWellFormed =
    encrypt instanceof Reference
      ? !rewrites.hasNewText(encrypt.num) && hasUniqueKeys(rewrites.get(encrypt.num)?.text, 0)
      : entry && endOfWellFormed(text, entry.start) >= 0 && hasUniqueKeys(text, entry.start);
  if (!isWellFormed)
    throw new EngineError(
      "damaged_pdf",
      "The PDF's encryption dictionary is damaged. Save the PDF without encryption.",
    );
}

/**
 * Returns whether the keys of a dictionary and of all dictionaries nested in it are unique. If a key occurs twice, some
 * readers use the first occurrence and others use the last.
 */
function hasUniqueKeys(text: Uint8Array | undefined, at: number): boolean {
  if (!text || !isDictionary(text, at)) return true;
  const names = new Set<string>();
  let count = 0;
  let areUnique = true;
  eachEntry(text, at, (key, keyEnd, start) => {
    names.add(readName(text, key, keyEnd));
    count++;
    areUnique &&= hasUniqueKeys(text, start);
  });
  return areUnique && names.size === count;
}

/** Returns the dictionary at the end of a chain of references, and registers it for rewriting. */
function dictionaryAt(objects: Objects, rewrites: Rewrites, value: Value): Rewrite | undefined {
  for (let i = 0; i < LONGEST_REFERENCE_CHAIN && value instanceof Reference; i++) {
    const { num }: Reference = value;
    const found = rewrites.get(num) ?? objectAt(objects, rewrites, num);
    if (found instanceof Rewrite) return found;
    value = found;
  }
  return undefined;
}

/**
 * Registers a dictionary object for rewriting, and balances its brackets if necessary. If the object is not a
 * dictionary, returns its value.
 */
function objectAt(objects: Objects, rewrites: Rewrites, num: number): Rewrite | Value {
  try {
    const found = objects.at(num, (bytes, at) =>
      isDictionary(bytes, at) ? rewrites.registerWellFormed(num, bytes, at) : parseValue(bytes, at),
    );
    return found ?? null;
  } catch (error) {
    const rewrite = error instanceof Malformed ? rewrites.registerBalanced(num) : undefined;
    if (!rewrite) throw error;
    return rewrite;
  }
}

/** Returns the location of the last entry `name` in the dictionary that `text` begins with. */
function entryOf(text: Uint8Array, name: string): { key: number; start: number; end: number } | undefined {
  let found: { key: number; start: number; end: number } | undefined;
  eachEntry(text, 0, (key, keyEnd, start, end) => {
    if (nameIs(text, key, keyEnd, name)) found = { key, start, end };
  });
  return found;
}

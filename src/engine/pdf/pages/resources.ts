/**
 * Finds the XObject dictionaries to which the names of the mark can be added, for all pages (ISO 32000-2, 7.8.3). Pages
 * may share a dictionary by reference or by inheritance. Each dictionary is found once. As a result, it is changed only
 * once and never copied for each page.
 */
import { EngineError } from "../../errors.ts";
import { CATEGORIES } from "../content/operators.ts";
import { LONGEST_REFERENCE_CHAIN, type Objects } from "../objects/objects.ts";
import { hasStream } from "../objects/streams.ts";
import { eachEntry, isDictionary, Malformed, nameIs, readName, unlessMalformed } from "../syntax/lexer.ts";
import { parseCharged, Reference, referenceAt } from "../syntax/values.ts";
import { endOfWellFormed, wellFormedText } from "../syntax/wellFormed.ts";
import { LastText } from "./lastText.ts";
import type { EntrySpan, Span } from "./pageAttributes.ts";
import { Rewrite, type Rewrites, type Splice } from "./rewrite.ts";

const DEFAULT_SPACES = ["DefaultGray", "DefaultRGB"] as const;
/**
 * Name of a default color space. In the resources of a page, it replaces a device color space (ISO 32000-2, 8.6.5.6).
 */
export type DefaultSpace = (typeof DEFAULT_SPACES)[number];
/** Names of all default color spaces. Readers use these color spaces although content does not name them. */
const UNNAMED_SPACES = [...DEFAULT_SPACES, "DefaultCMYK"];

/** A place for new XObject names: a dictionary, and the splice that adds the names to the dictionary. */
export interface NameSlot {
  /** Prefix of new names. No existing name in the dictionary begins with this prefix. */
  readonly prefix: string;
  readonly rewrite: Rewrite;
  readonly span: Span;
  /** Text before and after the new entries, if the XObject dictionary itself must be created. */
  readonly around: readonly [string, string];
  /** The splice that adds names. Undefined until the first name is added. */
  splice: Splice | undefined;
}

/** The resources of a page. */
export interface PageResources {
  readonly slot: NameSlot;
  /** The resource dictionary, if other pages can also refer to it. Undefined for a direct dictionary in the page. */
  readonly shared: Rewrite | undefined;
  /**
   * Splices of `holder` without which some readers would not find the XObject dictionary. Empty after the splices have
   * been applied.
   */
  corrections: readonly Splice[];
  /** The object that contains the resources. */
  readonly holder: Rewrite;
  /** Position of the resource dictionary in the text of `holder`. */
  readonly at: number;
  readonly categories: ResourceCategories;
}

/** The existing categories of a resource dictionary. Consecutive pages with equal dictionaries share one instance. */
export interface ResourceCategories {
  /** The values of the categories, as spans relative to the dictionary. */
  readonly spans: ReadonlyMap<string, Span>;
  /** Bit set of the categories that may contain names for content; see `CATEGORIES` in content/operators.ts. */
  readonly bits: number;
}

const NO_CATEGORIES: ResourceCategories = { spans: new Map(), bits: 0 };
const IN_XOBJECTS = ["", ""] as const;
const NEW_XOBJECTS = ["/XObject<<", ">>"] as const;
const NEW_RESOURCES = ["/Resources<</XObject<<", ">>>>"] as const;

/** Finds the place for new XObject names in each Resources dictionary. The search does not change objects. */
export class Resources {
  readonly #objects: Objects;
  readonly #rewrites: Rewrites;
  readonly #prefix: string;
  /**
   * Resources by object number. XObject dictionaries have a separate map, because one object may be both resources and
   * an XObject dictionary.
   */
  readonly #shared = new Map<number, PageResources | undefined>();
  readonly #xobjects = new Map<number, { num: number; slot: NameSlot } | undefined>();
  /**
   * The default color spaces (ISO 32000-2, 8.6.5.6) found on any page, and the numbers of the objects that were
   * searched for default color spaces.
   */
  readonly defaultSpaces = new Set<DefaultSpace>();
  readonly #colorSpaces = new Set<number>();
  /**
   * Scanned entries of a Resources dictionary. The entries are stored until the place for new names is found, so that
   * a repeated search does not scan the dictionary again.
   */
  readonly #entries = new Map<Rewrite, { at: number; entries: Entries }>();
  readonly #lastEntries = new LastText<Entries>();

  /** @param prefix text with which the names of new resources begin */
  constructor(objects: Objects, rewrites: Rewrites, prefix: string) {
    this.#objects = objects;
    this.#rewrites = rewrites;
    this.#prefix = prefix;
  }

  /**
   * Returns the resources at `span` of a page or node, or undefined if the value is not a dictionary.
   * @param isOwn whether `holder` is the page itself. If not, pages inherit the resources, and `holder` consists of the
   * direct dictionary at `span`
   * @throws Malformed if a dictionary cannot be read
   * @throws MissingRange if bytes must be fetched first
   */
  find(holder: Rewrite, span: Span, isOwn: boolean): PageResources | undefined {
    return isDictionary(holder.text, span.start)
      ? this.#inResources(holder, span.start, !isOwn)
      : this.#referenced(holder, span);
  }

  /** Returns new resources for a page without usable own or inherited resources. */
  missing(page: Rewrite): PageResources {
    const slot = slotAt(page, { start: 2, end: 2 }, NEW_RESOURCES, this.#prefix);
    return { slot, shared: undefined, corrections: [], holder: page, at: 2, categories: NO_CATEGORIES };
  }

  #referenced(holder: Rewrite, span: Span): PageResources | undefined {
    const num = referenceAt(holder.text, span.start)?.num;
    if (num === undefined) return undefined;
    if (!this.#shared.has(num)) {
      const target = this.#dictionary(num);
      const known = target && this.#shared.get(target.origin);
      this.#shared.set(num, known ?? (target && this.#inResources(target, 0, true)));
      if (target) this.#shared.set(target.origin, this.#shared.get(num));
    }
    return this.#shared.get(num);
  }

  #inResources(holder: Rewrite, at: number, isShared: boolean): PageResources {
    const { overridden, colorSpaces, categories, ...entries } = this.#entriesOf(holder, at);
    const found = entries.found && spanFrom(at, entries.found);
    // Each ColorSpace dictionary is removed from the list after it has been searched, so that it is searched only once.
    for (; colorSpaces.length > 0; colorSpaces.pop()) this.#noteDefaults(holder, at + colorSpaces.at(-1)!.start);
    // Earlier /XObject entries are removed, because some readers use the first entry instead of the last.
    const corrections = overridden.map(({ key, end }): Splice => ({ at: at + key, remove: end - key, insert: "" }));
    const slot = found
      ? this.#inFound(holder, found, corrections)
      : slotAt(holder, { start: at + 2, end: at + 2 }, NEW_XOBJECTS, this.#prefix);
    // A holder in an object stream is rewritten even if it stays unchanged. Otherwise, readers that skip an object
    // stream with a damaged member would not find the holder.
    if (isShared && slot.rewrite !== holder && !this.#objects.table.isInFile(holder.num))
      corrections.push({ at: 0, remove: 0, insert: "" });
    this.#entries.delete(holder);
    return { slot, shared: isShared ? holder : undefined, corrections, holder, at, categories };
  }

  /** Returns the entries of the Resources dictionary at `at`. */
  #entriesOf(holder: Rewrite, at: number): Entries {
    const { text } = holder;
    const read = this.#entries.get(holder);
    const known = read?.at === at ? read.entries : this.#lastEntries.readAt(text, at);
    if (known) return known;
    const { entries, end } = readEntries(text, at);
    this.#entries.set(holder, { at, entries });
    return this.#lastEntries.put(text.subarray(at, end), entries);
  }

  #inFound(holder: Rewrite, found: EntrySpan, corrections: Splice[]): NameSlot {
    if (isDictionary(holder.text, found.start)) return inXObjects(holder, found.start, this.#prefix);
    return (
      this.#inReferenced(holder, found, corrections) ??
      slotAt(holder, { start: found.key, end: found.end }, NEW_XOBJECTS, this.#prefix)
    );
  }

  /**
   * Returns the place for new names in the XObject dictionary to which the reference at `span` leads. Adds a
   * correction if the reference leads to another reference, or has a wrong generation. Otherwise, Poppler and PDFium
   * would not find the dictionary.
   */
  #inReferenced(holder: Rewrite, span: Span, corrections: Splice[]): NameSlot | undefined {
    const reference = referenceAt(holder.text, span.start);
    if (!reference) return undefined;
    const { num } = reference;
    if (!this.#xobjects.has(num)) {
      const target = this.#dictionary(num);
      // If the XObject dictionary is the dictionary of a stream, only some readers find XObjects in it.
      if (target?.num === 0) rejectStream();
      if (target && !this.#xobjects.has(target.num))
        this.#xobjects.set(target.num, { num: target.num, slot: inXObjects(target, 0, this.#prefix) });
      this.#xobjects.set(num, target && this.#xobjects.get(target.num));
    }
    const found = this.#xobjects.get(num);
    if (!found) return undefined;
    const gen = this.#objects.table.generationOf(found.num);
    if (found.num !== num || gen !== reference.gen)
      corrections.push({ at: span.start, remove: span.end - span.start, insert: `${found.num} ${gen} R` });
    return found.slot;
  }

  /**
   * Records the default color spaces in the ColorSpace dictionary at `start`, which may be at the end of a chain of
   * references. If the dictionary is unreadable, records all default color spaces, because a reader may find any of
   * them.
   */
  #noteDefaults(holder: Rewrite, start: number): void {
    const note = (bytes: Uint8Array, at: number) => {
      if (!isDictionary(bytes, at)) return referenceAt(bytes, at)?.num;
      eachEntry(bytes, at, (key, keyEnd) => {
        for (const name of DEFAULT_SPACES) if (nameIs(bytes, key, keyEnd, name)) this.defaultSpaces.add(name);
      });
      return undefined;
    };
    const visited: number[] = [];
    try {
      let num = note(holder.text, start);
      while (num !== undefined && !this.#colorSpaces.has(num) && visited.length < LONGEST_REFERENCE_CHAIN) {
        visited.push(num);
        num = this.#objects.at(num, note);
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      for (const name of DEFAULT_SPACES) this.defaultSpaces.add(name);
    }
    for (const num of visited) this.#colorSpaces.add(num);
  }

  /**
   * Returns the dictionary to which a reference leads, possibly through other references. Returns undefined if the
   * reference leads to no dictionary. If the object is a stream, copies its dictionary, because Poppler does not accept
   * a stream in place of a dictionary.
   */
  #dictionary(num: number): Rewrite | undefined {
    for (let i = 0; i < LONGEST_REFERENCE_CHAIN; i++) {
      const known = this.#rewrites.get(num);
      if (known) {
        if (!isDictionary(known.text, 0)) return undefined;
        return this.#rewrites.isStream(num) ? this.#dictionaryOfStream(num, known.text, 0) : known;
      }
      const next = this.#objects.at(num, (bytes, at) => {
        if (isDictionary(bytes, at)) {
          const wellFormedEnd = endOfWellFormed(bytes, at);
          const end = wellFormedEnd >= 0 ? wellFormedEnd : eachEntry(bytes, at, () => {});
          if (this.#objects.table.isInFile(num) && hasStream(bytes, end))
            return this.#dictionaryOfStream(num, bytes, at);
          return wellFormedEnd >= 0
            ? this.#rewrites.register(num, bytes, at, end)
            : this.#rewrites.registerText(num, wellFormedText(bytes, at));
        }
        const value = parseCharged(bytes, at, this.#objects.source.meter);
        return value instanceof Reference ? value.num : undefined;
      });
      if (typeof next !== "number") return next;
      num = next;
    }
    return undefined;
  }

  /** Returns a copy of the dictionary of stream `num`. The copy will become a separate object. */
  #dictionaryOfStream(num: number, bytes: Uint8Array, at: number): Rewrite {
    const text = wellFormedText(bytes, at);
    const { meter } = this.#objects.source;
    meter.charge("rewriteWellFormed", text.length);
    meter.retain(text.length);
    return new Rewrite(0, text, undefined, num);
  }
}

/**
 * Entries of a Resources dictionary that are relevant for names and color spaces. All spans are relative to the
 * dictionary.
 */
interface Entries {
  /** The last /XObject entry. */
  found: EntrySpan | undefined;
  /** Earlier /XObject entries, which the last /XObject entry overrides. */
  overridden: EntrySpan[];
  /** ColorSpace dictionaries that have not been searched for default color spaces yet. */
  colorSpaces: Span[];
  categories: ResourceCategories;
}

/** Reads the entries of the Resources dictionary at `at`. Also returns the end of the dictionary. */
function readEntries(text: Uint8Array, at: number): { entries: Entries; end: number } {
  const spans = new Map<string, Span>();
  let bits = 0;
  let empty = 0;
  let found: EntrySpan | undefined;
  const overridden: EntrySpan[] = [];
  const colorSpaces: Span[] = [];
  const end = eachEntry(text, at, (key, keyEnd, start, valueEnd) => {
    const category = CATEGORIES.findIndex((name) => nameIs(text, key, keyEnd, name));
    if (category < 0) return;
    const name = CATEGORIES[category]!;
    const span = spanFrom(-at, { key, start, end: valueEnd });
    bits |= 1 << category;
    if (!mayHaveNames(text, start)) empty |= 1 << category;
    spans.set(name, span);
    if (name === "XObject") {
      if (found) overridden.push(found);
      found = span;
    } else if (name === "ColorSpace") colorSpaces.push(span);
  });
  // If a category is listed twice and one of its values is empty, some readers use the empty value.
  return { entries: { found, overridden, colorSpaces, categories: { spans, bits: bits & ~empty } }, end };
}

/**
 * Returns whether the category at `at` may contain names for content. Default color spaces do not count, because
 * readers use them without their names. Returns true for a malformed dictionary, and for a reference, which is not
 * followed.
 */
function mayHaveNames(text: Uint8Array, at: number): boolean {
  return unlessMalformed(() => {
    if (!isDictionary(text, at)) return referenceAt(text, at) !== undefined;
    let hasNames = false;
    eachEntry(text, at, (key, keyEnd) => {
      hasNames ||= !UNNAMED_SPACES.some((name) => nameIs(text, key, keyEnd, name));
    });
    return hasNames;
  }, true);
}

/** Returns the span of an entry, moved by `distance` bytes. */
function spanFrom(distance: number, { key, start, end }: EntrySpan): EntrySpan {
  return { key: key + distance, start: start + distance, end: end + distance };
}

/** @throws EngineError damaged_pdf always, because readers disagree on a stream in place of a dictionary */
function rejectStream(): never {
  throw new EngineError(
    "damaged_pdf",
    "The /XObject of a page is a stream instead of a dictionary. Open the PDF in a PDF reader and save it again.",
  );
}

/**
 * Returns the place for new names in an XObject dictionary. If an existing name begins with `prefix`, appends `1x`,
 * `2x` and so on to the prefix, until no existing name begins with the result. The search ends, because each existing
 * name excludes at most one suffix.
 */
function inXObjects(holder: Rewrite, at: number, prefix: string): NameSlot {
  let isPlainTaken = false;
  const taken = new Set<number>();
  eachEntry(holder.text, at, (key, keyEnd) => {
    const name = readName(holder.text, key, keyEnd);
    if (!name.startsWith(prefix)) return;
    isPlainTaken = true;
    const numbered = /^(\d{1,9})x/.exec(name.slice(prefix.length));
    if (numbered) taken.add(Number(numbered[1]));
  });
  let i = 1;
  while (taken.has(i)) i++;
  const free = isPlainTaken ? `${prefix}${i}x` : prefix;
  return slotAt(holder, { start: at + 2, end: at + 2 }, IN_XOBJECTS, free);
}

function slotAt(rewrite: Rewrite, span: Span, around: readonly [string, string], prefix: string): NameSlot {
  return { prefix, rewrite, span, around, splice: undefined };
}

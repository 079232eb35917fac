/**
 * Lays form XObjects over or under the content of every page. Well-formed content streams stay unchanged. Malformed
 * content streams become form XObjects.
 */
import { encodeLatin1 } from "../../bytes.ts";
import { deflatedText } from "../../deflated.ts";
import { LruCache } from "../../lruCache.ts";
import type { Ref } from "../document/newObject.ts";
import type { PdfDocument } from "../document/pdfDocument.ts";
import type { Page } from "../pages/page.ts";
import type { NameSlot, PageResources } from "../pages/resources.ts";
import type { Splice } from "../pages/rewrite.ts";
import { forEachYielding, limitOutput } from "../source/meter.ts";
import { Forms } from "./forms.ts";
import { drawForms, guardsFor } from "./guards.ts";

/**
 * Maximum number of placements that are deflated, counted in page order. If each page has a separate placement,
 * deflating all placements would take half of the total time.
 */
const MOST_DEFLATED = 16;
/**
 * Maximum size of the cache of placements, in bytes of their operators. Most pages have either the operators of a
 * recent page, or unique operators.
 */
const PLACEMENTS_BYTES = 1 << 20;

/**
 * Lays form XObjects over or under the content of every page, as artifacts (ISO 32000-2, 14.8.2.2). `document.layer` is
 * the layer of the XObjects. The XObjects are drawn in the page's initial graphics state. XObjects under the content
 * leave that state unchanged. Pages with equal operators share one content stream. Must be called only once per
 * document.
 * @param content returns the operators that place XObjects, in the page's user space; `nameOf` returns the resource
 * name of an XObject on that page
 * @throws EngineError too_complex if placing the XObjects takes too long, or copies too many bytes
 */
export async function overlay(
  document: PdfDocument,
  content: (page: Page, nameOf: (xobject: Ref) => string) => string,
): Promise<void> {
  const { meter } = document.objects.source;
  const guards = guardsFor(document.pdfa);
  const isUnder = document.layer === "under";
  const isGuarded = !isUnder && document.pages.some(({ isolated }) => !isolated);
  const [opening, closing] = isGuarded ? [document.add(guards.opening), document.add(guards.closing)] : ["", ""];
  /**
   * References to the content streams that place the mark. The key consists of the operators of a stream. The key
   * begins with a blank if the mark needs no guards.
   */
  const placements = new LruCache<string, string>(PLACEMENTS_BYTES);
  let deflated = 0;
  /**
   * New /Contents arrays of pages that share one array in the source. The key consists of the placement and the number
   * of the source's array.
   */
  const arrays = new Map<string, Ref>();
  const names = new Names();
  const forms = new Forms(document);
  /** Streams that draw the forms of isolated pages. The key consists of the operators of a stream. */
  const drawings = new Map<string, Ref>();
  let copied = 0;

  const draw = (operators: string): Ref => {
    const drawing =
      drawings.get(operators) ?? document.add({ dict: "/Filter/FlateDecode", data: deflatedText(operators, 6) });
    drawings.set(operators, drawing);
    return drawing;
  };

  const place = (operators: string, needsGuards: boolean): string => {
    const key = needsGuards ? operators : ` ${operators}`;
    const known = placements.get(key);
    if (known !== undefined) return known;
    meter.chargePlacement(operators.length);
    const ending = needsGuards ? ` ${guards.ending}` : "\n";
    const text = `/Artifact<</Type/Pagination/Subtype/Watermark>>BDC\n${operators}\nEMC${ending}`;
    const stream = document.add(
      deflated++ < MOST_DEFLATED
        ? { dict: "/Filter/FlateDecode", data: deflatedText(text, 6) }
        : { dict: "", data: encodeLatin1(text) },
    );
    return placements.put(key, needsGuards ? [closing, stream].join(" ") : stream, operators.length);
  };

  /** Returns the streams of a page in the order in which they are drawn. */
  const inOrder = (content: readonly string[], placement: string): string[] =>
    isUnder ? [placement, ...content] : [...content, placement];

  await forEachYielding(meter, document.pages, (page) => {
    const { contents, resources, isolated } = page;
    if (!contents) return;
    page.contents = undefined;
    const added = document.added.length;
    const operators = content(page, (xobject) => names.nameOf(xobject, resources));
    meter.charge("markPage");
    meter.charge("drawObject", document.added.length - added);
    meter.charge("placeMark", operators.length);
    const placement = place(operators, !isUnder && !isolated);
    if (isolated) {
      const drawn = forms.of(isolated).map((form) => names.nameOf(form, resources));
      const content = drawn.length > 0 ? [draw(drawForms(drawn, document.pdfa))] : [];
      page.overlay = { placement, contents: arrayOf(...inOrder(content, placement)) };
      return;
    }

    const { items, shared } = contents;
    const streams = inOrder(isUnder ? [items] : [opening, items], placement);
    if (shared === undefined) {
      page.overlay = { placement, contents: arrayOf(...streams) };
      return;
    }
    const key = `${shared} ${placement}`;
    let array = arrays.get(key);
    if (array === undefined) {
      copied += items.length;
      limitOutput(copied, document.pages.length);
      array = document.add(arrayOf(...streams));
      arrays.set(key, array);
    }
    page.overlay = { placement, contents: ` ${array}` };
  });
}

/**
 * Builds the text of an array with `join`. A template literal would keep a tree of the parts in memory for every page.
 */
function arrayOf(...items: string[]): string {
  return ["[", items.join(" "), "]"].join("");
}

/** Minimum length of the added entries, in characters, at which a set of names is faster than a text search. */
const LONG = 1024;
const ENTRY = /\/([^\s/<]+) \d/g;

/** The name of an XObject in a name slot. */
interface Name {
  readonly number: number;
  /** The slot's `prefix` and `around`. */
  readonly prefix: string;
  readonly around: readonly [string, string];
  readonly name: string;
  /** The XObject's entry in the XObject dictionary. */
  readonly entry: string;
  /** The text that adds the entry to a slot without added entries. */
  readonly insert: string;
}

/**
 * Names XObjects in the resources of pages. The name ends with the number of the XObject. This number is the same on
 * all pages, because pages may share resources.
 */
class Names {
  /** The last name of each XObject. Most pages have equal names, and share the strings of these names. */
  readonly #last = new Map<Ref, Name>();
  /** Texts that were inserted so far. Pages with equal texts share one string. */
  readonly #known = new Map<string, string>();
  /**
   * The added names in each XObject dictionary with long added entries. Such a dictionary is usually shared by many
   * pages.
   */
  readonly #many = new Map<NameSlot, Set<string>>();

  /** Returns the name of an XObject, and adds it to the page's XObject dictionary if it is missing. */
  nameOf(xobject: Ref, resources: PageResources): string {
    const { slot } = resources;
    if (resources.corrections.length > 0) {
      for (const splice of resources.corrections) resources.holder.splice(splice);
      resources.corrections = [];
    }
    const { name, entry, insert } = this.#nameIn(slot, xobject);
    const { start, end } = slot.span;
    if (!slot.splice) {
      slot.splice = { at: start, remove: end - start, insert };
      slot.rewrite.splice(slot.splice);
    } else if (slot.splice.insert !== insert && !this.#has(slot, slot.splice, name)) {
      const [before] = slot.around;
      slot.splice.insert = before + entry + slot.splice.insert.slice(before.length);
    }
    return name;
  }

  #nameIn({ prefix, around }: NameSlot, xobject: Ref): Name {
    const last = this.#last.get(xobject);
    if (last?.prefix === prefix && last.around === around) return last;
    const number = last?.number ?? this.#last.size;
    const name = `${prefix}${number}`;
    const entry = `/${name} ${xobject}`;
    const text = around[0] + entry + around[1];
    const insert = this.#known.get(text) ?? text;
    this.#known.set(insert, insert);
    const named = { number, prefix, around, name, entry, insert };
    this.#last.set(xobject, named);
    return named;
  }

  /**
   * Returns whether an earlier call added `name` to an XObject dictionary. If the added text has at least `LONG`
   * characters, a set of the added names replaces the search in the text, and `name` is put into this set.
   */
  #has(slot: NameSlot, { insert }: Splice, name: string): boolean {
    if (insert.length < LONG) return insert.includes(`/${name} `);
    const names = this.#many.get(slot) ?? new Set(Array.from(insert.matchAll(ENTRY), ([, named]) => named!));
    this.#many.set(slot, names);
    const has = names.has(name);
    names.add(name);
    return has;
  }
}

/** Walks the page tree (ISO 32000-2, 7.7.3) the way readers do, one kid at a time. */
import { EngineError } from "../errors.ts";
import { type Box, displayedBox, type Rotation, readBox, readRotation, readUserUnit } from "./boxes.ts";
import { BRACKET_OPEN } from "./characters.ts";
import { type Contents, ContentsReader } from "./contents.ts";
import { isDictionary, Malformed, skipValue } from "./lexer.ts";
import type { Objects } from "./objects.ts";
import { type PageAttributes, readKids, type Span, scanPageAttributes } from "./pageAttributes.ts";
import { type DefaultSpace, type NameSlot, Resources } from "./resources.ts";
import type { Rewrite, Rewrites } from "./rewrite.ts";
import { parseValue, Reference, type Value } from "./values.ts";
import { IN_FILE } from "./xrefTable.ts";

/** A page as displayed. */
export interface Page {
  readonly index: number;
  /** Displayed area in user space: the CropBox clipped to the MediaBox, x0 < x1 and y0 < y1. */
  readonly box: Box;
  /** Clockwise rotation for display. */
  readonly rotate: Rotation;
  /** Size of a user space unit in points (14.11.2): nearly always 1. */
  readonly userUnit: number;
}

/** A page and what is needed to lay something over it; `target` is cleared once that is done. */
export interface PageEntry extends Page {
  readonly rewrite: Rewrite;
  /** True if the tree has listed this page before. */
  readonly repeated: boolean;
  target: PageTarget | undefined;
}

/** Places where something can be laid over a page, in the text of its `rewrite`. */
export interface PageTarget {
  /** After the page dictionary's `<<`. */
  readonly start: number;
  /** The value of /Contents. */
  readonly contentsSpan: Span | undefined;
  /** See PageAttributes. */
  readonly overridden: Span[] | undefined;
  readonly contents: Contents;
  readonly slot: NameSlot;
}

interface Inherited {
  mediaBox: Box | undefined;
  cropBox: Box | undefined;
  rotate: Rotation;
  /** Looked up only when a page needs it, and then once. */
  resources: { holder: Rewrite; span: Span; slot: NameSlot | undefined } | undefined;
}

interface Node {
  /** The object that holds the kids array, and with it kids that are direct dictionaries. */
  holder: Rewrite;
  /** See readKids. */
  kids: number[];
  next: number;
  inherited: Inherited;
  /** Depth of direct dictionaries within one object. */
  nesting: number;
}

const NOTHING: Inherited = { mediaBox: undefined, cropBox: undefined, rotate: 0, resources: undefined };
const DEEPEST_NESTING = 50;
/** How many kids to look ahead. */
const UPCOMING = 30;

/** Walks the page tree in steps that can each be repeated when bytes are missing. */
export class PageWalk {
  readonly pages: PageEntry[] = [];
  readonly contents: ContentsReader;
  /** Kids that a lenient walk left out. */
  readonly unreadable = new Set<number>();
  readonly #objects: Objects;
  readonly #rewrites: Rewrites;
  readonly #resources: Resources;
  readonly #options: { maxPages: number; lenient: boolean; mayDefer: boolean };
  readonly #stack: Node[] = [];
  readonly #seenNodes = new Set<number>();
  readonly #seenPages = new Map<number, PageEntry>();
  #root: Reference | undefined;

  /**
   * @param root the catalog's /Pages
   * @param options `lenient`: leave out kids that cannot be read instead of throwing Malformed; `mayDefer`: see
   * ContentsReader
   */
  constructor(
    objects: Objects,
    rewrites: Rewrites,
    root: Reference,
    options: { maxPages: number; lenient: boolean; mayDefer: boolean },
  ) {
    this.#objects = objects;
    this.#rewrites = rewrites;
    this.#resources = new Resources(objects, rewrites);
    this.contents = new ContentsReader(objects, rewrites, options.lenient);
    this.#options = options;
    this.#root = root;
  }

  /**
   * Visits one kid; false when all are done.
   * @throws MissingRange if bytes have to be fetched first; call again then
   * @throws Malformed if a kid cannot be read and the walk is not lenient
   * @throws EngineError `too_many_pages`
   */
  step(): boolean {
    if (this.#root) {
      this.#visitObject(this.#root.num, NOTHING, true);
      this.#root = undefined;
      return true;
    }
    const node = this.#stack.at(-1);
    if (!node) return false;
    const kid = node.kids[node.next];
    if (kid === undefined) {
      this.#stack.pop();
      return true;
    }
    try {
      if (kid > 0) this.#visitObject(kid, node.inherited, false);
      else this.#visit(node.holder, -kid, scanPageAttributes(node.holder.text, -kid), node.inherited, node.nesting + 1);
    } catch (error) {
      if (!(this.#options.lenient && error instanceof Malformed)) throw error;
      if (kid > 0) this.unreadable.add(kid);
    }
    node.next++;
    return true;
  }

  /** The default colour spaces that pages have, once all are visited. */
  get defaultSpaces(): ReadonlySet<DefaultSpace> {
    return this.#resources.defaultSpaces;
  }

  /** Returns the file offsets of the kids after the current one. */
  upcoming(): number[] {
    const { table } = this.#objects;
    const node = this.#stack.at(-1);
    const rows = node?.kids
      .slice(node.next + 1, node.next + 1 + UPCOMING)
      .map((num) => (num > 0 ? table.live(num) : -1));
    return (rows ?? []).filter((row) => row >= 0 && table.kind(row) === IN_FILE).map((row) => table.place(row));
  }

  #visitObject(num: number, inherited: Inherited, isRoot: boolean): void {
    if (this.#seenNodes.has(num)) return;
    const known = this.#seenPages.get(num);
    if (known) {
      this.#push({ ...known, index: this.pages.length, repeated: true });
      return;
    }

    const target = this.#readNode(num);
    if (!target) return;
    const { rewrite, attributes } = target;
    if (isRoot && !attributes.kids && !attributes.isPage && !attributes.mediaBox && !attributes.contents) return;
    const page = this.#visit(rewrite, 0, attributes, inherited, 0);
    if (page) this.#seenPages.set(num, page);
    else this.#seenNodes.add(num);
  }

  #readNode(num: number): { rewrite: Rewrite; attributes: PageAttributes } | undefined {
    const read = (bytes: Uint8Array, at: number) => {
      if (!isDictionary(bytes, at)) return undefined;
      const attributes = scanPageAttributes(bytes.subarray(at), 0);
      return { rewrite: this.#rewrites.keep(num, bytes, at, at + attributes.end), attributes };
    };
    try {
      return this.#objects.at(num, read);
    } catch (error) {
      if (!(this.#options.lenient && error instanceof Malformed)) throw error;
      const text = this.#objects.balanced(num);
      return text && read(text, 0);
    }
  }

  /** Visits a dictionary. As readers do, takes it for a node if it has /Kids and its /Type is not /Page. */
  #visit(
    holder: Rewrite,
    at: number,
    attributes: PageAttributes,
    inherited: Inherited,
    nesting: number,
  ): PageEntry | undefined {
    const { text } = holder;
    const value = (span: Span | undefined): Value =>
      span ? this.#objects.resolve(parseValue(text, span.start)) : null;
    const own: Inherited = {
      mediaBox: readBox(this.#objects, value(attributes.mediaBox)) ?? inherited.mediaBox,
      cropBox: readBox(this.#objects, value(attributes.cropBox)) ?? inherited.cropBox,
      rotate: attributes.rotate ? readRotation(value(attributes.rotate)) : inherited.rotate,
      resources: attributes.resources ? { holder, span: attributes.resources, slot: undefined } : inherited.resources,
    };
    if (attributes.isPage || !attributes.kids)
      return this.#visitPage(holder, at, attributes, own, inherited, value(attributes.userUnit));

    if (nesting > DEEPEST_NESTING) throw new Malformed("the page tree is nested too deeply");
    this.#stack.push({ ...this.#kids(holder, attributes.kids), next: 0, inherited: own, nesting });
    return undefined;
  }

  #visitPage(
    holder: Rewrite,
    at: number,
    attributes: PageAttributes,
    own: Inherited,
    inherited: Inherited,
    userUnit: Value,
  ): PageEntry {
    const { contents, resources } = attributes;
    const start = at + 2;
    // The contents of the first page are never deferred.
    const mayDefer = this.#options.mayDefer && this.pages.length > 0;
    const page = {
      index: this.pages.length,
      box: this.#shared(displayedBox(own.mediaBox, own.cropBox)),
      rotate: own.rotate,
      userUnit: readUserUnit(userUnit),
      rewrite: holder,
      repeated: false,
      target: {
        start,
        contentsSpan: contents,
        overridden: attributes.overridden,
        contents: this.contents.read(holder.text, contents, mayDefer),
        slot:
          this.#slot(own.resources) ??
          this.#slot(inherited.resources) ??
          this.#resources.missing(holder, resources ?? { start, end: start }, !resources),
      },
    };
    this.#push(page);
    return page;
  }

  /** Returns the last page's box if it is equal: most pages have the same size. */
  #shared(box: Box): Box {
    const last = this.pages.at(-1)?.box;
    return last && last.x0 === box.x0 && last.y0 === box.y0 && last.x1 === box.x1 && last.y1 === box.y1 ? last : box;
  }

  #slot(resources: Inherited["resources"]): NameSlot | undefined {
    if (!resources) return undefined;
    resources.slot ??= this.#resources.slot(resources.holder, resources.span);
    return resources.slot;
  }

  #kids(holder: Rewrite, span: Span): { holder: Rewrite; kids: number[] } {
    if (holder.text[span.start] === BRACKET_OPEN) return { holder, kids: readKids(holder.text, span.start) };
    const reference = parseValue(holder.text, span.start);
    const array =
      reference instanceof Reference
        ? this.#objects.at(reference.num, (bytes, at) =>
            bytes[at] === BRACKET_OPEN
              ? this.#rewrites.keep(reference.num, bytes, at, skipValue(bytes, at))
              : undefined,
          )
        : undefined;
    return array ? { holder: array, kids: readKids(array.text, 0) } : { holder, kids: [] };
  }

  #push(page: PageEntry): void {
    if (this.pages.length >= this.#options.maxPages) {
      throw new EngineError("too_many_pages", `The PDF has more than ${this.#options.maxPages} pages.`);
    }
    this.pages.push(page);
  }
}

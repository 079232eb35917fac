/** Walks the page tree (ISO 32000-2, 7.7.3) the way readers do, one kid at a time. */
import { EngineError } from "../errors.ts";
import { type Box, displayedBox, type Rotation, readBox, readRotation, readUserUnit } from "./boxes.ts";
import { BRACKET_OPEN } from "./characters.ts";
import { type Contents, ContentsReader } from "./contents.ts";
import { isDictionary, Malformed, skipValue } from "./lexer.ts";
import { MissingStream, type Objects } from "./objects.ts";
import { type EntrySpan, type PageAttributes, readKids, type Span, scanPageAttributes } from "./pageAttributes.ts";
import { type DefaultSpace, type NameSlot, Resources } from "./resources.ts";
import { Rewrite, type Rewrites } from "./rewrite.ts";
import { parseValue, Reference, type Value } from "./values.ts";

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
  index: number;
  readonly rewrite: Rewrite;
  /** True if the tree has listed this page before. */
  readonly repeated: boolean;
  /** References to the streams that draw the mark on it, once it is laid over the page. */
  placement: string | undefined;
  target: PageTarget | undefined;
}

/** Places where something can be laid over a page, in the text of its `rewrite`. */
export interface PageTarget {
  /** After the page dictionary's `<<`. */
  readonly start: number;
  /** The value of /Contents. */
  readonly contentsSpan: Span | undefined;
  /** See PageAttributes. */
  readonly dropped: Span[] | undefined;
  readonly contents: Contents;
  readonly slot: NameSlot;
}

/** The root of the page tree: an object, or a dictionary at `at` of the object that holds it. */
export type PageTreeRoot = Reference | { holder: Rewrite; at: number };

interface Inherited {
  mediaBox: Box | undefined;
  cropBox: Box | undefined;
  rotate: Rotation;
  /** Looked up only when a page needs it, and then once. */
  resources: { holder: Rewrite; span: Span; slot: NameSlot | undefined } | undefined;
}

/** A node of the tree, and what has been found below it. */
interface Node {
  /** The object that holds the kids array, and with it kids that are direct dictionaries. */
  readonly holder: Rewrite;
  /** See readKids. */
  readonly kids: readonly number[];
  /** What each of the kids is, in their order: null if it is no page, undefined if it has not been visited yet. */
  readonly found: (PageEntry | Node | null | undefined)[];
  /** The next kid to visit. */
  next: number;
  /** Number of the object that its kids have for their /Parent: itself, or the next node above; 0 if none is one. */
  readonly num: number;
  /** What they inherit. */
  readonly inherited: Inherited;
  /** Depth of direct dictionaries within one object. */
  readonly nesting: number;
}

/** One kid of a node. */
interface Visit {
  readonly node: Node;
  readonly position: number;
}

/** Options of {@link PageWalk}. */
export interface WalkOptions {
  maxPages: number;
  /** Repairs the brackets of kids, and leaves out content, that cannot be read. */
  lenient: boolean;
  /** See ContentsReader. */
  mayDefer: boolean;
  /** Returns whether an object that the cross-reference lacks may be in the file all the same. */
  mayBeLost(num: number): boolean;
}

const NOTHING: Inherited = { mediaBox: undefined, cropBox: undefined, rotate: 0, resources: undefined };
const DEEPEST_NESTING = 50;
/** How many kids to look ahead. */
const UPCOMING = 30;
/** What a visit is charged, in bytes scanned, beside what it reads. */
const VISIT = 256;

/**
 * Walks the page tree in steps that can each be repeated when bytes are missing. Kids in an object stream that is not
 * decoded wait until all others have been visited: so each stream is decoded once, whatever the order of the pages.
 */
export class PageWalk {
  readonly contents: ContentsReader;
  readonly #objects: Objects;
  readonly #rewrites: Rewrites;
  readonly #resources: Resources;
  readonly #options: WalkOptions;
  /** Above the tree: its only kid is the root. */
  readonly #top: Node;
  readonly #stack: Node[] = [];
  /** Visits that wait for an object stream, by its number. */
  readonly #waiting = new Map<number, Visit[]>();
  /** Visits whose object stream is decoded now, the next one last. */
  #ready: Visit[] = [];
  readonly #seenNodes = new Set<number>();
  readonly #seenPages = new Map<number, PageEntry>();
  /** Numbers of arrays of kids that are objects of their own. */
  readonly #seenArrays = new Map<number, Rewrite>();
  #count = 0;
  #lastBox: Box | undefined;

  /** @param root the catalog's /Pages */
  constructor(objects: Objects, rewrites: Rewrites, root: PageTreeRoot, options: WalkOptions) {
    this.#objects = objects;
    this.#rewrites = rewrites;
    this.#resources = new Resources(objects, rewrites);
    this.contents = new ContentsReader(objects, rewrites, options.lenient);
    this.#options = options;
    const holder = root instanceof Reference ? new Rewrite(0, new Uint8Array()) : root.holder;
    const kids = [root instanceof Reference ? root.num : -root.at];
    this.#top = { holder, kids, found: [], next: 0, num: 0, inherited: NOTHING, nesting: 0 };
    this.#stack.push(this.#top);
  }

  /**
   * Visits one kid, or decodes an object stream that kids wait for; false when all are done.
   * @throws MissingRange if bytes have to be fetched first; call again then
   * @throws Malformed if a kid cannot be read and the walk is not lenient
   * @throws EngineError `too_many_pages`, `too_complex`, or `damaged_pdf` if what cannot be read may be a page
   */
  step(): boolean {
    const visit = this.#ready.at(-1);
    if (visit) {
      this.#visitKid(visit);
      this.#ready.pop();
      return true;
    }
    const node = this.#stack.at(-1);
    if (!node) return this.#decodeNext();
    if (node.next === node.kids.length) this.#stack.pop();
    else {
      this.#visitKid({ node, position: node.next });
      node.next++;
    }
    return true;
  }

  /** The pages in the order of the tree, once all have been visited. */
  pages(): PageEntry[] {
    const pages: PageEntry[] = [];
    const listed = new Set<PageEntry>();
    const path = [{ node: this.#top, next: 0 }];
    for (let at = path.at(-1); at; at = path.at(-1)) {
      if (at.next === at.node.kids.length) {
        path.pop();
        continue;
      }
      const found = at.node.found[at.next++];
      if (found === undefined) throw new Error("a kid has not been visited");
      if (found === null) continue;
      if ("kids" in found) path.push({ node: found, next: 0 });
      else if (listed.has(found)) pages.push({ ...found, index: pages.length, repeated: true });
      else {
        found.index = pages.length;
        listed.add(found);
        pages.push(found);
      }
    }
    return pages;
  }

  /** The default colour spaces that pages have, once all are visited. */
  get defaultSpaces(): ReadonlySet<DefaultSpace> {
    return this.#resources.defaultSpaces;
  }

  /** Returns the file offsets of the kids after the current one. */
  upcoming(): number[] {
    const { table } = this.#objects;
    const node = this.#stack.at(-1);
    const kids = node?.kids.slice(node.next + 1, node.next + 1 + UPCOMING) ?? [];
    return kids.filter((num) => num > 0 && table.isInFile(num)).map((num) => table.place(table.live(num)));
  }

  /** Visits a kid, or has it wait for an object stream. */
  #visitKid(visit: Visit): void {
    const { node, position } = visit;
    const isRoot = node === this.#top;
    this.#objects.source.meter.scan(VISIT);
    const kid = node.kids[position]!;
    try {
      node.found[position] = kid > 0 ? this.#visitObject(kid, node, isRoot) : this.#visitDirect(-kid, node);
    } catch (error) {
      if (error instanceof MissingStream) {
        const others = this.#waiting.get(error.num);
        if (others) others.push(visit);
        else this.#waiting.set(error.num, [visit]);
      } else throw this.#options.lenient && error instanceof Malformed ? unreadablePage() : error;
    }
  }

  /** Decodes the object stream that is first in the file of those that kids wait for; false if none wait. */
  #decodeNext(): boolean {
    const { table } = this.#objects;
    const placeOf = (num: number) => (table.isInFile(num) ? table.place(table.live(num)) : -1);
    const [first] = [...this.#waiting.keys()].sort((a, b) => placeOf(a) - placeOf(b));
    if (first === undefined) return false;
    this.#objects.stream(first);
    this.#ready = this.#waiting.get(first)!.reverse();
    this.#waiting.delete(first);
    return true;
  }

  /** Visits a dictionary within the object that holds its node. */
  #visitDirect(at: number, above: Node): PageEntry | Node {
    const { holder, nesting } = above;
    return this.#visit(holder, at, scanPageAttributes(holder.text, at), above, nesting + 1);
  }

  #visitObject(num: number, above: Node, isRoot: boolean): PageEntry | Node | null {
    if (this.#seenNodes.has(num)) return null;
    const known = this.#seenPages.get(num);
    if (known) {
      this.#countPage();
      return known;
    }

    const target = this.#readNode(num);
    if (!target) {
      if (this.#options.lenient && this.#objects.table.live(num) < 0 && this.#options.mayBeLost(num))
        throw unreadablePage();
      return null;
    }
    const { rewrite, attributes, isRepaired } = target;
    const found = this.#visit(rewrite, 0, attributes, above, 0);
    if ("kids" in found) {
      this.#seenNodes.add(num);
      if (isRepaired) rewrite.splice({ at: 0, remove: 0, insert: "" }); // written as it has been read
      return found;
    }
    if (isRoot && !attributes.isPage && !attributes.mediaBox && !attributes.contents) return null;
    this.#seenPages.set(num, found);
    return found;
  }

  #readNode(num: number): { rewrite: Rewrite; attributes: PageAttributes; isRepaired?: true } | undefined {
    const known = this.#rewrites.get(num);
    if (known) {
      const isNode = isDictionary(known.text, 0);
      return isNode ? { rewrite: known, attributes: scanPageAttributes(known.text, 0) } : undefined;
    }
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
      if (!text) throw error;
      return { ...read(text, 0)!, isRepaired: true };
    }
  }

  /** Visits a dictionary. As readers do, takes it for a node if it has an array of /Kids and its /Type is not /Page. */
  #visit(holder: Rewrite, at: number, attributes: PageAttributes, above: Node, nesting: number): PageEntry | Node {
    const { text } = holder;
    const { inherited } = above;
    const value = (span: Span | undefined): Value =>
      span ? this.#objects.resolve(parseValue(text, span.start)) : null;
    const own: Inherited = {
      mediaBox: readBox(this.#objects, value(attributes.mediaBox)) ?? inherited.mediaBox,
      cropBox: readBox(this.#objects, value(attributes.cropBox)) ?? inherited.cropBox,
      rotate: readRotation(value(attributes.rotate)) ?? inherited.rotate,
      resources: attributes.resources ? { holder, span: attributes.resources, slot: undefined } : inherited.resources,
    };
    const kids = attributes.kids && !attributes.isPage ? this.#kids(holder, attributes.kids) : undefined;
    if (!kids) {
      const page = this.#visitPage(holder, at, attributes, own, inherited, value(attributes.userUnit));
      this.#adopt(holder, at, attributes.parent, above);
      return page;
    }

    if (nesting > DEEPEST_NESTING) throw new Malformed("the page tree is nested too deeply");
    // No /Parent leads to a dictionary within an object, by which readers look for what it would pass on.
    const passedOn = nesting > 0 ? above : { num: holder.num, inherited: own };
    const node: Node = { ...kids, found: [], next: 0, num: passedOn.num, inherited: passedOn.inherited, nesting };
    this.#stack.push(node);
    this.#adopt(holder, at, attributes.parent, above);
    return node;
  }

  /**
   * Has a page or node name the node above it as its /Parent. By that, most readers look for what it inherits; others
   * remember where they have come from, as this walk does.
   */
  #adopt(holder: Rewrite, at: number, parent: EntrySpan | undefined, { num }: Node): void {
    const value = parent ? parseValue(holder.text, parent.start) : null;
    if (num === 0 ? value === null : value instanceof Reference && value.num === num) return;
    const insert = num === 0 ? "" : `/Parent ${num} ${this.#objects.table.generation(num)} R `;
    const { key, end } = parent ?? { key: at + 2, end: at + 2 };
    holder.splice({ at: key, remove: end - key, insert });
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
    const mayDefer = this.#options.mayDefer && this.#count > 0;
    const page = {
      index: 0,
      box: this.#shared(displayedBox(own.mediaBox, own.cropBox)),
      rotate: own.rotate,
      userUnit: readUserUnit(userUnit),
      rewrite: holder,
      repeated: false,
      placement: undefined,
      target: {
        start,
        contentsSpan: contents,
        dropped: attributes.dropped,
        contents: this.contents.read(holder.text, contents, mayDefer),
        slot:
          this.#slot(own.resources) ??
          this.#slot(inherited.resources) ??
          this.#resources.missing(holder, resources ?? { start, end: start }, !resources),
      },
    };
    this.#countPage();
    return page;
  }

  /** Returns the last page's box if it is equal: most pages have the same size. */
  #shared(box: Box): Box {
    const last = this.#lastBox;
    if (last && last.x0 === box.x0 && last.y0 === box.y0 && last.x1 === box.x1 && last.y1 === box.y1) return last;
    this.#lastBox = box;
    return box;
  }

  #slot(resources: Inherited["resources"]): NameSlot | undefined {
    if (!resources) return undefined;
    resources.slot ??= this.#resources.slot(resources.holder, resources.span);
    return resources.slot;
  }

  /**
   * Returns the kids, and the object that holds their array; undefined if there is no array. An array that is another
   * node's as well has no kids that are not known yet.
   */
  #kids(holder: Rewrite, span: Span): { holder: Rewrite; kids: number[] } | undefined {
    if (holder.text[span.start] === BRACKET_OPEN) return { holder, kids: readKids(holder.text, span.start) };
    const reference = parseValue(holder.text, span.start);
    if (!(reference instanceof Reference)) return undefined;
    const { num } = reference;
    const known = this.#seenArrays.get(num);
    if (known) return { holder: known, kids: [] };
    const array = this.#objects.at(num, (bytes, at) =>
      bytes[at] === BRACKET_OPEN ? this.#rewrites.keep(num, bytes, at, skipValue(bytes, at)) : undefined,
    );
    if (!array) return undefined;
    const kids = readKids(array.text, 0);
    this.#seenArrays.set(num, array);
    return { holder: array, kids };
  }

  #countPage(): void {
    if (++this.#count > this.#options.maxPages)
      throw new EngineError("too_many_pages", `The PDF has more than ${this.#options.maxPages} pages.`);
  }
}

function unreadablePage(): EngineError {
  return new EngineError(
    "damaged_pdf",
    "Something in the PDF that may be a page cannot be read. Open it in a reader and save it anew.",
  );
}

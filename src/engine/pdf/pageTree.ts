/** Walks the page tree (ISO 32000-2, 7.7.3) the way readers do, one kid at a time. */
import { EngineError } from "../errors.ts";
import { areApart, type Box, displayedBox, type Rotation, readBox, readRotation, readUserUnit } from "./boxes.ts";
import { BRACKET_OPEN } from "./characters.ts";
import { type Contents, ContentsReader } from "./contents.ts";
import { eachEntry, isDictionary, Malformed, skipWhite } from "./lexer.ts";
import { LONGEST_REFERENCE_CHAIN, MissingStream, type Objects } from "./objects.ts";
import { type PageAttributes, readKids, type Span, scanPageAttributes } from "./pageAttributes.ts";
import {
  type KidsArray,
  setEntry,
  stateBox,
  stateCount,
  stateKids,
  stateNode,
  statePage,
  stateRotation,
  type TreeDictionary,
} from "./plainTree.ts";
import { type DefaultSpace, type NameSlot, Resources } from "./resources.ts";
import { Rewrite, type Rewrites } from "./rewrite.ts";
import { endOfSound } from "./sound.ts";
import { dataStart } from "./streams.ts";
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

/** A node of the tree, and what has been found below it. Nodes that have the same array are one. */
interface Node extends KidsArray {
  /**
   * What each of the kids is, in their order: null if it is no page, undefined if it has not been visited yet. Only what
   * leads to pages, once the node has been settled.
   */
  found: (PageEntry | Node | null | undefined)[];
  /** The next kid to visit. */
  next: number;
  /** Number of the object that its kids have for their /Parent: itself, or the next node above; 0 if none is one. */
  readonly num: number;
  /** What they inherit. */
  readonly inherited: Inherited;
  /** Depth of direct dictionaries within one object. */
  readonly nesting: number;
  /** The dictionaries that have this array: several if it is an object of its own. */
  readonly dictionaries: TreeDictionary[];
  /** How many pages it leads to, once it has been settled. */
  count: number | undefined;
  /** How many it must lead to: its /Count, if it was damaged, as some of its kids may be lost. */
  readonly leastPages: number;
}

/** One kid of a node. */
interface Visit {
  readonly node: Node;
  readonly position: number;
}

/** The dictionary of a page or node that is an object. */
interface NodeText {
  readonly rewrite: Rewrite;
  readonly attributes: PageAttributes;
}

/** Options of {@link PageWalk}. */
export interface WalkOptions {
  maxPages: number;
  /** What the names of the mark begin with. */
  namePrefix: string;
  /** Repairs the brackets of kids, and leaves out content, that cannot be read. */
  lenient: boolean;
  /** See ContentsReader. */
  mayDefer: boolean;
  /** Returns whether readers may find an object that is not there, or is no page or node, elsewhere. */
  mayBeThere(num: number): boolean;
  /** Returns whether readers may find an object elsewhere than the cross-reference says. */
  isContested(num: number): boolean;
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
  /** The page that stands where the root of the tree should be, if one does. */
  rootPage: PageEntry | undefined;
  readonly #objects: Objects;
  readonly #rewrites: Rewrites;
  readonly #resources: Resources;
  readonly #options: WalkOptions;
  /** Above the tree: its only kid is the root. */
  readonly #top: Node;
  readonly #stack: Node[] = [];
  /** Visits that wait for an object stream, by its number. */
  readonly #waiting = new Map<number, Visit[]>();
  /** Some of these streams, the first of them in the file last. */
  #order: number[] = [];
  /** Visits whose object stream is decoded now, the next one last. */
  #ready: Visit[] = [];
  readonly #seenNodes = new Map<number, Node>();
  readonly #seenPages = new Map<number, PageEntry>();
  /** Nodes whose array of kids is an object of its own, by its number. */
  readonly #seenArrays = new Map<number, Node>();
  /** Boxes that are objects of their own, by number; null for what is no box. */
  readonly #boxes = new Map<number, Box | null>();
  #count = 0;
  #lastBox: Box | undefined;

  /** @param root the catalog's /Pages */
  constructor(objects: Objects, rewrites: Rewrites, root: PageTreeRoot, options: WalkOptions) {
    this.#objects = objects;
    this.#rewrites = rewrites;
    this.#resources = new Resources(objects, rewrites, options.namePrefix);
    this.contents = new ContentsReader(objects, rewrites, options.lenient);
    this.#options = options;
    const holder = root instanceof Reference ? new Rewrite(0, new Uint8Array()) : root.holder;
    const kids = [root instanceof Reference ? root.num : -root.at];
    this.#top = {
      ...{ holder, at: 0, kids, isPlain: true, found: [], next: 0, num: 0 },
      ...{ inherited: NOTHING, nesting: 0, dictionaries: [], count: undefined, leastPages: 0 },
    };
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

  /**
   * Settles the tree, once all kids have been visited: has nodes list nothing else than what has been found, and count
   * it. Must be called once.
   * @returns the pages in the order of the tree
   * @throws EngineError `too_many_pages` or `too_complex`, as a node may be listed many times; `damaged_pdf` if some
   * pages may be lost
   */
  pages(): PageEntry[] {
    this.#settle();
    if (this.#top.count! > this.#options.maxPages) throw tooManyPages(this.#options.maxPages);
    const { meter } = this.#objects.source;
    const pages: PageEntry[] = [];
    const listed = new Set<PageEntry>();
    const path = [{ node: this.#top, next: 0 }];
    for (let at = path.at(-1); at; at = path.at(-1)) {
      const found = at.node.found[at.next++];
      if (!found) {
        path.pop();
        continue;
      }
      meter.scan(VISIT);
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

  /** Counts the pages of each node, from the bottom up; a node does not list one that is above it. */
  #settle(): void {
    const above = new Set([this.#top]);
    const path = [{ node: this.#top, next: 0, count: 0 }];
    for (let at = path.at(-1); at; at = path.at(-1)) {
      const { node } = at;
      if (at.next === node.kids.length) {
        if (at.count < node.leastPages) throw unreadablePage();
        node.count = at.count;
        this.#state(node);
        above.delete(node);
        path.pop();
        const upper = path.at(-1);
        if (upper) upper.count += at.count;
        continue;
      }
      const found = node.found[at.next];
      if (found === undefined) throw new Error("a kid has not been visited");
      if (found !== null && "kids" in found) {
        if (above.has(found)) {
          // Readers that come to the array by another dictionary go through it once more.
          if (found.dictionaries.length > 1) throw unreadablePage();
          node.found[at.next] = null;
        } else if (found.count === undefined) {
          above.add(found);
          path.push({ node: found, next: 0, count: 0 });
        } else at.count += found.count;
      } else if (found !== null) at.count++;
      at.next++;
    }
  }

  /** Has a node say what it lists, and how many pages. */
  #state(node: Node): void {
    const { table } = this.#objects;
    const { dictionaries, kids, found, count } = node;
    const isListed = (index: number) => found[index] !== null;
    const isRight = (kid: number, index: number) => isListed(index) && (kid < 0 || table.generation(kid) === 0);
    node.isPlain &&=
      kids.every(isRight) && found.every((kid) => !kid || !("kids" in kid) || (kid.isPlain && kid.count! > 0));
    // A wrong /Count of a tree that is plain otherwise stays: readers show as many pages as they did, if blank ones.
    for (const dictionary of dictionaries)
      if (!(node.isPlain && mayCount(dictionary, table.largest))) stateCount(dictionary, count!);
    if (dictionaries.length > 0 && !node.isPlain) stateKids(node, table, isListed);
    node.found = found.filter((kid) => kid && !("kids" in kid && kid.count === 0));
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
    return kids.filter((num) => num > 0 && table.isInFile(num)).map((num) => table.offsetOf(num));
  }

  /** Visits a kid, or has it wait for an object stream. */
  #visitKid(visit: Visit): void {
    const { node, position } = visit;
    const isRoot = node === this.#top;
    this.#objects.source.meter.scan(VISIT);
    const kid = node.kids[position]!;
    try {
      node.found[position] = kid > 0 ? this.#visitObject(kid, visit, isRoot) : this.#visitDirect(-kid, node);
    } catch (error) {
      if (error instanceof MissingStream) {
        const others = this.#waiting.get(error.num);
        if (others) others.push(visit);
        else this.#waiting.set(error.num, [visit]);
      } else throw this.#options.lenient && error instanceof Malformed ? unreadablePage() : error;
    }
  }

  /** Decodes the next object stream, in the order of the file, that kids wait for; false if none wait. */
  #decodeNext(): boolean {
    const { table } = this.#objects;
    if (this.#order.length === 0)
      this.#order = [...this.#waiting.keys()].sort((a, b) => table.offsetOf(b) - table.offsetOf(a));
    const first = this.#order.pop();
    if (first === undefined) return false;
    this.#objects.stream(first);
    this.#ready = this.#waiting.get(first)!.reverse();
    this.#waiting.delete(first);
    return true;
  }

  /** Visits a dictionary within the object that holds its node. */
  #visitDirect(at: number, above: Node): PageEntry | Node | null {
    const { holder, nesting } = above;
    const attributes = scanPageAttributes(holder.text, at);
    if (above === this.#top && !mayBeRoot(attributes)) return null;
    return this.#visit(holder, at, attributes, above, nesting + 1);
  }

  #visitObject(num: number, visit: Visit, isRoot: boolean, hops = 0): PageEntry | Node | null {
    const { node: above, position } = visit;
    const known = this.#seenNodes.get(num) ?? this.#seenPages.get(num);
    if (known) {
      if ("kids" in known) return known;
      this.#countPage();
      return known;
    }

    const target = this.#readNode(num);
    if (typeof target !== "object" && this.#options.lenient && this.#options.mayBeThere(num)) throw unreadablePage();
    if (typeof target === "number" && hops < LONGEST_REFERENCE_CHAIN) {
      above.kids[position] = target;
      above.isPlain = false;
      return this.#visitObject(target, visit, isRoot, hops + 1);
    }
    if (typeof target !== "object") {
      if (this.#options.lenient || this.#objects.table.isInUse(num)) return null;
      throw new Malformed("a kid is not there");
    }
    const { rewrite, attributes } = target;
    if (isRoot && !mayBeRoot(attributes)) return null;
    const found = this.#visit(rewrite, 0, attributes, above, 0);
    if ("kids" in found) {
      this.#seenNodes.set(num, found);
      return found;
    }
    if (isRoot) {
      if (this.#options.lenient) throw unreadablePage(); // readers may find a tree elsewhere
      this.rootPage = found;
    }
    this.#seenPages.set(num, found);
    return found;
  }

  /**
   * Reads an object that may be a page or node.
   * @returns the number of another object if it is nothing but a reference to that; undefined for any other value
   * @throws Malformed if it is no value at all: it may have been a page
   * @throws EngineError damaged_pdf if it is a stream: some readers take that for a page, and it may be another's content
   */
  #readNode(num: number): NodeText | number | undefined {
    if (this.#options.isContested(num)) throw unreadablePage();
    const known = this.#rewrites.get(num);
    if (known) return isDictionary(known.text, 0) ? nodeText(known) : undefined;
    try {
      return this.#objects.at(num, (bytes, at): NodeText | number | undefined => {
        if (!isDictionary(bytes, at)) {
          if (endOfSound(bytes, at) < 0) throw new Malformed("a kid that is no value");
          const value = parseValue(bytes, at);
          if (value instanceof Reference) return value.num;
          if (value !== null && !this.#options.lenient) throw new Malformed("a kid that is no dictionary");
          return undefined;
        }
        const attributes = scanPageAttributes(bytes.subarray(at), 0);
        const isSound = attributes.end >= 0;
        const end = isSound ? at + attributes.end : eachEntry(bytes, at, () => {});
        if (isStream(bytes, end)) throw unreadablePage();
        if (!isSound) return nodeText(this.#rewrites.keepSound(num, bytes, at));
        return { rewrite: this.#rewrites.keep(num, bytes, at, end), attributes };
      });
    } catch (error) {
      const isDamaged = this.#options.lenient && error instanceof Malformed;
      const rewrite = isDamaged ? this.#rewrites.keepBalanced(num) : undefined;
      if (!rewrite) throw error;
      return nodeText(rewrite);
    }
  }

  /** Visits a dictionary. As readers do, takes it for a node if it has an array of /Kids and its /Type is not /Page. */
  #visit(holder: Rewrite, at: number, attributes: PageAttributes, above: Node, nesting: number): PageEntry | Node {
    const { text } = holder;
    const { inherited } = above;
    const value = (span: Span | undefined): Value =>
      span ? this.#objects.resolve(parseValue(text, span.start)) : null;
    const mediaBox = this.#box(text, attributes.mediaBox);
    const cropBox = this.#box(text, attributes.cropBox);
    const rotate = readRotation(value(attributes.rotate));
    const own: Inherited = {
      mediaBox: mediaBox ?? inherited.mediaBox,
      cropBox: cropBox ?? inherited.cropBox,
      rotate: rotate ?? inherited.rotate,
      resources: attributes.resources ? { holder, span: attributes.resources, slot: undefined } : inherited.resources,
    };
    const dictionary = { holder, at, attributes };
    const type = attributes.isPage ? "Page" : value(attributes.type);
    const array = attributes.kids && this.#kids(holder, attributes.kids);
    if (type === "Page") {
      if (array && array.kids.length > 0) throw ambiguousPage();
    } else if (attributes.kids && !array && parseValue(text, attributes.kids.start) instanceof Reference)
      throw new Malformed("kids that are not there: nobody knows which pages are missing");
    if (!array || type === "Page") {
      if (type === "Pages" && this.#rewrites.isRenewed(holder.num)) throw unreadablePage(); // its kids are lost
      const page = this.#visitPage(holder, at, attributes, own, inherited, value(attributes.userUnit));
      this.#adopt(dictionary, above);
      statePage(dictionary, type, page.userUnit);
      stateRotation(dictionary, rotate);
      // Readers disagree on what they show of a page without a MediaBox, or with a CropBox elsewhere.
      const isElsewhere = areApart(own.mediaBox, own.cropBox);
      stateBox(dictionary, "MediaBox", own.mediaBox ? mediaBox : page.box, !own.mediaBox);
      stateBox(dictionary, "CropBox", isElsewhere ? page.box : cropBox, isElsewhere);
      return page;
    }

    if (nesting > DEEPEST_NESTING) throw new Malformed("the page tree is nested too deeply");
    // No /Parent leads to a dictionary within an object, by which readers look for what it would pass on.
    const passedOn = nesting > 0 ? above : { num: holder.num, inherited: own };
    this.#adopt(dictionary, above);
    stateRotation(dictionary, rotate);
    stateBox(dictionary, "MediaBox", mediaBox);
    stateBox(dictionary, "CropBox", cropBox);
    stateNode(dictionary, array, this.#objects.table);
    if (isNode(array)) {
      array.dictionaries.push(dictionary);
      return array;
    }
    const { num, inherited: passed } = passedOn;
    const node: Node = {
      ...{ ...array, found: [], next: 0, num, inherited: passed, nesting },
      ...{ dictionaries: [dictionary], count: undefined, leastPages: this.#countOf(dictionary) },
    };
    if (array.holder !== holder) this.#seenArrays.set(array.holder.num, node);
    this.#stack.push(node);
    return node;
  }

  /** Returns how many pages a node must lead to. */
  #countOf({ holder, attributes }: TreeDictionary): number {
    if (!attributes.count || !this.#rewrites.isRenewed(holder.num)) return 0;
    const count = this.#objects.resolve(parseValue(holder.text, attributes.count.start));
    return typeof count === "number" ? count : 0;
  }

  /**
   * Has a page or node name the node above it as its /Parent. By that, most readers look for what it inherits; others
   * remember where they have come from, as this walk does.
   */
  #adopt(dictionary: TreeDictionary, { num }: Node): void {
    const { parent } = dictionary.attributes;
    const value = parent ? parseValue(dictionary.holder.text, parent.start) : null;
    if (num === 0 ? value === null : value instanceof Reference && value.num === num) return;
    setEntry(dictionary, parent, num === 0 ? "" : `/Parent ${num} ${this.#objects.table.generation(num)} R `);
  }

  #visitPage(
    holder: Rewrite,
    at: number,
    attributes: PageAttributes,
    own: Inherited,
    inherited: Inherited,
    userUnit: Value,
  ): PageEntry {
    const { contents: contentsSpan, resources } = attributes;
    const start = at + 2;
    // The contents of the first page are never deferred.
    const mayDefer = this.#options.mayDefer && this.#count > 0;
    const contents = this.contents.read(holder.text, contentsSpan, mayDefer);
    // Resources come last, as finding them may change what has been read: nothing of the page is missing then.
    const ownSlot = this.#slot(own.resources);
    const inheritedSlot = ownSlot ? undefined : this.#slot(inherited.resources);
    let { dropped } = attributes;
    // Some readers find its own, which are none, and do not look for others.
    if (inheritedSlot && resources) dropped = [...(dropped ?? []), { start: resources.key, end: resources.end }];
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
        contentsSpan,
        dropped,
        contents,
        slot:
          ownSlot ?? inheritedSlot ?? this.#resources.missing(holder, resources ?? { start, end: start }, !resources),
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

  /** Reads a box; one that is an object of its own, and may be every page's, is read once. */
  #box(text: Uint8Array, span: Span | undefined): Box | undefined {
    if (!span) return undefined;
    const value = parseValue(text, span.start);
    if (!(value instanceof Reference)) return readBox(this.#objects, value);
    const known = this.#boxes.get(value.num);
    if (known !== undefined) return known ?? undefined;
    const box = readBox(this.#objects, value);
    this.#boxes.set(value.num, box ?? null);
    return box;
  }

  #slot(resources: Inherited["resources"]): NameSlot | undefined {
    if (!resources) return undefined;
    resources.slot ??= this.#resources.slot(resources.holder, resources.span);
    return resources.slot;
  }

  /**
   * Returns the array of kids that is the value at `span`, or that it leads to, also through other references; undefined
   * if there is none. If another node has it as well, returns that.
   */
  #kids(holder: Rewrite, span: Span): KidsArray | Node | undefined {
    const { text } = holder;
    if (text[span.start] === BRACKET_OPEN) return { holder, at: span.start, ...readKids(text, span.start) };
    let value = parseValue(text, span.start);
    for (let i = 0; i < LONGEST_REFERENCE_CHAIN && value instanceof Reference; i++) {
      const { num }: Reference = value;
      const known = this.#seenArrays.get(num);
      if (known) return known;
      if (this.#options.isContested(num)) throw unreadablePage();
      const found = this.#objects.at(num, (bytes, at) =>
        bytes[at] === BRACKET_OPEN ? this.#rewrites.keepSound(num, bytes, at) : parseValue(bytes, at),
      );
      if (found instanceof Rewrite) return { holder: found, at: 0, ...readKids(found.text, 0) };
      value = found ?? null;
    }
    return undefined;
  }

  #countPage(): void {
    if (++this.#count > this.#options.maxPages) throw tooManyPages(this.#options.maxPages);
  }
}

/** @throws EngineError damaged_pdf if it is a stream */
function nodeText(rewrite: Rewrite): NodeText {
  const { text } = rewrite;
  const attributes = scanPageAttributes(text, 0);
  if (isStream(text, attributes.end >= 0 ? attributes.end : eachEntry(text, 0, () => {}))) throw unreadablePage();
  return { rewrite, attributes };
}

/** Returns whether a dictionary may be the root of a page tree, or its only page. */
function mayBeRoot({ kids, isPage, mediaBox, contents }: PageAttributes): boolean {
  return isPage || (kids ?? mediaBox ?? contents) !== undefined;
}

/** Returns whether readers show pages by a node's /Count: none at 0, and MuPDF none if the file has not as many objects. */
function mayCount({ holder, attributes: { count } }: TreeDictionary, largest: number): boolean {
  const value = count ? parseValue(holder.text, count.start) : null;
  return typeof value === "number" && value > 0 && value <= largest;
}

function isNode(array: KidsArray | Node): array is Node {
  return "found" in array;
}

/** Returns whether a dictionary that ends at `end` is a stream's. */
function isStream(bytes: Uint8Array, end: number): boolean {
  return end < bytes.length && dataStart(bytes, skipWhite(bytes, end)) >= 0;
}

function tooManyPages(maxPages: number): EngineError {
  return new EngineError("too_many_pages", `The PDF has more than ${maxPages} pages.`);
}

function ambiguousPage(): EngineError {
  return new EngineError(
    "damaged_pdf",
    "Something in the PDF is a page to some readers, and a list of pages to others. Save it anew, and send that.",
  );
}

function unreadablePage(): EngineError {
  return new EngineError(
    "damaged_pdf",
    "Something in the PDF that may be a page cannot be read. Open it in a reader and save it anew.",
  );
}

/** Walks the page tree (ISO 32000-2, 7.7.3) the way readers do, one kid at a time. */
import { EngineError } from "../../errors.ts";
import { LONGEST_REFERENCE_CHAIN, MissingStream, type Objects } from "../objects/objects.ts";
import { MEMORY } from "../source/costs.ts";
import { tooComplex } from "../source/meter.ts";
import { BRACKET_OPEN } from "../syntax/characters.ts";
import { Malformed } from "../syntax/lexer.ts";
import { parseCharged, Reference, type Value } from "../syntax/values.ts";
import { areApart, type Box, displayedBox, readBox, readRotation, readUserUnit } from "./boxes.ts";
import { ContentsReader } from "./contents.ts";
import { KidList, readKids } from "./kids.ts";
import {
  type KidsArray,
  registerBox,
  registerNode,
  registerPage,
  registerRotation,
  setEntry,
  type TreeDictionary,
} from "./normalize.ts";
import type { PageEntry } from "./page.ts";
import { type PageAttributes, type Span, scanPageAttributes } from "./pageAttributes.ts";
import { type DefaultSpace, type NameSlot, Resources } from "./resources.ts";
import { Rewrite, type Rewrites } from "./rewrite.ts";
import { type Inherited, settledPages, type TreeNode, tooManyPages } from "./treeNode.ts";
import { type ReadOptions, readTreeObject, unreadablePage } from "./treeObject.ts";

/** The root of the page tree: an object, or a dictionary at `at` of the object that holds it. */
export type PageTreeRoot = Reference | { holder: Rewrite; at: number };

/** One kid of a node. */
interface Visit {
  readonly node: TreeNode;
  readonly position: number;
}

/** Options of {@link PageWalk}. */
export interface WalkOptions extends ReadOptions {
  maxPages: number;
  /** Prefix of the mark's names. */
  namePrefix: string;
  /** See ContentsReader. */
  mayDefer: boolean;
  /** Returns whether readers may find an object that is not there, or is no page or node, elsewhere. */
  mayBeDefinedElsewhere(num: number): boolean;
}

const NOTHING: Inherited = { mediaBox: undefined, cropBox: undefined, rotate: 0, resources: undefined };
const DEEPEST_NESTING = 50;
/** Longest entry of a page that is looked into, in bytes: none that is a box or a number has a tenth of it. */
const LONGEST_ENTRY = 64 * 1024;
/** Number of kids to look ahead. */
const UPCOMING = 30;

/**
 * Walks the page tree in steps that can each be repeated when bytes are missing. Kids in an object stream that is not
 * decoded wait until all others have been visited. So each stream is decoded once, in any order of the pages.
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
  readonly #top: TreeNode;
  readonly #stack: TreeNode[] = [];
  /** Visits that wait for an object stream, by its number. */
  readonly #waiting = new Map<number, Visit[]>();
  /** Some of these streams, the first of them in the file last. */
  #order: number[] = [];
  /** Visits whose object stream is decoded now, the next one last. */
  #ready: Visit[] = [];
  readonly #seenNodes = new Map<number, TreeNode>();
  readonly #seenPages = new Map<number, PageEntry>();
  /** Nodes whose array of kids is a separate object, by its number. */
  readonly #seenArrays = new Map<number, TreeNode>();
  /** Boxes that are separate objects, by number; null for an object that is not a box. */
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
    const kids = new KidList();
    if (root instanceof Reference) kids.addReference(root.num);
    else kids.addDictionary(root.at);
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

  /** Settles the tree, once all kids have been visited. See {@link settledPages}. */
  pages(): Promise<PageEntry[]> {
    const { source, table } = this.#objects;
    return settledPages(this.#top, table, this.#options.maxPages, source.meter);
  }

  /** The default color spaces that pages have, once all are visited. */
  get defaultSpaces(): ReadonlySet<DefaultSpace> {
    return this.#resources.defaultSpaces;
  }

  /** Returns the file offsets of the kids after the current one. */
  upcoming(): number[] {
    const { table } = this.#objects;
    const node = this.#stack.at(-1);
    const numbers = node?.kids.numbers(node.next + 1, node.next + 1 + UPCOMING) ?? [];
    return numbers.filter((num) => table.isInFile(num)).map((num) => table.offsetOf(num));
  }

  /** Visits a kid, or has it wait for an object stream. */
  #visitKid(visit: Visit): void {
    const { node, position } = visit;
    const isRoot = node === this.#top;
    this.#objects.source.meter.charge("visitTreeObject");
    const num = node.kids.numberAt(position);
    try {
      node.found[position] =
        num === undefined
          ? this.#visitDirect(node.kids.offsetAt(position)!, node)
          : this.#visitObject(num, visit, isRoot);
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
  #visitDirect(at: number, above: TreeNode): PageEntry | TreeNode | null {
    const { holder, nesting } = above;
    const attributes = scanPageAttributes(holder.text, at);
    this.#objects.source.meter.charge("readKids", Math.max(0, attributes.end - at));
    if (above === this.#top && !mayBeRoot(attributes)) return null;
    return this.#visit(holder, at, attributes, above, nesting + 1);
  }

  #visitObject(num: number, visit: Visit, isRoot: boolean, hops = 0): PageEntry | TreeNode | null {
    const { node: above, position } = visit;
    const known = this.#seenNodes.get(num) ?? this.#seenPages.get(num);
    if (known) {
      if ("kids" in known) return known;
      this.#countPage();
      return known;
    }

    const target = readTreeObject(num, this.#objects, this.#rewrites, this.#options);
    if (typeof target !== "object" && this.#options.lenient && this.#options.mayBeDefinedElsewhere(num))
      throw unreadablePage();
    if (typeof target === "number" && hops < LONGEST_REFERENCE_CHAIN) {
      above.kids.setReference(position, target);
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

  /** Visits a dictionary. As readers do, takes it for a node if it has an array of /Kids and its /Type is not /Page. */
  #visit(
    holder: Rewrite,
    at: number,
    attributes: PageAttributes,
    above: TreeNode,
    nesting: number,
  ): PageEntry | TreeNode {
    const { text } = holder;
    const { inherited } = above;
    const value = (span: Span | undefined): Value => (span ? this.#objects.resolve(this.#parse(text, span)) : null);
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
    } else if (attributes.kids && !array && this.#parse(text, attributes.kids) instanceof Reference)
      throw new Malformed("a missing array of kids: unknown pages are lost");
    if (!array || type === "Page") {
      if (type === "Pages" && this.#rewrites.hasNewText(holder.num)) throw unreadablePage(); // its kids are lost
      const page = this.#visitPage(holder, at, attributes, own, inherited, value(attributes.userUnit));
      this.#registerParent(dictionary, above);
      registerPage(dictionary, type, page.userUnit);
      registerRotation(dictionary, rotate);
      // Readers disagree on what they show of a page without a MediaBox, or with a CropBox elsewhere.
      const isElsewhere = areApart(own.mediaBox, own.cropBox);
      registerBox(dictionary, "MediaBox", own.mediaBox ? mediaBox : page.box, !own.mediaBox);
      registerBox(dictionary, "CropBox", isElsewhere ? page.box : cropBox, isElsewhere);
      return page;
    }

    if (nesting > DEEPEST_NESTING) throw new Malformed("the page tree is nested too deeply");
    // Readers inherit through /Parent, and no /Parent leads to a dictionary within an object.
    const passedOn = nesting > 0 ? above : { num: holder.num, inherited: own };
    // the last that may miss something: a visit that is repeated has changed nothing yet
    const leastPages = isNode(array) ? 0 : this.#countOf(dictionary);
    this.#registerParent(dictionary, above);
    registerRotation(dictionary, rotate);
    registerBox(dictionary, "MediaBox", mediaBox);
    registerBox(dictionary, "CropBox", cropBox);
    registerNode(dictionary, array, this.#objects.table);
    if (isNode(array)) {
      array.dictionaries.push(dictionary);
      return array;
    }
    this.#objects.source.meter.retain(MEMORY.treeNode);
    const { num, inherited: passed } = passedOn;
    const node: TreeNode = {
      ...{ ...array, found: [], next: 0, num, inherited: passed, nesting },
      ...{ dictionaries: [dictionary], count: undefined, leastPages },
    };
    if (array.holder !== holder) this.#seenArrays.set(array.holder.num, node);
    this.#stack.push(node);
    return node;
  }

  /** Returns how many pages a node must lead to. */
  #countOf({ holder, attributes }: TreeDictionary): number {
    if (!attributes.count || !this.#rewrites.hasNewText(holder.num)) return 0;
    const count = this.#objects.resolve(this.#parse(holder.text, attributes.count));
    return typeof count === "number" ? count : 0;
  }

  /**
   * Has a page or node name the node above it as its /Parent. By that, most readers look for what it inherits; others
   * remember where they have come from, as this walk does.
   */
  #registerParent(dictionary: TreeDictionary, { num }: TreeNode): void {
    const { parent } = dictionary.attributes;
    const value = parent ? this.#parse(dictionary.holder.text, parent) : null;
    if (num === 0 ? value === null : value instanceof Reference && value.num === num) return;
    setEntry(dictionary, parent, num === 0 ? "" : `/Parent ${num} ${this.#objects.table.generationOf(num)} R `);
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
    // Some readers find the page's own resources, which are unusable, and do not look for others.
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

  /** Parses an entry of a page or node. */
  #parse(text: Uint8Array, { start, end }: Span): Value {
    if (end - start > LONGEST_ENTRY) throw tooComplex("a page has a very long entry");
    return parseCharged(text, start, this.#objects.source.meter);
  }

  /** Reads a box. A box in a separate object, which all pages may share, is read once. */
  #box(text: Uint8Array, span: Span | undefined): Box | undefined {
    if (!span) return undefined;
    const value = this.#parse(text, span);
    if (!(value instanceof Reference)) return readBox(this.#objects, value);
    const known = this.#boxes.get(value.num);
    if (known !== undefined) return known ?? undefined;
    const box = readBox(this.#objects, value);
    this.#boxes.set(value.num, box ?? null);
    return box;
  }

  #slot(resources: Inherited["resources"]): NameSlot | undefined {
    if (!resources) return undefined;
    if (resources.slot === undefined) resources.slot = this.#resources.slot(resources.holder, resources.span) ?? null;
    return resources.slot ?? undefined;
  }

  /**
   * Returns the array of kids at `span`, or the one it refers to, also through other references; undefined without one.
   * If another node has the same array, returns that node.
   */
  #kids(holder: Rewrite, span: Span): KidsArray | TreeNode | undefined {
    const { text } = holder;
    const { meter } = this.#objects.source;
    if (text[span.start] === BRACKET_OPEN) return { holder, at: span.start, ...readKids(text, span.start) };
    let value = this.#parse(text, span);
    for (let i = 0; i < LONGEST_REFERENCE_CHAIN && value instanceof Reference; i++) {
      const { num }: Reference = value;
      const known = this.#seenArrays.get(num);
      if (known) return known;
      if (this.#options.isAmbiguous(num)) throw unreadablePage();
      const found = this.#objects.at(num, (bytes, at) =>
        bytes[at] === BRACKET_OPEN ? this.#rewrites.registerWellFormed(num, bytes, at) : parseCharged(bytes, at, meter),
      );
      if (found instanceof Rewrite) meter.charge("readKids", found.text.length);
      if (found instanceof Rewrite) return { holder: found, at: 0, ...readKids(found.text, 0) };
      value = found ?? null;
    }
    return undefined;
  }

  #countPage(): void {
    if (++this.#count > this.#options.maxPages) throw tooManyPages(this.#options.maxPages);
  }
}

/** Returns whether a dictionary may be the root of a page tree, or its only page. */
function mayBeRoot({ kids, isPage, mediaBox, contents }: PageAttributes): boolean {
  return isPage || (kids ?? mediaBox ?? contents) !== undefined;
}

function isNode(array: KidsArray | TreeNode): array is TreeNode {
  return "found" in array;
}

function ambiguousPage(): EngineError {
  return new EngineError(
    "damaged_pdf",
    "PDF readers disagree on whether an object of the PDF is a page or a list of pages. Open the PDF in a PDF reader and save it again.",
  );
}

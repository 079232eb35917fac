/** Walks the page tree (ISO 32000-2, 7.7.3) as readers do, one kid at a time. */
import { encodeLatin1 } from "../../bytes.ts";
import { EngineError } from "../../errors.ts";
import { LONGEST_REFERENCE_CHAIN, MissingStream, type Objects } from "../objects/objects.ts";
import { MEMORY } from "../source/costs.ts";
import { BRACKET_OPEN } from "../syntax/characters.ts";
import { eachEntry, isDictionary, Malformed, unlessMalformed } from "../syntax/lexer.ts";
import { parseCharged, Reference, referenceAt, type Value } from "../syntax/values.ts";
import { readRotation, readUserUnit } from "./boxes.ts";
import { ContentsReader } from "./contents.ts";
import { IsolationReader } from "./isolation.ts";
import { KidList, readKids } from "./kids.ts";
import type { PageEntry } from "./page.ts";
import { type PageAttributes, parseEntry, type Span, scanPageAttributes } from "./pageAttributes.ts";
import { boxText, PageBoxes } from "./pageBoxes.ts";
import { uncheckedContent } from "./pageContent.ts";
import { readGroup } from "./pageGroup.ts";
import { type DefaultSpace, type PageResources, Resources } from "./resources.ts";
import { Rewrite, type Rewrites } from "./rewrite.ts";
import { type Inherited, type KidsArray, listPages, type TreeNode, tooManyPages } from "./treeNode.ts";
import { type ReadOptions, readTreeObject, unreadablePage } from "./treeObject.ts";

/**
 * The location of the page tree's root: a reference, or the offset `at` of a direct dictionary in the object `holder`.
 */
export type PageTreeRoot = Reference | { holder: Rewrite; at: number };

/** The visit of one kid of a page-tree node. */
interface Visit {
  readonly node: TreeNode;
  readonly position: number;
}

/** Options of {@link PageWalk}. */
export interface WalkOptions extends ReadOptions {
  maxPages: number;
  /** Prefix of the mark's resource names. */
  namePrefix: string;
  /**
   * Whether content streams whose bytes are not loaded count as well-formed for now. These streams are checked while
   * the source is copied; see {@link ContentsReader.read}.
   */
  mayDefer: boolean;
  /**
   * Returns whether readers may find a definition of the object that the engine did not find. Called only for objects
   * that the engine can use neither as a page nor as a page-tree node.
   */
  mayBeDefinedElsewhere(num: number): boolean;
}

const NOTHING: Inherited = { mediaBox: undefined, cropBox: undefined, rotate: 0, resources: undefined };
const DEEPEST_NESTING = 50;
/**
 * Maximum number of pages with unreadable dictionaries. The limit is `MOST_BLANK` or `BLANK_SHARE` of all pages,
 * whichever is more.
 */
const MOST_BLANK = 3;
const BLANK_SHARE = 0.01;
/** Number of page-tree kids whose bytes are fetched ahead. */
const UPCOMING = 30;

/**
 * Walks the page tree in steps. A step that throws because bytes are not loaded yet can be repeated. The visit of a kid
 * is postponed if the kid is in an object stream that has not been decoded. Postponed visits follow after all other
 * visits. Each object stream is therefore decoded only once, regardless of the order of the pages.
 */
export class PageWalk {
  readonly contents: ContentsReader;
  readonly #isolation: IsolationReader;
  /** Whether a page has a thumbnail or private data. */
  hasPrivateData = false;
  /** Numbers of the objects that are page-tree nodes or separate /Kids arrays. */
  readonly treeNumbers = new Set<number>();
  /**
   * Whether the file lists pages or nodes that are missing. Only set for a damaged file, or if a node contains itself. A
   * reader may show the pages of such a node again. Complete after {@link PageWalk.pages}.
   */
  missesPages = false;
  readonly #objects: Objects;
  readonly #rewrites: Rewrites;
  readonly #resources: Resources;
  readonly #options: WalkOptions;
  /** An artificial node above the page tree. The tree's root is its only kid. */
  readonly #top: TreeNode;
  readonly #stack: TreeNode[] = [];
  /** Visits that are postponed until an object stream is decoded. The key is the number of the stream. */
  readonly #waiting = new Map<number, Visit[]>();
  /**
   * Numbers of the object streams for which visits are postponed, in descending order of their offsets. The last
   * element is the next stream to decode.
   */
  #order: number[] = [];
  /** Visits whose object stream has just been decoded. The next visit is the last element. */
  #ready: Visit[] = [];
  readonly #seenNodes = new Map<number, TreeNode>();
  readonly #seenPages = new Map<number, PageEntry>();
  /** Nodes whose /Kids array is a separate object. The key is the number of this object. */
  readonly #seenArrays = new Map<number, TreeNode>();
  readonly #boxes: PageBoxes;
  /** Blank pages that replace pages with unreadable dictionaries. */
  readonly #blank = new Set<Rewrite>();
  #count = 0;

  /** @param root the page tree's root, from the catalog's /Pages */
  constructor(objects: Objects, rewrites: Rewrites, root: PageTreeRoot, options: WalkOptions) {
    this.#objects = objects;
    this.#rewrites = rewrites;
    this.#boxes = new PageBoxes(objects);
    this.#resources = new Resources(objects, rewrites, options.namePrefix);
    this.contents = new ContentsReader(objects, rewrites, options.lenient);
    this.#isolation = new IsolationReader(objects, this.contents);
    this.#options = options;
    const holder = root instanceof Reference ? new Rewrite(0, new Uint8Array()) : root.holder;
    const kids = new KidList();
    if (root instanceof Reference) kids.addReference(root.num);
    else kids.addDictionary(root.at);
    this.#top = {
      ...{ holder, kids, found: [], next: 0, inherited: NOTHING, nesting: 0 },
      ...{ dictionaries: 1, count: undefined, stated: 0, leastPages: 0 },
    };
    this.#stack.push(this.#top);
  }

  /**
   * Visits one kid of a page-tree node, or decodes an object stream for which visits are postponed. Returns false when
   * all kids have been visited.
   * @throws MissingRange if bytes must be fetched first. Call `step` again after the fetch.
   * @throws Malformed if a kid cannot be read and the walk is not lenient
   * @throws EngineError `too_many_pages`, `too_complex`, or `damaged_pdf` if an unreadable kid may be a page
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
   * Lists the pages of the tree; see {@link listPages}. Call this method after all kids have been visited. A blank page
   * has the size of the page before it, or else of the first page that is not blank.
   * @throws EngineError damaged_pdf if too many pages are blank
   */
  async pages(): Promise<PageEntry[]> {
    const { pages, isCyclic } = await listPages(this.#top, this.#options.maxPages, this.#objects.source.meter);
    this.missesPages ||= isCyclic;
    if (this.#blank.size === 0) return pages;
    const isBlank = ({ rewrite }: PageEntry) => this.#blank.has(rewrite);
    let neighbor = pages.find((page) => !isBlank(page));
    const allowed = Math.max(MOST_BLANK, Math.floor(pages.length * BLANK_SHARE));
    if (!neighbor || pages.filter(isBlank).length > allowed) throw unreadablePage();
    return pages.map((page) => {
      if (!isBlank(page)) {
        neighbor = page;
        return page;
      }
      const { box, trimBox, rotate, userUnit, attributes } = neighbor!;
      return { ...page, box, trimBox, rotate, userUnit, attributes };
    });
  }

  /** Whether the root of the page tree is a page instead of a node. False until the root has been visited. */
  get isRootPage(): boolean {
    const root = this.#top.found[0];
    return root !== undefined && root !== null && !("kids" in root);
  }

  /** The default color spaces of the pages that have been visited. */
  get defaultSpaces(): ReadonlySet<DefaultSpace> {
    return this.#resources.defaultSpaces;
  }

  /** Returns the file offsets of the kids that follow the current kid. */
  upcoming(): number[] {
    const { table } = this.#objects;
    const node = this.#stack.at(-1);
    const numbers = node?.kids.numbers(node.next + 1, node.next + 1 + UPCOMING) ?? [];
    return numbers.filter((num) => table.isInFile(num)).map((num) => table.offsetOf(num));
  }

  /**
   * Visits a kid of a page-tree node. If the kid is in an object stream that has not been decoded, postpones the visit.
   */
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
      } else if (this.#options.lenient && error instanceof Malformed)
        node.found[position] = this.#visitUnreadable(num, visit);
      else throw error;
    }
  }

  /**
   * Visits a blank page in place of a kid whose dictionary is unreadable. The /Count of the parent node must confirm
   * that the kid is one page.
   * @throws EngineError damaged_pdf if more than one page may be lost
   */
  #visitUnreadable(num: number | undefined, visit: Visit): PageEntry | TreeNode | null {
    const { node } = visit;
    const isUsed = num === undefined || this.#rewrites.get(num) !== undefined;
    if (isUsed || node.stated === 0 || this.#options.mayBeDefinedElsewhere(num)) throw unreadablePage();
    this.#blank.add(this.#rewrites.registerText(num, encodeLatin1("<<>>")));
    node.leastPages = node.stated;
    return this.#visitObject(num, visit, false);
  }

  /**
   * Decodes the next object stream for which visits are postponed, in file order. Returns false if no visit is
   * postponed.
   */
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

  /** Visits a direct dictionary in the /Kids array of a node. */
  #visitDirect(at: number, above: TreeNode): PageEntry | TreeNode | null {
    const { text } = above.holder;
    const { end } = scanPageAttributes(text, at);
    const dictionary = above.holder.part(at, end >= 0 ? end : eachEntry(text, at, () => {}));
    const attributes = scanPageAttributes(dictionary.text, 0);
    this.#objects.source.meter.charge("readKids", dictionary.text.length);
    if (above === this.#top && !mayBeRoot(attributes)) return null;
    return this.#visit(dictionary, attributes, above, above.nesting + 1);
  }

  #visitObject(num: number, visit: Visit, isRoot: boolean, hops = 0): PageEntry | TreeNode | null {
    const known = this.#seenNodes.get(num) ?? this.#seenPages.get(num);
    if (known) {
      if ("kids" in known) return known;
      this.#countPage();
      return known;
    }

    const target = readTreeObject(num, this.#objects, this.#rewrites, this.#options);
    if (typeof target !== "object" && this.#options.lenient && this.#options.mayBeDefinedElsewhere(num))
      throw unreadablePage();
    if (typeof target === "number" && hops < LONGEST_REFERENCE_CHAIN)
      return this.#visitObject(target, visit, isRoot, hops + 1);
    if (typeof target !== "object") {
      if (this.#objects.table.isInUse(num)) return null;
      if (!this.#options.lenient) throw new Malformed("a kid is not there");
      this.missesPages = true;
      return null;
    }
    const { rewrite, attributes } = target;
    if (isRoot && !mayBeRoot(attributes)) return null;
    const found = this.#visit(rewrite, attributes, visit.node, 0);
    if ("kids" in found) {
      this.#seenNodes.set(num, found);
      this.treeNumbers.add(num);
      return found;
    }
    this.#seenPages.set(num, found);
    return found;
  }

  /**
   * Visits a dictionary of the page tree. As readers do, treats the dictionary as a node if it has a /Kids array and
   * its /Type is not /Page.
   */
  #visit(dictionary: Rewrite, attributes: PageAttributes, above: TreeNode, nesting: number): PageEntry | TreeNode {
    const { text } = dictionary;
    const { inherited } = above;
    const value = (span: Span | undefined): Value =>
      span ? this.#objects.resolve(parseEntry(text, span, this.#objects)) : null;
    const own = {
      ...this.#boxes.read(text, attributes, inherited),
      rotate: readRotation(value(attributes.rotate)) ?? inherited.rotate,
    };
    const type = attributes.isPage ? "Page" : value(attributes.type);
    const array = attributes.kids && this.#kids(dictionary, attributes.kids);
    if (type === "Page") {
      if (array && array.kids.length > 0) throw ambiguousPage();
    } else if (attributes.kids && !array && parseEntry(text, attributes.kids, this.#objects) instanceof Reference)
      throw new Malformed("a missing array of kids: unknown pages are lost");
    if (!array || type === "Page") {
      // A damaged node may have a /Kids array that was not found.
      if (type === "Pages" && this.#rewrites.hasNewText(dictionary.origin)) throw unreadablePage();
      return this.#visitPage(dictionary, attributes, { ...own, resources: inherited.resources });
    }

    if (nesting > DEEPEST_NESTING) throw new Malformed("the page tree is nested too deeply");
    // If bytes are missing, this statement throws, but the statements below do not. The statements above have no
    // lasting effect. The visit can therefore be repeated when the bytes are loaded.
    const stated = isNode(array) ? 0 : this.#countOf(dictionary, attributes);
    if (isNode(array)) {
      array.dictionaries++;
      return array;
    }
    this.#objects.source.meter.retain(MEMORY.treeNode);
    // A direct node passes on none of its attributes. Readers inherit through /Parent, which cannot refer to a direct
    // dictionary.
    const passedOn =
      nesting > 0 ? inherited : { ...own, resources: passedResources(dictionary, attributes, inherited) };
    const node: TreeNode = {
      ...{ ...array, found: [], next: 0, inherited: passedOn, nesting },
      ...{ dictionaries: 1, count: undefined, stated },
      leastPages: this.#rewrites.hasNewText(dictionary.origin) ? stated : 0,
    };
    if (array.holder !== dictionary) {
      this.#seenArrays.set(array.holder.num, node);
      this.treeNumbers.add(array.holder.num);
    }
    this.#stack.push(node);
    return node;
  }

  /**
   * Returns the /Count of a node of a damaged file. Returns 0 if the count is unknown. Resolves a reference only for a
   * damaged node, because only a damaged node needs the count.
   */
  #countOf(node: Rewrite, { count }: PageAttributes): number {
    if (!count || !this.#options.lenient) return 0;
    const value = parseEntry(node.text, count, this.#objects);
    const number = this.#rewrites.hasNewText(node.origin) ? this.#objects.resolve(value) : value;
    return typeof number === "number" ? number : 0;
  }

  /** @param inherited the page's own attributes, and the resources of the nodes above it */
  #visitPage(page: Rewrite, attributes: PageAttributes, inherited: Inherited): PageEntry {
    const { text } = page;
    const { userUnit: unit } = attributes;
    const userUnit = readUserUnit(unit ? this.#objects.resolve(parseEntry(text, unit, this.#objects)) : null);
    // The contents of the first page are not deferred. Contents that may have to be isolated are not deferred either.
    const mayDefer = this.#options.mayDefer && this.#count > 0 && !this.#options.lenient;
    const contents = this.contents.read(text, attributes.contents, mayDefer);
    const { resources: span, annotations, cuts } = attributes;
    const box = this.#boxes.displayed(inherited);
    const own = span && this.#resources.find(page, span, true);
    const found = own ?? this.#inherited(inherited.resources);
    const content =
      this.#options.mayDefer && !this.#options.lenient
        ? uncheckedContent()
        : this.#isolation.check(contents.items, attributes.isTagged, found?.categories.bits ?? 0);
    const isIsolated = this.#options.lenient || !content.isWellFormed;
    const group = attributes.group && readGroup(text, attributes.group, this.#objects);
    if (typeof group === "object") cuts.push({ start: attributes.group!.key, end: attributes.group!.end });
    // Poppler shows nothing of a page whose /Annots is not an array.
    if (annotations && !this.#mayBeArray(text, annotations.start))
      cuts.push({ start: annotations.key, end: annotations.end });
    const isolated = isIsolated
      ? this.#isolation.read(
          contents.items,
          found && (found.shared ?? page.part(span!.start, span!.end)),
          boxText(inherited.mediaBox ?? box),
          !content.isWellFormed,
        )
      : undefined;
    const resources = (isolated ? undefined : found) ?? this.#resources.missing(page);
    // The page's own /Resources entry is omitted if it is replaced. Some readers would use the entry even if it is
    // unusable, and would ignore inherited resources.
    if (span && (resources !== own || own.shared)) cuts.push({ start: span.key, end: span.end });
    this.#countPage();
    this.hasPrivateData ||= attributes.hasPrivateData;
    return {
      index: 0,
      box,
      trimBox: this.#boxes.trimmed(text, attributes.trimBox, box),
      rotate: inherited.rotate,
      userUnit,
      rewrite: page,
      repeated: false,
      cuts,
      annotations,
      attributes: this.#boxes.entries(inherited, box, userUnit),
      contents,
      resources,
      ownResources: found,
      content,
      group,
      isTagged: attributes.isTagged,
      isolated,
      overlay: undefined,
      addedAnnotations: undefined,
    };
  }

  #inherited(resources: Inherited["resources"]): PageResources | undefined {
    if (!resources) return undefined;
    if (resources.found === undefined)
      resources.found = this.#resources.find(resources.holder, resources.span, false) ?? null;
    return resources.found ?? undefined;
  }

  /**
   * Returns the /Kids array of a node. If another node has already used the same array, returns that node instead.
   * `span` is the value of /Kids in `holder`: an array, or a reference that leads to an array. Returns undefined if the
   * value leads to no array.
   */
  #kids(holder: Rewrite, span: Span): KidsArray | TreeNode | undefined {
    const { text } = holder;
    const { meter } = this.#objects.source;
    if (text[span.start] === BRACKET_OPEN) return { holder, kids: readKids(text, span.start).kids };
    let value = parseEntry(text, span, this.#objects);
    for (let i = 0; i < LONGEST_REFERENCE_CHAIN && value instanceof Reference; i++) {
      const { num }: Reference = value;
      const known = this.#seenArrays.get(num);
      if (known) return known;
      if (this.#options.isAmbiguous(num)) throw unreadablePage();
      const found = this.#objects.at(num, (bytes, at) =>
        bytes[at] === BRACKET_OPEN ? this.#rewrites.registerWellFormed(num, bytes, at) : parseCharged(bytes, at, meter),
      );
      if (found instanceof Rewrite) meter.charge("readKids", found.text.length);
      if (found instanceof Rewrite) return { holder: found, kids: readKids(found.text, 0).kids };
      value = found ?? null;
    }
    return undefined;
  }

  /**
   * Returns whether the value at `at` is an array or may lead to an array. Unless the walk is lenient, objects that
   * would have to be fetched or decoded are not read, and count as arrays.
   */
  #mayBeArray(text: Uint8Array, at: number): boolean {
    const { lenient, mayDefer } = this.#options;
    const read = (bytes: Uint8Array, start: number) => bytes[start] === BRACKET_OPEN || referenceAt(bytes, start)?.num;
    return unlessMalformed(() => {
      let found: number | boolean | undefined = read(text, at);
      for (let i = 0; i < LONGEST_REFERENCE_CHAIN && typeof found === "number"; i++) {
        if (!lenient && (mayDefer || !this.#objects.table.isInFile(found))) return true;
        found = this.#objects.at(found, read);
      }
      return found === true;
    }, true);
  }

  #countPage(): void {
    if (++this.#count > this.#options.maxPages) throw tooManyPages(this.#options.maxPages);
  }
}

/** Returns whether a dictionary may be the root of a page tree, or its only page. */
function mayBeRoot({ kids, isPage, mediaBox, contents }: PageAttributes): boolean {
  return isPage || (kids ?? mediaBox ?? contents) !== undefined;
}

/**
 * Returns the resources that a node passes on to its kids. Resources in a direct dictionary will become a separate
 * object.
 */
function passedResources(node: Rewrite, { resources }: PageAttributes, above: Inherited): Inherited["resources"] {
  if (!resources) return above.resources;
  const { start, end } = resources;
  if (!isDictionary(node.text, start)) return { holder: node, span: resources, found: undefined };
  return { holder: node.part(start, end), span: { start: 0, end: end - start }, found: undefined };
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

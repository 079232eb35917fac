/**
 * Finds the areas that pages paint with their content, including text, images and forms, and with their annotations.
 */
import { concat, encodeLatin1 } from "../../bytes.ts";
import { LruCache } from "../../lruCache.ts";
import { showsBarcode } from "../content/barcodes.ts";
import { areaOf, type Bounds } from "../content/bounds.ts";
import {
  type ColorSpace,
  type ContentResources,
  type FontMetrics,
  HALF_EM,
  type InkForm,
  type InkImage,
  type Opacity,
} from "../content/contentResources.ts";
import { inkOfImage, inspectedPixels } from "../content/imageInk.ts";
import { InkScan, type InkSink } from "../content/inkScan.ts";
import { IDENTITY, isMatrix } from "../content/matrix.ts";
import type { Samples } from "../content/samples.ts";
import type { Objects } from "../objects/objects.ts";
import { readStream } from "../objects/streams.ts";
import { unlessUnreadable } from "../objects/unlessUnreadable.ts";
import { runYielding } from "../source/meter.ts";
import { unlessMalformed } from "../syntax/lexer.ts";
import { type Dictionary, parseCharged, Reference, type Value } from "../syntax/values.ts";
import { isUnseen } from "./annotationFlags.ts";
import { readBox } from "./boxes.ts";
import { readFontMetrics } from "./fontMetrics.ts";
import type { PageEntry } from "./page.ts";
import { decodeContent, filtersOf, streamNumbers } from "./pageContent.ts";
import type { PageResources, ResourceCategories } from "./resources.ts";

/** Maximum nesting depth of patterns whose cells use other patterns. */
const MAX_PATTERNS = 4;

/** Limits on the content that is run. */
export interface InkLimits {
  /**
   * Maximum number of decoded content bytes that are run for a file. The bytes of a form count each time the form is
   * drawn.
   */
  readonly run: number;
  /** Maximum number of decoded bytes of a stream. A longer stream counts as unreadable. */
  readonly content: number;
  /** Number of bytes of a stream's data that are decoded. The rest of the stream is ignored. */
  readonly data: number;
}

const WHOLE_CONTENT: InkLimits = { run: 32 << 20, content: 8 << 20, data: Number.POSITIVE_INFINITY };
/** Limits for reading only the beginning of content, where backgrounds are painted. */
export const BEGINNING: InkLimits = { run: 4 << 20, content: 256 << 10, data: 8 << 10 };
/** Maximum number of decoded bytes of an image that is inspected. */
const MAX_IMAGE = 4 << 20;
/** Maximum number of annotations that are read for a file. */
const MAX_ANNOTATIONS = 1000;
/** Maximum sizes of the caches of fonts and of decoded objects, in bytes. */
const [FONTS_BYTES, OBJECTS_BYTES] = [4 << 20, 8 << 20];
/** Rough memory of a cached dictionary or font in bytes. */
const ENTRY_BYTES = 4096;

const CATEGORIES = ["Font", "XObject", "ColorSpace", "ExtGState", "Pattern"];
const MASK_KEYS = ["SMask", "Mask", "ImageMask", "SMaskInData", "OC"];
const OBJECT_KEYS = new Set([
  ..."Subtype Matrix BBox Resources Filter Width Height BitsPerComponent ColorSpace".split(" "),
  ...MASK_KEYS,
]);
const PATTERN_KEYS = new Set("PatternType PaintType BBox XStep YStep Resources".split(" "));
const STATE_KEYS = new Set(["ca", "BM", "SMask"]);
/** Families of color spaces in which the values of a color are its gray, RGB or CMYK components, each from 0 to 1. */
const PLAIN = new Set<Value>("DeviceGray DeviceRGB DeviceCMYK CalGray CalRGB ICCBased".split(" "));
/** Families of color spaces with three components. */
const TRIPLES = new Set<Value>(["DeviceRGB", "CalRGB", "Lab"]);
const PROFILE_KEYS = new Set(["N"]);
const ANNOTATION_KEYS = new Set(["Subtype", "Rect", "F"]);
/** Filters of images with one bit per pixel. These images are not decoded. */
const BILEVEL_FILTERS = new Set<Value>(["CCITTFaxDecode", "CCF", "JBIG2Decode"]);

/** Finds the areas that pages paint, up to a work limit for the file. */
export class PageInkReader {
  readonly #objects: Objects;
  readonly #resources = new LruCache<ResourceCategories, ContentResources>(OBJECTS_BYTES);
  readonly #fonts = new LruCache<number, FontMetrics>(FONTS_BYTES);
  readonly #xobjects = new LruCache<number, InkImage | InkForm>(OBJECTS_BYTES);
  readonly #limits: InkLimits;
  /** Maps the object number of each pattern inspected so far to whether the pattern is opaque. */
  readonly #patterns = new Map<number, boolean>();
  #patternDepth = 0;
  #left: number;
  #annotationsLeft = MAX_ANNOTATIONS;

  constructor(objects: Objects, limits = WHOLE_CONTENT) {
    this.#objects = objects;
    this.#limits = limits;
    this.#left = limits.run;
  }

  /**
   * Reports to `sink` everything that a page paints, in the page's user space.
   * @returns false if the content cannot be read or is too large
   */
  async read(page: PageEntry, sink: InkSink): Promise<boolean> {
    const objects = this.#objects;
    const ink = await unlessUnreadable(async () => {
      const content = await this.#contentOf(page);
      if (!content) return undefined;
      const { x0, y0, x1, y1 } = page.box;
      const resources = await objects.run(() => this.#resourcesOf(page.ownResources));
      await this.#scan(content, resources, [x0, y0, x1, y1], sink);
      return sink.ink ? await objects.run(() => this.#annotationsOf(page)) : [];
    });
    for (const bounds of ink ?? []) sink.ink?.(bounds);
    return ink !== undefined;
  }

  /**
   * Reports to `sink` everything that a form XObject paints, in the space of the form.
   * @returns the bounding box of the form; undefined if the form cannot be read or belongs to optional content
   */
  async readForm(reference: Reference, sink: InkSink): Promise<Bounds | undefined> {
    return await unlessUnreadable(async () => {
      const form = await this.#objects.run(() => this.#xobject(reference));
      if (!form || "isBarcode" in form || form.isOptional) return undefined;
      const content = form.content();
      if (!content) return undefined;
      await this.#scan(content, form.resources ?? this.#contentResources(new Map()), form.box, sink);
      return form.box;
    });
  }

  async #scan(content: Uint8Array, resources: ContentResources, visible: Bounds, sink: InkSink): Promise<void> {
    const { meter } = this.#objects.source;
    const scan = new InkScan(content, resources, visible, sink);
    const step = () => {
      const run = scan.step();
      meter.charge("findInk", run);
      return run > 0;
    };
    await runYielding(meter, step, (slice) => this.#objects.run(slice));
  }

  /**
   * Returns the decoded content of a page. Puts a line end after each stream, because a token does not continue in the
   * next stream (ISO 32000-2, 7.8.2).
   */
  async #contentOf({ contents }: PageEntry): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = [];
    for (const num of streamNumbers(contents?.items ?? "")) {
      const part = await this.#objects.run(() => this.#decoded(num, this.#limits.content));
      if (!part || !this.#take(part.length)) return undefined;
      parts.push(part, encodeLatin1("\n"));
      if (part.length >= this.#limits.data) break;
    }
    return concat(parts);
  }

  /** Counts bytes toward the limit for the file. Returns false if the limit is exceeded. */
  #take(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  #decoded(num: number, limit: number): Uint8Array | undefined {
    const { source, table } = this.#objects;
    if (!table.isInFile(num)) return undefined;
    const { dict, data } = readStream(source, table.offsetOf(num), (length) => this.#objects.streamLength(length));
    const filters = filtersOf(this.#objects, dict);
    // The beginning of encrypted data cannot be decrypted alone.
    const raw = this.#objects.cipher ? data : data.subarray(0, this.#limits.data);
    const decoded = decodeContent(this.#objects, num, filters, raw, Math.max(0, Math.min(limit, this.#left)));
    return decoded instanceof Uint8Array ? decoded : undefined;
  }

  #resourcesOf(resources: PageResources | undefined): ContentResources {
    if (!resources) return this.#contentResources(new Map());
    const { holder, at, categories } = resources;
    const known = this.#resources.get(categories);
    if (known) return known;
    const { meter } = this.#objects.source;
    const dictionary: Dictionary = new Map();
    let bytes = ENTRY_BYTES;
    for (const [key, { start, end }] of categories.spans) {
      if (!CATEGORIES.includes(key)) continue;
      dictionary.set(key, parseCharged(holder.text, at + start, meter));
      bytes += 8 * (end - start);
    }
    return this.#resources.put(categories, this.#contentResources(dictionary), bytes);
  }

  #contentResources(dictionary: Dictionary): ContentResources {
    const categories = new Map<string, Dictionary | undefined>();
    const find = (category: string, name: string): Value | undefined => {
      if (!categories.has(category)) categories.set(category, this.#objects.dictionary(dictionary.get(category)));
      return categories.get(category)?.get(name);
    };
    return {
      font: (name) => this.#font(find("Font", name)),
      xobject: (name) => this.#xobject(find("XObject", name)),
      space: (name) => this.#space(PLAIN.has(name) ? name : find("ColorSpace", name)),
      opacity: (name) => this.#opacity(find("ExtGState", name)),
      isOpaquePattern: (name) => this.#isOpaquePattern(find("Pattern", name)),
    };
  }

  #space(value: Value | undefined): ColorSpace {
    const space = this.#objects.resolve(value);
    const family = Array.isArray(space) ? space[0]! : space;
    return {
      isSubtractive: family === "Separation" || family === "DeviceN" || family === "DeviceCMYK",
      isPlain: PLAIN.has(family),
    };
  }

  #opacity(value: Value | undefined): Partial<Opacity> {
    const state = this.#objects.dictionary(value, STATE_KEYS);
    if (!state) return { isSolid: false };
    const [alpha, mode, mask] = ["ca", "BM", "SMask"].map((key) => this.#objects.resolve(state.get(key)));
    return {
      ...(typeof alpha === "number" && { isSolid: alpha >= 1 }),
      ...(mode !== null && { isBlended: mode !== "Normal" && mode !== "Compatible" }),
      ...(mask !== null && { isMasked: mask !== "None" }),
    };
  }

  #isOpaquePattern(value: Value | undefined): boolean {
    if (!(value instanceof Reference) || this.#patternDepth === MAX_PATTERNS) return false;
    const { num } = value;
    let isOpaque = this.#patterns.get(num);
    if (isOpaque !== undefined) return isOpaque;
    this.#patternDepth++;
    try {
      isOpaque = unlessMalformed(() => this.#paintsCell(num), false);
    } finally {
      this.#patternDepth--;
    }
    this.#patterns.set(num, isOpaque);
    return isOpaque;
  }

  /** Returns whether an opaque area fills the cell of a colored tiling pattern, and the cells leave no gaps (8.7.3). */
  #paintsCell(num: number): boolean {
    const { meter } = this.#objects.source;
    const pattern = this.#objects.dictionary(new Reference(num, 0), PATTERN_KEYS);
    const box = readBox(this.#objects, pattern?.get("BBox"));
    if (!pattern || !box || this.#numberAt(pattern, "PaintType") !== 1) return false;
    const cell: Bounds = [box.x0, box.y0, box.x1, box.y1];
    const [stepX, stepY] = [this.#numberAt(pattern, "XStep"), this.#numberAt(pattern, "YStep")];
    if (Math.abs(stepX) > box.x1 - box.x0 || Math.abs(stepY) > box.y1 - box.y0) return false;
    const content = this.#decoded(num, this.#limits.content);
    if (!content || !this.#take(content.length)) return false;
    let isPainted = false;
    const resources = this.#contentResources(this.#objects.dictionary(pattern.get("Resources")) ?? new Map());
    const scan = new InkScan(content, resources, cell, {
      area({ bounds, isOpaque }) {
        isPainted ||= isOpaque && areaOf(bounds) >= areaOf(cell);
      },
    });
    for (let run = scan.step(); run > 0; run = scan.step()) meter.charge("findInk", run);
    return isPainted;
  }

  #font(value: Value | undefined): FontMetrics {
    if (value === undefined) return HALF_EM;
    const num = value instanceof Reference ? value.num : -1;
    const known = this.#fonts.get(num);
    if (known) return known;
    const font = readFontMetrics(this.#objects, value);
    return num < 0 ? font : this.#fonts.put(num, font, font.codeBytes * ENTRY_BYTES);
  }

  #xobject(value: Value | undefined): InkImage | InkForm | undefined {
    if (!(value instanceof Reference)) return undefined;
    const { num } = value;
    const known = this.#xobjects.get(num);
    if (known) return known;
    const dictionary = this.#objects.dictionary(value, OBJECT_KEYS);
    if (!dictionary) return undefined;
    if (dictionary.get("Subtype") === "Image") {
      let isBarcode: boolean | undefined;
      let details: Bounds[] | undefined;
      const image = {
        isOpaque: MASK_KEYS.every((key) => !dictionary.get(key)),
        isBarcode: () => (isBarcode ??= this.#isBarcode(num, dictionary)),
        details: () => (details ??= this.#detailsOf(num, dictionary)),
      };
      return this.#xobjects.put(num, image, ENTRY_BYTES);
    }
    const content = this.#decoded(num, this.#limits.content);
    const box = readBox(this.#objects, dictionary.get("BBox"));
    const own = this.#objects.dictionary(dictionary.get("Resources"));
    const matrix = this.#objects.resolve(dictionary.get("Matrix"));
    const form: InkForm = {
      matrix: isMatrix(matrix) ? matrix : IDENTITY,
      box: box ? [box.x0, box.y0, box.x1, box.y1] : [0, 0, 0, 0],
      isOptional: dictionary.has("OC"),
      resources: own && this.#contentResources(own),
      content: () => (content && this.#take(content.length) ? content : undefined),
    };
    return this.#xobjects.put(num, form, ENTRY_BYTES + (content?.length ?? 0));
  }

  #isBarcode(num: number, image: Dictionary): boolean {
    if (BILEVEL_FILTERS.has([this.#objects.resolve(image.get("Filter"))].flat().at(-1)!)) {
      const ratio = this.#numberAt(image, "Width") / this.#numberAt(image, "Height");
      return ratio > 0.7 && ratio < 1.4;
    }
    const samples = this.#samplesOf(num, image);
    return samples !== undefined && showsBarcode(samples);
  }

  #detailsOf(num: number, image: Dictionary): Bounds[] {
    const samples = this.#samplesOf(num, image);
    if (!samples) return [];
    this.#objects.source.meter.charge("findInk", inspectedPixels(samples));
    return inkOfImage(samples);
  }

  /** Returns the samples of an image, or undefined if they are unreadable or too many. */
  #samplesOf(num: number, image: Dictionary): Samples | undefined {
    const [width, height] = [this.#numberAt(image, "Width"), this.#numberAt(image, "Height")];
    const bits = image.get("ImageMask") === true ? 1 : this.#numberAt(image, "BitsPerComponent");
    const components = image.get("ImageMask") === true ? 1 : this.#componentsOf(image.get("ColorSpace"));
    const size = width * height * bits * components;
    if (!(size > 0 && size <= 8 * MAX_IMAGE) || ![1, 2, 4, 8].includes(bits)) return undefined;
    const data = this.#decoded(num, MAX_IMAGE);
    if (!data || !this.#take(data.length)) return undefined;
    // The exact number of components follows from the length of the data. `components` only bounds the size beforehand.
    const found = Math.floor((8 * data.length) / (width * height * bits));
    const [family] = [this.#objects.resolve(image.get("ColorSpace"))].flat();
    if (found < 1 || found > 4) return undefined;
    return { width, height, bits, components: found, isIndexed: family === "Indexed", data };
  }

  /** Returns the number of components of a color space. Returns 1, the minimum, if the engine does not determine it. */
  #componentsOf(value: Value | undefined): number {
    const [family, parameter] = [this.#objects.resolve(value)].flat();
    if (family !== "ICCBased") return family === "DeviceCMYK" ? 4 : TRIPLES.has(family!) ? 3 : 1;
    const profile = unlessMalformed(() => this.#objects.dictionary(parameter, PROFILE_KEYS), undefined);
    return profile ? Math.max(1, this.#numberAt(profile, "N")) : 1;
  }

  #numberAt(dictionary: Dictionary, key: string): number {
    const value = this.#objects.resolve(dictionary.get(key));
    return typeof value === "number" ? value : 0;
  }

  /**
   * Returns the boxes of the annotations that readers show. Omits pop-ups, because they are closed, and links, because
   * their text belongs to the page's content.
   */
  #annotationsOf({ annotations, rewrite }: PageEntry): Bounds[] {
    if (!annotations) return [];
    const { meter } = this.#objects.source;
    const list = this.#objects.resolve(parseCharged(rewrite.text, annotations.start, meter));
    const items = (Array.isArray(list) ? list : []).slice(0, this.#annotationsLeft);
    const boxes = items.flatMap((item): Bounds[] => {
      const annotation = this.#objects.dictionary(item, ANNOTATION_KEYS);
      const kind = annotation?.get("Subtype");
      if (isUnseen(annotation?.get("F")) || kind === "Popup" || kind === "Link") return [];
      const rectangle = readBox(this.#objects, annotation?.get("Rect"));
      return rectangle ? [[rectangle.x0, rectangle.y0, rectangle.x1, rectangle.y1]] : [];
    });
    this.#annotationsLeft -= items.length;
    return boxes;
  }
}

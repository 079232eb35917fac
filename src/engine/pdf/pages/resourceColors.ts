/** Determines whether the resources of a page have colors for a screen or for print (ISO 32000-2, 8.6 and 8.9.5). */
import { EngineError } from "../../errors.ts";
import { checkContent } from "../content/contentSyntax.ts";
import { DEVICE_CMYK, DEVICE_RGB } from "../content/operators.ts";
import type { Objects } from "../objects/objects.ts";
import { readStream } from "../objects/streams.ts";
import { Malformed } from "../syntax/lexer.ts";
import { type Dictionary, parseCharged, Reference, type Value } from "../syntax/values.ts";
import { decodeContent } from "./pageContent.ts";
import type { PageResources, ResourceCategories } from "./resources.ts";

/** Bit for screen colors: colors in an RGB color space. */
export const SCREEN = 1;
/** Bit for print colors: CMYK, spot colors, or overprinting. */
export const PRINT = 2;
/** Bit for resources that could not be read and may have other colors. */
export const UNKNOWN = 4;

/** The colors of resources, as bit sets of `SCREEN`, `PRINT` and `UNKNOWN`. */
export interface ResourceColors {
  /** Colors of images, forms, patterns and graphics states. */
  readonly drawn: number;
  /**
   * Colors of the resource category ColorSpace. These colors count only if the content selects one of the category's
   * color spaces.
   */
  readonly named: number;
}

const NOTHING: ResourceColors = { drawn: 0, named: 0 };
/** Categories of resources that may have colors. */
const KEYS: ReadonlySet<string> = new Set(["ColorSpace", "ExtGState", "XObject", "Pattern", "Shading"]);
const OBJECT_KEYS = new Set(
  "Subtype ImageMask ColorSpace Resources Shading PatternType OP op N Filter DecodeParms Length".split(" "),
);
/** Maximum number of objects that are read for a file. */
const MAX_OBJECTS = 256;
/** Maximum number of decoded bytes of forms and patterns that are checked for a file. */
const MAX_CONTENT = 128 << 10;
/** Maximum nesting depth of forms, patterns and color spaces. */
const DEEPEST = 4;
/** Kind of color of each family of color spaces. Gray families and Lab have no kind. */
const FAMILIES = new Map<Value, number>([
  ...["DeviceRGB", "RGB", "CalRGB"].map((family) => [family, SCREEN] as const),
  ...["DeviceCMYK", "CMYK", "Separation", "DeviceN"].map((family) => [family, PRINT] as const),
]);

/**
 * Converts the bit set of color spaces that content selects (see content/operators.ts) to a bit set of `SCREEN` and
 * `PRINT`.
 */
export function colorsOfContent(colors: number): number {
  return ((colors & DEVICE_RGB) > 0 ? SCREEN : 0) | ((colors & DEVICE_CMYK) > 0 ? PRINT : 0);
}

/**
 * Reads the colors of resources. Each resource is read once, up to a limit for the file. If a call throws because bytes
 * are missing, the repeated call continues at the same resource.
 */
export class ResourceColorReader {
  readonly #objects: Objects;
  /** The colors of resource dictionaries. Pages with equal dictionaries mostly share their categories. */
  readonly #known = new Map<ResourceCategories, ResourceColors>();
  /** The colors of XObjects, patterns, shadings and graphics states by object number. */
  readonly #drawn = new Map<number, number>();
  /** Numbers of the objects that are being read, from the outermost to the innermost object. */
  readonly #open = new Set<number>();
  /** Numbers of the objects that have been read. */
  readonly #read = new Set<number>();
  #contentLeft = MAX_CONTENT;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /**
   * Returns the colors of a page's resources.
   * @throws MissingRange or MissingStream if bytes must be fetched or decoded first
   */
  of(resources: PageResources | undefined): ResourceColors {
    if (!resources) return NOTHING;
    const { holder, at, categories } = resources;
    const known = this.#known.get(categories);
    if (known) return known;
    const { meter } = this.#objects.source;
    const colors = this.#orUnknown(() => {
      const dictionary: Dictionary = new Map();
      for (const [key, { start }] of categories.spans)
        if (KEYS.has(key)) dictionary.set(key, parseCharged(holder.text, at + start, meter));
      return this.#resources(dictionary, 0);
    });
    this.#known.set(categories, colors);
    return colors;
  }

  /**
   * Treats the colors of damaged or too complex resources as unknown. The colors affect only the page's transparency
   * group, which the page does not need.
   */
  #orUnknown(read: () => ResourceColors): ResourceColors {
    try {
      return read();
    } catch (error) {
      if (error instanceof Malformed || error instanceof EngineError) return { drawn: UNKNOWN, named: 0 };
      throw error;
    }
  }

  #resources(dictionary: Dictionary, depth: number): ResourceColors {
    let [drawn, named] = [0, 0];
    for (const key of ["XObject", "Pattern", "Shading", "ExtGState"])
      for (const value of this.#valuesOf(dictionary.get(key))) drawn |= this.#drawnBy(value, depth);
    for (const value of this.#valuesOf(dictionary.get("ColorSpace"))) named |= this.#space(value, depth);
    return { drawn, named };
  }

  #valuesOf(value: Value | undefined): Iterable<Value> {
    const dictionary = this.#resolve(value);
    return dictionary instanceof Map ? dictionary.values() : [];
  }

  /** Returns the colors of an XObject, a pattern, a shading or a graphics state. */
  #drawnBy(value: Value, depth: number): number {
    if (depth === DEEPEST) return UNKNOWN;
    if (!(value instanceof Reference)) return value instanceof Map ? this.#drawnByObject(undefined, value, depth) : 0;
    const { num } = value;
    const known = this.#drawn.get(num);
    if (known !== undefined) return known;
    if (this.#open.has(num)) return 0; // an object that contains itself adds no further colors
    this.#open.add(num);
    try {
      const dictionary = this.#resolve(value, OBJECT_KEYS);
      const colors =
        dictionary instanceof Map ? this.#drawnByObject(num, dictionary, depth) : this.#isFull ? UNKNOWN : 0;
      this.#drawn.set(num, colors);
      return colors;
    } finally {
      this.#open.delete(num);
    }
  }

  #drawnByObject(num: number | undefined, dictionary: Dictionary, depth: number): number {
    let colors = dictionary.get("OP") === true || dictionary.get("op") === true ? PRINT : 0;
    if (dictionary.get("ImageMask") !== true) colors |= this.#space(dictionary.get("ColorSpace") ?? null, depth);
    if (dictionary.has("Shading")) colors |= this.#drawnBy(dictionary.get("Shading")!, depth + 1);
    const isContent = dictionary.get("Subtype") === "Form" || dictionary.get("PatternType") === 1;
    if (isContent && num !== undefined) {
      const resources = this.#resolve(dictionary.get("Resources"), KEYS);
      const { drawn, named } = resources instanceof Map ? this.#resources(resources, depth + 1) : NOTHING;
      colors |= drawn | named | this.#content(num, dictionary);
    }
    return colors;
  }

  /** Returns the colors that the content of a form or a pattern selects. */
  #content(num: number, dictionary: Dictionary): number {
    const { source, table } = this.#objects;
    if (this.#contentLeft <= 0 || !table.isInFile(num)) return UNKNOWN;
    const filters: Dictionary = new Map();
    for (const key of ["Filter", "DecodeParms"]) filters.set(key, this.#resolve(dictionary.get(key)));
    const { data } = readStream(source, table.offsetOf(num), (length) => this.#objects.streamLength(length));
    if (data.length > this.#contentLeft) return UNKNOWN;
    const decoded = decodeContent(this.#objects, num, filters, data, this.#contentLeft);
    if (!(decoded instanceof Uint8Array)) return UNKNOWN;
    this.#contentLeft -= decoded.length;
    return colorsOfContent(checkContent([decoded]).colors);
  }

  #space(value: Value, depth: number): number {
    const space = this.#resolve(value);
    if (!Array.isArray(space)) return FAMILIES.get(space) ?? 0;
    const [family, parameter] = space;
    const base = family === "Indexed" || family === "I" || family === "Pattern";
    if (base) return parameter === undefined || depth === DEEPEST ? 0 : this.#space(parameter, depth + 1);
    if (family !== "ICCBased") return FAMILIES.get(family ?? null) ?? 0;
    const profile = this.#resolve(parameter, OBJECT_KEYS);
    const components = profile instanceof Map ? profile.get("N") : undefined;
    return components === 3 ? SCREEN : components === 4 ? PRINT : 0;
  }

  get #isFull(): boolean {
    return this.#read.size === MAX_OBJECTS;
  }

  /** Resolves a value. Returns null if too many objects have been read for the file. */
  #resolve(value: Value | undefined, keys?: ReadonlySet<string>): Value {
    if (!(value instanceof Reference)) return value ?? null;
    if (this.#isFull && !this.#read.has(value.num)) return null;
    const resolved = this.#objects.resolve(value, keys);
    this.#read.add(value.num);
    return resolved;
  }
}

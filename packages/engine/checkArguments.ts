/** Checks the arguments of the package, because programs without types may pass any value. */
import {
  BOUNDS,
  EDGES,
  FONT_STYLES,
  FRAME_BOXES,
  IMAGE_POSITIONS,
  type ImageMark,
  LAYERS,
  POSITIONS,
  type RangeReader,
  TEMPLATES,
  type TextMark,
  type WatermarkOptions,
} from "../../src/engine/index.ts";

/** A requirement: whether a value meets it, and the requirement in words, as the end of a sentence. */
interface Rule {
  holds(value: unknown): boolean;
  words: string;
}

/** Requirements for the values of options, by name. An option that is undefined meets every requirement. */
type Rules<Options> = Record<keyof Options, Rule>;

const text: Rule = { holds: (value) => typeof value === "string", words: "must be a string" };
const callback: Rule = { holds: (value) => typeof value === "function", words: "must be a function" };
const flag: Rule = { holds: (value) => typeof value === "boolean", words: "must be true or false" };
const limit: Rule = { holds: (value) => typeof value === "number" && value >= 0, words: "must be a number from 0" };
const file: Rule = {
  holds: (value) => value instanceof Uint8Array,
  words: "must be the bytes of the file, as a Uint8Array. For an ArrayBuffer, pass new Uint8Array(buffer)",
};

function choice(names: readonly string[]): Rule {
  return { holds: (value) => names.includes(value as string), words: `must be one of ${names.join(", ")}` };
}

function number([least, most]: readonly [number, number]): Rule {
  return {
    holds: (value) => typeof value === "number" && value >= least && value <= most,
    words: `must be a number from ${least} to ${most}`,
  };
}

function size([, most]: readonly [number, number]): Rule {
  return {
    holds: (value) => typeof value === "number" && value > 0 && value <= most,
    words: `must be a number above 0 and at most ${most}`,
  };
}

const SHARED = {
  opacity: number(BOUNDS.opacity),
  layer: choice(LAYERS),
  rotation: number(BOUNDS.rotation),
  marginPt: number(BOUNDS.marginPt),
  box: choice(FRAME_BOXES),
  offsetXPt: number(BOUNDS.offsetPt),
  offsetYPt: number(BOUNDS.offsetPt),
  tileGap: number(BOUNDS.tileGap),
};

const TEXT: Rules<TextMark> = {
  ...SHARED,
  text,
  template: choice(Object.keys(TEMPLATES)),
  position: choice(POSITIONS),
  pageStart: {
    holds: (value) => Number.isInteger(value) && number(BOUNDS.pageStart).holds(value),
    words: `must be a whole number from ${BOUNDS.pageStart.join(" to ")}`,
  },
  color: { holds: (value) => /^#[0-9a-f]{6}$/i.test(String(value)), words: "must be a color such as #cc0000" },
  lang: text,
  font: choice(FONT_STYLES),
  fontSizePt: size(BOUNDS.fontSizePt),
};

const IMAGE: Rules<ImageMark> = {
  ...SHARED,
  image: file,
  position: choice(IMAGE_POSITIONS),
  edge: choice(EDGES),
  scale: size(BOUNDS.scale),
};

const OPTIONS: Rules<WatermarkOptions & { loadFont: unknown }> = {
  password: text,
  filename: text,
  maxPages: limit,
  maxPixels: limit,
  date: { holds: (value) => value instanceof Date && Number.isFinite(value.getTime()), words: "must be a valid Date" },
  thorough: flag,
  onPlace: callback,
  loadFont: callback,
};

/**
 * Checks the source of a PDF: its bytes, or a reader for ranges.
 * @throws TypeError if the source is neither
 */
export function checkSource(source: Uint8Array | RangeReader): void {
  const { length, read, stream } = Object(source) as Partial<RangeReader>;
  const isReader = typeof length === "number" && typeof read === "function" && typeof stream === "function";
  if (!file.holds(source) && !isReader)
    throw new TypeError(`\`source\` ${file.words}. Or pass an object with \`length\`, \`read\` and \`stream\`.`);
}

/**
 * Checks a mark and the options of a call.
 * @throws TypeError that names the first wrong option, and its valid values
 */
export function checkOptions(mark: TextMark | ImageMark, options: object): void {
  const isImage = "image" in Object(mark);
  if (!isImage && !("text" in Object(mark))) throw new TypeError("`mark` must have `text` or `image`.");
  expectRules(mark, isImage ? IMAGE : TEXT, isImage ? "an image mark" : "a text mark");
  expectRules(options, OPTIONS, "this function");
}

function expectRules(options: object, rules: Record<string, Rule>, owner: string): void {
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) throw new TypeError(`\`${name}\` is not an option of ${owner}.`);
    const isRequired = name === "text" || name === "image";
    if ((value !== undefined || isRequired) && !rule.holds(value)) throw new TypeError(`\`${name}\` ${rule.words}.`);
  }
}

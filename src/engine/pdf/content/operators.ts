/** Tables of the operators of page content and their operands (ISO 32000-2, Annex A), laid out for a fast check. */

/** Kinds of operands. A signature has three bits for each operand. */
export const NUMBER = 1;
export const NAME = 2;
export const STRING = 3;
/** An array of numbers. */
export const NUMBERS = 4;
/** An array of numbers and strings. */
export const TEXTS = 5;
export const DICTIONARY = 6;
/** A Boolean value, null, or another array. */
export const OTHER = 7;

/** The kinds of graphics objects that content can be in (ISO 32000-2, 8.2, figure 9). */
export const PAGE = 0;
const PATH = 1;
const TEXT = 2;
/** Entry of `NEXT` for an operator that does not change the graphics object. */
export const UNCHANGED = 3;

/** Effects that an operator may have besides changing the graphics object. */
export const NO_EFFECT = 0;
export const SAVE = 1;
export const RESTORE = 2;
export const BEGIN_SEQUENCE = 3;
export const END_SEQUENCE = 4;
export const BEGIN_COMPATIBILITY = 5;
const END_COMPATIBILITY = 6;
export const BEGIN_IMAGE = 7;

/** Bits for the device color spaces (ISO 32000-2, 8.6.8), except gray, that operators of the content select. */
export const DEVICE_RGB = 1;
export const DEVICE_CMYK = 2;
/** Bit for content that selects a color space from its resources, by name. */
export const NAMED_SPACE = 4;

/** Categories of resources (ISO 32000-2, 7.8.3), in the order of their bits in bit sets. */
export const CATEGORIES = ["ExtGState", "ColorSpace", "XObject", "Shading", "Font", "Properties", "Pattern"] as const;
/** Category of the resource that an operator names, by operator. */
const RESOURCES: Record<string, (typeof CATEGORIES)[number]> = {
  gs: "ExtGState",
  cs: "ColorSpace",
  CS: "ColorSpace",
  Do: "XObject",
  sh: "Shading",
  Tf: "Font",
};

/**
 * Signature of an operator that accepts any number of numbers. No actual operands have this signature, because no
 * operand kind is 0.
 */
export const VARIABLE = 8;

/** Kinds of operands by their letters in the lists of operators below. */
const KINDS: Record<string, number> = { n: NUMBER, N: NAME, s: STRING, a: NUMBERS, t: TEXTS, D: DICTIONARY };
const EFFECTS: Record<string, number> = {
  q: SAVE,
  Q: RESTORE,
  BMC: BEGIN_SEQUENCE,
  BDC: BEGIN_SEQUENCE,
  EMC: END_SEQUENCE,
  BX: BEGIN_COMPATIBILITY,
  EX: END_COMPATIBILITY,
  BI: BEGIN_IMAGE,
};
const COLORS: Record<string, number> = {
  rg: DEVICE_RGB,
  RG: DEVICE_RGB,
  k: DEVICE_CMYK,
  K: DEVICE_CMYK,
  cs: NAMED_SPACE,
  CS: NAMED_SPACE,
};

/**
 * A group of operators. They are allowed in the graphics objects `where`, and the graphics object `next` is open
 * afterwards. In `operators`, each name is followed by letters for the kinds of its operands. `*` stands for any number
 * of numbers.
 */
interface Group {
  readonly where: readonly number[];
  readonly next: number;
  readonly operators: string;
}

/**
 * The groups omit `d0` and `d1`, because they occur only in glyph descriptions. The groups also omit `ID` and `EI`,
 * because they belong to inline images.
 */
const GROUPS: readonly Group[] = [
  {
    where: [PAGE, PATH, TEXT],
    next: UNCHANGED,
    operators:
      "w:n J:n j:n M:n d:an ri:N i:n gs:N CS:N cs:N SC:* sc:* SCN:* scn:* G:n g:n RG:nnn rg:nnn K:nnnn k:nnnn " +
      "Tc:n Tw:n Tz:n TL:n Tf:Nn Tr:n Ts:n MP:N DP:NN|ND BMC:N BDC:NN|ND EMC: BX: EX:",
  },
  { where: [PAGE], next: UNCHANGED, operators: "q: Q: cm:nnnnnn Do:N sh:N BI:" },
  { where: [PAGE, PATH], next: PATH, operators: "m:nn re:nnnn" },
  { where: [PATH], next: PATH, operators: "l:nn c:nnnnnn v:nnnn y:nnnn h: W: W*:" },
  { where: [PAGE, PATH], next: PAGE, operators: "S: s: f: F: f*: B: B*: b: b*: n:" },
  { where: [PAGE], next: TEXT, operators: "BT:" },
  { where: [TEXT], next: PAGE, operators: "ET:" },
  { where: [TEXT], next: UNCHANGED, operators: "Td:nn TD:nn Tm:nnnnnn T*: Tj:s TJ:t|a ':s \":nns" },
];

const SLOTS = 1024;
/** Packed names of the operators, in a hash table with linear probing. Empty elements are 0. */
const NAMES = new Int32Array(SLOTS);
/** Kinds of the operator's operands, with the first operand in the highest bits, or {@link VARIABLE}. */
export const SIGNATURE = new Int32Array(SLOTS);
/** Kinds of alternative operands of the operator. Equals `SIGNATURE` if there is no alternative. */
export const OTHER_SIGNATURE = new Int32Array(SLOTS);
/** Bit set of the graphics objects where the operator is allowed. */
export const WHERE = new Uint8Array(SLOTS);
/** The graphics object that is open after the operator, or {@link UNCHANGED}. */
export const NEXT = new Uint8Array(SLOTS);
export const EFFECT = new Uint8Array(SLOTS);
/** Bit set of the color spaces that the operator selects. */
export const COLOR = new Uint8Array(SLOTS);
const NO_CATEGORY = CATEGORIES.length;
/** Index in {@link CATEGORIES} of the resource that the operator names, or {@link NO_CATEGORY}. */
export const CATEGORY = new Uint8Array(SLOTS).fill(NO_CATEGORY);

/** Returns the index in the hash table at which the search for an operator begins. */
const firstSlot = (packed: number) => (packed ^ (packed >> 5) ^ (packed >> 11)) & (SLOTS - 1);

/**
 * Finds an operator. `packed` contains the codes of its characters, with the first character in the lowest byte.
 * @returns the index of the operator in the tables; -1 for an unknown operator
 */
export function slotOf(packed: number): number {
  for (let slot = firstSlot(packed); NAMES[slot] !== 0; slot = (slot + 1) & (SLOTS - 1))
    if (NAMES[slot] === packed) return slot;
  return -1;
}

function signatureOf(operands: string): number {
  return operands === "*" ? VARIABLE : Array.from(operands).reduce((kinds, letter) => (kinds << 3) | KINDS[letter]!, 0);
}

for (const { where, next, operators } of GROUPS)
  for (const operator of operators.split(" ")) {
    const [name, operands] = operator.split(":") as [string, string];
    const packed = Array.from(name).reduce((bits, letter, i) => bits | (letter.charCodeAt(0) << (8 * i)), 0);
    let slot = firstSlot(packed);
    while (NAMES[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
    const [first, other = first] = operands.split("|") as [string, string?];
    NAMES[slot] = packed;
    SIGNATURE[slot] = signatureOf(first);
    OTHER_SIGNATURE[slot] = signatureOf(other);
    WHERE[slot] = where.reduce((bits, object) => bits | (1 << object), 0);
    NEXT[slot] = next;
    EFFECT[slot] = EFFECTS[name] ?? NO_EFFECT;
    COLOR[slot] = COLORS[name] ?? 0;
    const category = RESOURCES[name];
    CATEGORY[slot] = category ? CATEGORIES.indexOf(category) : NO_CATEGORY;
  }

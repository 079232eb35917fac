/**
 * Normalizes page-tree dictionaries so that every reader interprets them the way we did (ISO 32000-2, 7.7.3). Readers
 * disagree about malformed entries: one takes a node for a page, another finds a page's box elsewhere, and then not the
 * mark. Well-formed entries stay as they are.
 */
import { decodeLatin1 } from "../../bytes.ts";
import type { XrefTable } from "../objects/xrefTable.ts";
import { BRACKET_CLOSE, BRACKET_OPEN, MINUS, PERIOD } from "../syntax/characters.ts";
import { isDigit, isWhite, nameIs } from "../syntax/lexer.ts";
import type { Value } from "../syntax/values.ts";
import type { Box, Rotation } from "./boxes.ts";
import { eachElement, type Kids } from "./kids.ts";
import type { EntrySpan, PageAttributes } from "./pageAttributes.ts";
import type { Rewrite } from "./rewrite.ts";

const PLAIN_ROTATION = /^-?\d{1,5}$/;
const PLAIN_UNIT = /^\d+(?:\.\d+)?$/;

/** A dictionary of the tree, at `at` of the text of its `holder`. */
export interface TreeDictionary {
  readonly holder: Rewrite;
  readonly at: number;
  readonly attributes: PageAttributes;
}

/** An array of kids at `at` of the text of its `holder`, which also holds the kids that are direct dictionaries. */
export interface KidsArray extends Kids {
  readonly holder: Rewrite;
  readonly at: number;
}

/** Has an entry be `text`, key included. */
export function setEntry({ holder, at }: TreeDictionary, entry: EntrySpan | undefined, text: string): void {
  const { key, end } = entry ?? { key: at + 2, end: at + 2 };
  holder.splice({ at: key, remove: end - key, insert: text });
}

/** Has the rotation be what it has been read as; the inherited one counts if it is undefined. */
export function registerRotation(dictionary: TreeDictionary, rotate: Rotation | undefined): void {
  const entry = dictionary.attributes.rotate;
  if (!entry) return;
  const text = textOf(dictionary, entry);
  if (!(PLAIN_ROTATION.test(text) && Number(text) % 90 === 0))
    setEntry(dictionary, entry, rotate === undefined ? "" : `/Rotate ${rotate} `);
}

/**
 * Has a box be what it has been read as; the inherited one counts if it is undefined.
 * @param isNeeded the dictionary must have it even if it had none
 */
export function registerBox(
  dictionary: TreeDictionary,
  name: "MediaBox" | "CropBox",
  box: Box | undefined,
  isNeeded = false,
): void {
  const { mediaBox, cropBox } = dictionary.attributes;
  const entry = name === "MediaBox" ? mediaBox : cropBox;
  if (!isNeeded && (!entry || (box && isPlainBox(dictionary.holder.text, entry)))) return;
  const corners = box && [box.x0, box.y0, box.x1, box.y1].map((value) => Number(value.toFixed(5)));
  setEntry(dictionary, entry, corners ? `/${name}[${corners.join(" ")}]` : "");
}

/**
 * Has a dictionary be a page, without kids, and of this unit.
 * @param type what its /Type has been read as
 */
export function registerPage(dictionary: TreeDictionary, type: Value, userUnit: number): void {
  const { attributes } = dictionary;
  if (attributes.kids) setEntry(dictionary, attributes.kids, "");
  if (type !== "Page") setEntry(dictionary, attributes.type, "/Type/Page ");
  const unit = attributes.userUnit ? textOf(dictionary, attributes.userUnit) : String(userUnit);
  if (!PLAIN_UNIT.test(unit) || Number(unit) !== userUnit)
    setEntry(dictionary, attributes.userUnit, `/UserUnit ${Number(userUnit.toFixed(5))} `);
}

/** Has a dictionary be a node that has this array. */
export function registerNode(dictionary: TreeDictionary, array: KidsArray, table: XrefTable): void {
  const { holder, attributes } = dictionary;
  const { type, kids, dropped } = attributes;
  if (!(type && nameIs(holder.text, type.start, type.end, "Pages"))) setEntry(dictionary, type, "/Type/Pages ");
  for (const { start, end } of dropped ?? []) holder.splice({ at: start, remove: end - start, insert: "" });
  if (!kids || array.holder === holder) return;
  const reference = `${array.holder.num} ${table.generationOf(array.holder.num)} R`;
  if (textOf(dictionary, kids) !== reference) setEntry(dictionary, kids, `/Kids ${reference} `);
}

/** Sets the number of pages below a node. */
export function registerCount(dictionary: TreeDictionary, count: number): void {
  const entry = dictionary.attributes.count;
  if (!entry || textOf(dictionary, entry) !== String(count)) setEntry(dictionary, entry, `/Count ${count} `);
}

/**
 * Has an array list nothing but its kids.
 * @param isListed says whether the kid of this index stays
 */
export function registerKids(
  { holder, at, kids }: KidsArray,
  table: XrefTable,
  isListed: (index: number) => boolean,
): void {
  let index = 0;
  eachElement(holder.text, at, (kind, start, end) => {
    const isDropped = kind === "other" || !isListed(index++);
    if (kind === "dictionary" && !isDropped) return;
    const num = kids.numberAt(index - 1)!;
    holder.splice({ at: start, remove: end - start, insert: isDropped ? "" : `${num} ${table.generationOf(num)} R ` });
  });
}

/** Returns whether there is nothing but four numbers between brackets, as every reader reads them. */
function isPlainBox(text: Uint8Array, { start, end }: EntrySpan): boolean {
  if (text[start] !== BRACKET_OPEN || text[end - 1] !== BRACKET_CLOSE) return false;
  let numbers = 0;
  let isWithin = false;
  let hasPoint = false;
  for (let at = start + 1; at < end - 1; at++) {
    const code = text[at];
    if (isWhite(code)) {
      isWithin = hasPoint = false;
      continue;
    }
    if (code === PERIOD && hasPoint) return false;
    if (code !== PERIOD && !isDigit(code) && !(code === MINUS && !isWithin)) return false;
    hasPoint ||= code === PERIOD;
    if (!isWithin) numbers++;
    isWithin = true;
  }
  return numbers === 4;
}

function textOf({ holder }: TreeDictionary, { start, end }: EntrySpan): string {
  return decodeLatin1(holder.text, start, end);
}

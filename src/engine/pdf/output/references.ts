/**
 * Replaces references to missing objects. Such a reference means null (ISO 32000-2, 7.3.10), but Poppler and pdf.js
 * treat it as damage, and then scan the file for objects.
 */
import type { PdfDocument } from "../document/pdfDocument.ts";
import { IN_FILE, IN_STREAM } from "../objects/xrefTable.ts";
import type { Rewrite } from "../pages/rewrite.ts";
import { LESS_THAN, PAREN_OPEN, PERCENT, UPPER_R } from "../syntax/characters.ts";
import {
  isDictionary,
  isDigit,
  isRegular,
  isWhite,
  readObjectNumber,
  skipHexString,
  skipLiteralString,
  skipRegular,
  skipWhite,
  terminated,
  valueOfDigits,
} from "../syntax/lexer.ts";

/**
 * Corrects the references in a rewritten dictionary or array. Afterwards, each reference leads to an object of the
 * output with the right generation, or is replaced by null.
 * @param freed numbers of the source's objects that the output does not contain
 */
export function correctReferences(rewrite: Rewrite, document: PdfDocument, freed: ReadonlySet<number>): void {
  const { text, splices } = rewrite;
  const { table } = document.xref;
  const isWrong = (start: number, num: number, gen: number) =>
    !(isInOutput(num, document, freed) && table.generationOf(num) === gen) &&
    !splices.some(({ at, remove }) => at <= start && start < at + remove);
  if (!mayHaveReference(text, isWrong)) return;
  eachReference(text, (start, end, num, gen) => {
    if (!isWrong(start, num, gen)) return;
    const insert = isInOutput(num, document, freed) ? `${num} ${table.generationOf(num)} R` : "null";
    rewrite.splice({ at: start, remove: end - start, insert });
  });
}

/**
 * Returns whether a text may contain a reference for which `isSuch` is true. Searches only for the letter R, even
 * inside strings. Almost no text contains such a reference, and reading each text token by token would take several
 * times as long.
 */
function mayHaveReference(text: Uint8Array, isSuch: (start: number, num: number, gen: number) => boolean): boolean {
  if (text.includes(PERCENT)) return true; // a comment may separate the parts of a reference
  for (let at = text.indexOf(UPPER_R); at >= 0; at = text.indexOf(UPPER_R, at + 1)) {
    const genEnd = startOfWhite(text, at);
    const gen = startOfDigits(text, genEnd);
    const numEnd = startOfWhite(text, gen);
    const num = startOfDigits(text, numEnd);
    if (gen === genEnd || numEnd === gen || num === numEnd) continue;
    if (isSuch(num, valueOfDigits(text, num, numEnd), valueOfDigits(text, gen, genEnd))) return true;
  }
  return false;
}

function startOfWhite(text: Uint8Array, end: number): number {
  while (isWhite(text[end - 1])) end--;
  return end;
}

function startOfDigits(text: Uint8Array, end: number): number {
  while (isDigit(text[end - 1])) end--;
  return end;
}

/** Returns whether the output contains object `num` of the source. */
function isInOutput(
  num: number,
  { xref: { table }, start, objects }: PdfDocument,
  freed: ReadonlySet<number>,
): boolean {
  if (num > table.largest || freed.has(num)) return false;
  const row = table.liveRow(num);
  if (row < 0) return false;
  const kind = table.kind(row);
  if (kind === IN_STREAM) return table.isInFile(table.streamNumber(row));
  const offset = table.offset(row);
  return kind === IN_FILE && offset >= start.from && offset < objects.source.length;
}

/** Visits the references in a well-formed value. Each reference occupies the bytes [start, end). */
export function eachReference(
  text: Uint8Array,
  visit: (start: number, end: number, num: number, gen: number) => void,
): void {
  const bytes = terminated(text);
  for (let at = skipWhite(bytes, 0); at < text.length; at = skipWhite(bytes, at)) {
    if (bytes[at] === PAREN_OPEN) at = skipLiteralString(bytes, at);
    else if (isDictionary(bytes, at)) at += 2;
    else if (bytes[at] === LESS_THAN) at = skipHexString(bytes, at);
    else if (!isRegular(bytes[at])) at++;
    else {
      const end = skipRegular(bytes, at);
      const num = readObjectNumber(bytes, at, end);
      const genStart = skipWhite(bytes, end);
      const genEnd = isDigit(bytes[genStart]) ? skipRegular(bytes, genStart) : genStart;
      const gen = readObjectNumber(bytes, genStart, genEnd);
      const keyword = skipWhite(bytes, genEnd);
      const isReference = num !== undefined && gen !== undefined && bytes[keyword] === UPPER_R;
      if (isReference) visit(at, keyword + 1, num, gen);
      at = isReference ? keyword + 1 : end;
    }
  }
}

/**
 * Replaces the parts of malformed content that affect a page even from within a form XObject. Readers leave a form after
 * other errors, and continue with the page:
 * - pdf.js draws nothing after `ID` outside an inline image, and nothing of a page on which an operator other than BDC
 *   and DP has a dictionary as an operand.
 * - MuPDF draws without color after `d1`, an operator of glyph descriptions (ISO 32000-2, 9.6.4).
 */
import { indexOf } from "#platform/search";
import { BRACKET_CLOSE, BRACKET_OPEN, PAREN_CLOSE, PAREN_OPEN, SPACE } from "../syntax/characters.ts";
import {
  endOfWhite,
  isDictionary,
  isRegular,
  skipRegular,
  skipToken,
  skipValue,
  startsWith,
  unlessMalformed,
  wordIs,
} from "../syntax/lexer.ts";
import { endOfWellFormed } from "../syntax/wellFormed.ts";
import { readInlineImage } from "./inlineImage.ts";

/**
 * Operators to replace. They are also replaced within a word, because pdf.js divides the word `7ID` into a number and an
 * operator. `BI` is replaced only where no inline image can begin.
 */
const OPERATORS = ["ID", "BI", "d1"];
/** `EX`, an operator without effect, which drops its operands. */
const NO_EFFECT = [0x45, 0x58];
/** An operand in place of a dictionary. Unlike null, it does not continue a name before the dictionary. */
const EMPTY_STRING = [PAREN_OPEN, PAREN_CLOSE];

/**
 * Replaces operators by `EX`, and dictionaries by empty strings, in content that ends with white space. The length of the
 * content does not change.
 * @returns whether anything was replaced
 */
export function contain(content: Uint8Array): boolean {
  const end = content.length;
  let isChanged = false;
  let depth = 0;
  /** Start and end of the previous operand, if it is a dictionary that BDC and DP may have. */
  let dictionary: readonly [number, number] | undefined;
  const replace = (start: number, after: number, text: readonly number[]) => {
    content.fill(SPACE, start, after).set(text, start);
    isChanged = true;
  };

  for (let at = endOfWhite(content, 0, end); at < end; at = endOfWhite(content, at, end)) {
    const start = at;
    const isWord = isRegular(content[at]);
    // An operand that is not closed extends to the end of the content.
    at = isWord ? skipRegular(content, at) : unlessMalformed(() => skipToken(content, start), end);
    const is = (word: string) => isWord && wordIs(content, start, at, word);
    if (dictionary && !is("BDC") && !is("DP")) replace(...dictionary, EMPTY_STRING);
    dictionary = undefined;
    if (content[start] === BRACKET_OPEN) depth++;
    else if (content[start] === BRACKET_CLOSE) depth = Math.max(0, depth - 1);
    else if (isDictionary(content, start)) {
      at = unlessMalformed(() => skipValue(content, start), end);
      const isOperand = depth === 0 && at < end && endOfWellFormed(content, start) === at;
      if (isOperand) dictionary = [start, at];
      else if (at < end || indexOf(content, ">>", start) >= 0) replace(start, at, EMPTY_STRING);
    } else if (depth === 0 && is("BI")) at = readInlineImage(content, at, end).next;
    else if (isWord)
      for (let i = start; i + 1 < at; i++)
        if (OPERATORS.some((word) => startsWith(content, i, word))) replace(i, i + 2, NO_EFFECT);
  }
  return isChanged;
}

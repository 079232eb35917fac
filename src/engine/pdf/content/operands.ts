/** Reads the operands of operators in page content (ISO 32000-2, 7.8.2). */
import { BRACKET_OPEN, DIGIT_0, LESS_THAN, MINUS, PAREN_OPEN, PERIOD, PLUS, SLASH } from "../syntax/characters.ts";
import { isDigit, isRegular, isSign, readName, skipToken, skipValue } from "../syntax/lexer.ts";
import { parseValue, type Value } from "../syntax/values.ts";

/** Maximum number of numeric operands that are stored. No operator that affects the result has more operands. */
const MAX_NUMBERS = 6;

/** The operands before an operator. */
export class Operands {
  /** The first `count` elements are the first numbers among the operands, at most `MAX_NUMBERS`. */
  readonly numbers = new Float64Array(MAX_NUMBERS);
  count = 0;
  /** The last name among the operands. */
  name: string | undefined;
  /** The last string, array or dictionary, which may be an operand of an earlier operator. */
  value: Value = null;

  clear(): void {
    this.count = 0;
    this.name = undefined;
  }

  /** Reads the operand at `at`. Returns the offset after the operand. */
  read(bytes: Uint8Array, at: number): number {
    const code = bytes[at]!;
    if (isDigit(code) || isSign(code)) return this.#readNumber(bytes, at);
    if (code === SLASH) {
      const end = skipToken(bytes, at);
      this.name = readName(bytes, at, end);
      return end;
    }
    if (code !== PAREN_OPEN && code !== LESS_THAN && code !== BRACKET_OPEN) return at + 1; // skips a stray delimiter
    this.value = parseValue(bytes, at);
    return skipValue(bytes, at);
  }

  /** Reads a number. Accepts malformed numbers, as PDF readers do. */
  #readNumber(bytes: Uint8Array, at: number): number {
    let isNegative = false;
    for (; bytes[at] === MINUS || bytes[at] === PLUS; at++) isNegative ||= bytes[at] === MINUS;
    let value = 0;
    for (; isDigit(bytes[at]); at++) value = 10 * value + bytes[at]! - DIGIT_0;
    if (bytes[at] === PERIOD) {
      at++;
      for (let unit = 0.1; isDigit(bytes[at]); at++, unit /= 10) value += unit * (bytes[at]! - DIGIT_0);
    }
    while (isRegular(bytes[at])) at++;
    if (this.count < MAX_NUMBERS) this.numbers[this.count++] = isNegative ? -value : value;
    return at;
  }
}

/** Returns whether an operator may begin with a character. */
export function isOperator(code: number): boolean {
  return isRegular(code) && code !== SLASH && !isDigit(code) && !isSign(code);
}

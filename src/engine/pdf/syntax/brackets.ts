/**
 * Repairs dictionaries whose brackets do not match. This repair is the last resort for pages that every reader displays
 * despite the damage.
 */
import { decodeLatin1, encodeLatin1 } from "../../bytes.ts";
import { BRACKET_CLOSE, BRACKET_OPEN, GREATER_THAN, LESS_THAN, PAREN_OPEN, SLASH } from "./characters.ts";
import {
  EndOfBytes,
  isDictionary,
  isHexDigit,
  isWhite,
  skipLiteralString,
  skipRegular,
  skipWhite,
  wordIs,
} from "./lexer.ts";

const ARRAY = "]";
const DICTIONARY = ">>";

/** A dictionary whose brackets have been balanced. */
export interface BalancedDictionary {
  text: Uint8Array;
  /** Extent of the original dictionary in the bytes from which it was read. */
  start: number;
  end: number;
}

/**
 * Returns the dictionary that begins at `at` as a new text with balanced brackets. Inserts a missing bracket where an
 * outer container closes or the object ends. Drops a bracket that closes nothing. The other tokens stay unchanged.
 */
export function balanceBrackets(bytes: Uint8Array, at: number): BalancedDictionary {
  const open: string[] = [];
  const start = at;
  let text = "";
  const take = (end: number) => {
    text += `${decodeLatin1(bytes, at, end)} `;
    at = end;
  };
  const close = (bracket: string) => {
    text += `${bracket} `;
    open.pop();
  };
  try {
    do {
      at = skipWhite(bytes, at);
      const code = bytes[at]!;
      if (isDictionary(bytes, at)) {
        open.push(DICTIONARY);
        take(at + 2);
      } else if (code === BRACKET_OPEN) {
        open.push(ARRAY);
        take(at + 1);
      } else if (code === BRACKET_CLOSE) {
        if (open.at(-1) === ARRAY) close(ARRAY);
        at++;
      } else if (code === GREATER_THAN && bytes[at + 1] === GREATER_THAN) {
        while (open.at(-1) === ARRAY) close(ARRAY);
        close(DICTIONARY);
        at += 2;
      } else if (code === PAREN_OPEN) take(skipLiteralString(bytes, at));
      else if (code === SLASH) take(skipRegular(bytes, at + 1));
      else {
        const end = code === LESS_THAN ? endOfHexString(bytes, at) : skipRegular(bytes, at);
        if (["endobj", "obj", "stream", "xref"].some((word) => wordIs(bytes, at, end, word))) break;
        // Drops a stray delimiter.
        if (end === at) at++;
        else take(end);
      }
    } while (open.length > 0);
  } catch (error) {
    if (!(error instanceof EndOfBytes)) throw error;
  }
  while (open.length > 0) close(open.at(-1)!);
  return { text: encodeLatin1(text), start, end: at };
}

/** Returns the end of the hexadecimal string at `at`. Returns `at` if no such string begins there. */
function endOfHexString(bytes: Uint8Array, at: number): number {
  let end = at + 1;
  while (isHexDigit(bytes[end]) || isWhite(bytes[end])) end++;
  return bytes[end] === GREATER_THAN ? end + 1 : at;
}

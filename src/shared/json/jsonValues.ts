const [QUOTE, COMMA, OPEN, OPEN_ARRAY, BACKSLASH] = [0x22, 44, 0x7b, 0x5b, 0x5c];

/** More than any request or message has that is meant to be answered. */
export const MAX_JSON_VALUES = 1000;

/**
 * Returns whether a JSON text has more than {@link MAX_JSON_VALUES} values, however deep. To be asked before the text is
 * parsed: millions of small ones would take many times the text's own memory.
 * @param json need not be well-formed
 */
export function hasTooManyValues(json: string): boolean {
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === COMMA || code === OPEN || code === OPEN_ARRAY) {
      if (++values > MAX_JSON_VALUES) return true;
    } else if (code === QUOTE) {
      at = endOfString(json, at);
    }
  }
  return false;
}

/**
 * Returns the offset of the quote that ends the string which begins here, or the text's length. Long strings are searched,
 * not read.
 */
export function endOfString(json: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = json.indexOf('"', at);
    if (at < 0) return json.length;
    let backslashes = 0;
    while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
}

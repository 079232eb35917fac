import { endOfString } from "./jsonValues.ts";

const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, COLON, OPEN, CLOSE, OPEN_ARRAY, CLOSE_ARRAY] = [
  9, 10, 13, 32, 0x22, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d,
];

/**
 * Returns a key that an object of a JSON text has twice, or undefined if there is none. `JSON.parse` takes the last
 * value without a word, others the first, so that what was checked need not be what is used (RFC 8259, 4; RFC 7493,
 * 2.3). Strings are compared as they read, whichever way they are escaped.
 * @param json a well-formed text, as `JSON.parse` has accepted it
 * @param depth objects nested deeper than this, arrays included, are not looked at: it bounds the memory used
 */
export function repeatedKey(json: string, depth: number): string | undefined {
  const keys: Set<string>[] = []; // of the objects around, by their depth
  let level = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case OPEN:
      case OPEN_ARRAY:
        if (level++ < depth) keys[level] = new Set();
        break;
      case CLOSE:
      case CLOSE_ARRAY:
        level--;
        break;
      case QUOTE: {
        const end = endOfString(json, at) + 1;
        if (level <= depth && isKey(json, end)) {
          const key = JSON.parse(json.slice(at, end)) as string;
          if (keys[level]!.has(key)) return key;
          keys[level]!.add(key);
        }
        at = end - 1;
      }
    }
  }
  return undefined;
}

/** Returns whether a colon follows, white space left aside. */
function isKey(json: string, end: number): boolean {
  for (let at = end; ; at++) {
    const code = json.charCodeAt(at);
    if (code !== SPACE && code !== LINE_FEED && code !== RETURN && code !== TAB) return code === COLON;
  }
}

/**
 * Searches bytes in browsers, whose native search finds only single bytes. The functions have the same interface as the
 * functions of search.ts.
 */

/** Returns the offset of the first `word` (Latin-1) at or after `from` that lies completely before `end`, or -1. */
export function indexOf(bytes: Uint8Array, word: string, from = 0, end = bytes.length): number {
  const first = word.charCodeAt(0);
  const within = bytes.subarray(0, end);
  for (let at = within.indexOf(first, from); at >= 0; at = within.indexOf(first, at + 1))
    if (isAt(within, word, at)) return at;
  return -1;
}

/** Returns the offset of the last `word` (Latin-1), or -1 if the word does not occur. */
export function lastIndexOf(bytes: Uint8Array, word: string): number {
  for (let at = bytes.length - word.length; at >= 0; at--) if (isAt(bytes, word, at)) return at;
  return -1;
}

function isAt(bytes: Uint8Array, word: string, at: number): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return false;
  return true;
}

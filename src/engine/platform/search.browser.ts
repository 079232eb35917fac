/** Word search for browsers, which natively search for single bytes only: same interface as search.ts. */

/** Returns the first position of `word` (Latin-1) at or after `from`, or -1. */
export function indexOf(bytes: Uint8Array, word: string, from = 0): number {
  const first = word.charCodeAt(0);
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1))
    if (isAt(bytes, word, at)) return at;
  return -1;
}

/** Returns the last position of `word` (Latin-1), or -1. */
export function lastIndexOf(bytes: Uint8Array, word: string): number {
  for (let at = bytes.length - word.length; at >= 0; at--) if (isAt(bytes, word, at)) return at;
  return -1;
}

function isAt(bytes: Uint8Array, word: string, at: number): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return false;
  return true;
}

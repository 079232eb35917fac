/** Searches bytes with the runtime's native code. */

/** Number of bytes up to which a search in JavaScript is faster than a call of native code. */
const SHORT = 512;

/** Returns the offset of the first `word` (Latin-1) at or after `from` that lies completely before `end`, or -1. */
export function indexOf(bytes: Uint8Array, word: string, from = 0, end = bytes.length): number {
  if (end - from <= SHORT) return shortIndexOf(bytes, word, from, end);
  return view(bytes, end).indexOf(word, from, "latin1");
}

/** Returns the offset of the last `word` (Latin-1), or -1 if the word does not occur. */
export function lastIndexOf(bytes: Uint8Array, word: string): number {
  return view(bytes, bytes.length).lastIndexOf(word, undefined, "latin1");
}

function shortIndexOf(bytes: Uint8Array, word: string, from: number, end: number): number {
  const first = word.charCodeAt(0);
  const last = Math.min(end, bytes.length) - word.length;
  for (let at = from; at <= last; at++) {
    if (bytes[at] !== first) continue;
    let i = 1;
    while (i < word.length && bytes[at + i] === word.charCodeAt(i)) i++;
    if (i === word.length) return at;
  }
  return -1;
}

function view({ buffer, byteOffset }: Uint8Array, length: number): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

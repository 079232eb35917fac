/** Native search for a word in many bytes. */

/** Returns the first position of `word` (Latin-1) at or after `from`, or -1. */
export function indexOf(bytes: Uint8Array, word: string, from = 0): number {
  return view(bytes).indexOf(word, from, "latin1");
}

/** Returns the last position of `word` (Latin-1), or -1. */
export function lastIndexOf(bytes: Uint8Array, word: string): number {
  return view(bytes).lastIndexOf(word, undefined, "latin1");
}

function view({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

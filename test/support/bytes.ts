/**
 * Returns bytes that look random but are the same in every run. They are a part of one fixed sequence, from position
 * `start` on.
 */
export function noise(length: number, start = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = Math.imul(start + i, 0x9e3779b1) >>> 13;
  return bytes;
}

/** Encodes a text as Latin-1. Here `Buffer` is a hundred times faster than a callback for each character. */
export const encode = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "latin1"));

/** Returns whether two arrays have equal bytes. `expect` would take minutes to compare megabytes. */
export function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** Returns all chunks joined into one array of bytes. */
export async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const copies: Uint8Array[] = [];
  for await (const chunk of chunks) copies.push(chunk.slice());
  return new Uint8Array(Buffer.concat(copies));
}

export async function* inOne(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Bytes that look random and are the same every time: those of a long sequence from `start` on. */
export function noise(length: number, start = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = Math.imul(start + i, 0x9e3779b1) >>> 13;
  return bytes;
}

/** The bytes of a text whose characters are bytes (Latin-1). A callback for each character takes a hundred times as long. */
export const encode = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "latin1"));

/** For `expect`, whose own comparison of arrays takes minutes for megabytes. */
export function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** All that comes, in one. */
export async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const copies: Uint8Array[] = [];
  for await (const chunk of chunks) copies.push(chunk.slice());
  return new Uint8Array(Buffer.concat(copies));
}

export async function* inOne(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Helpers for bytes and Latin-1 text, independent of the runtime. */

/** Encodes a text as Latin-1, one byte per character. All characters must be below U+0100. */
export function encodeLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/**
 * Maximum length in characters of the parts that {@link decodeLatin1} joins. Joining single characters instead would
 * take 32 bytes of memory per character.
 */
const TEXT_PART = 4096;

/** Decodes the bytes [start, end) as Latin-1, one character per byte. */
export function decodeLatin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = "";
  for (; end - start > TEXT_PART; start += TEXT_PART)
    text += String.fromCharCode.apply(null, Array.from(bytes.subarray(start, start + TEXT_PART)));
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]!);
  return text;
}

/**
 * Returns a plain `Uint8Array` over the memory of a Buffer, which Node's functions return. `slice` of a Buffer returns
 * a view, but `slice` of a `Uint8Array` returns a copy.
 */
export function plain({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Joins all parts into one new array. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Formats each byte as two lowercase hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

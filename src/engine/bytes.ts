/** Helpers for bytes and Latin-1 text, independent of the runtime. */

/** Encodes a text whose characters are all below 256, one byte each. */
export function encodeLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Text is put together of parts of this size: of single characters, a long one would take 32 bytes for each. */
const TEXT_PART = 4096;

/** Decodes the bytes [start, end) as text, one character per byte. */
export function decodeLatin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = "";
  for (; end - start > TEXT_PART; start += TEXT_PART)
    text += String.fromCharCode.apply(null, Array.from(bytes.subarray(start, start + TEXT_PART)));
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]!);
  return text;
}

/**
 * Returns a plain `Uint8Array` over the same memory. Node's functions return a Buffer, whose `slice` is a view of the
 * same memory instead of a copy.
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

/** Formats each byte as two lower-case hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

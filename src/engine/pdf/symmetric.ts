import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const BLOCK_BYTES = 16;

/**
 * RC4, the cipher of V 1 and 2 and of the crypt filter method V2 (ISO 32000-2, 7.6.3.2). Encrypting and decrypting are
 * the same. Written out because OpenSSL has retired it, so that no runtime promises it.
 */
export function rc4(key: Uint8Array, data: Uint8Array): Uint8Array {
  const state = new Uint8Array(256).map((_, i) => i);
  for (let i = 0, j = 0; i < 256; i++) {
    const swapped = state[i]!;
    j = (j + swapped + key[i % key.length]!) & 255;
    state[i] = state[j]!;
    state[j] = swapped;
  }

  const result = new Uint8Array(data.length);
  for (let n = 0, i = 0, j = 0; n < data.length; n++) {
    i = (i + 1) & 255;
    const swapped = state[i]!;
    j = (j + swapped) & 255;
    const other = state[j]!;
    state[i] = other;
    state[j] = swapped;
    result[n] = data[n]! ^ state[(swapped + other) & 255]!;
  }
  return result;
}

/** AES-CBC over whole blocks without padding, as Algorithm 2.B uses it (ISO 32000-2, 7.6.4.3.4). */
export function encryptBlocks(key: Uint8Array, iv: Uint8Array, blocks: Uint8Array): Uint8Array {
  return view(createCipheriv(aesCbc(key), key, iv).setAutoPadding(false).update(blocks));
}

/**
 * AES-CBC over whole blocks without padding. With the default vector of zeros it opens OE and UE (ISO 32000-2,
 * 7.6.4.3.3, Algorithm 2.A), and for a single block it is ECB, as Perms needs it (7.6.4.4.12, Algorithm 13).
 */
export function decryptBlocks(
  key: Uint8Array,
  blocks: Uint8Array,
  iv: Uint8Array = new Uint8Array(BLOCK_BYTES),
): Uint8Array {
  return view(createDecipheriv(aesCbc(key), key, iv).setAutoPadding(false).update(blocks));
}

/** AES for a string or a stream: a random initialization vector, then the padded data (ISO 32000-2, 7.6.3.1). */
export function encryptAes(key: Uint8Array, data: Uint8Array): Uint8Array {
  const iv = randomBytes(BLOCK_BYTES);
  const cipher = createCipheriv(aesCbc(key), key, iv);
  return view(Buffer.concat([iv, cipher.update(data), cipher.final()]));
}

/**
 * The reverse of `encryptAes`. Real files have strings without a vector, streams whose Length counts the line break
 * behind them and padding that is none: whole blocks are decrypted, and only what is padding is taken off.
 */
export function decryptAes(key: Uint8Array, data: Uint8Array): Uint8Array {
  const blocks = data.subarray(BLOCK_BYTES, data.length - (data.length % BLOCK_BYTES));
  if (blocks.length === 0) return new Uint8Array(0);

  const padded = decryptBlocks(key, blocks, data.subarray(0, BLOCK_BYTES));
  const padding = padded.at(-1)!;
  const isPadding =
    padding >= 1 && padding <= BLOCK_BYTES && padded.subarray(-padding).every((byte) => byte === padding);
  return isPadding ? padded.subarray(0, -padding) : padded;
}

function aesCbc(key: Uint8Array): string {
  return `aes-${key.length * 8}-cbc`;
}

/** The same bytes as a plain array: a Buffer's `slice` shares memory where an array's copies it. */
function view(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

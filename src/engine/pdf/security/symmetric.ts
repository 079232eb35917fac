import { decryptBlocks, encryptBlocks } from "#platform/aes";
import { sha2 } from "#platform/hashes";
import { concat } from "../../bytes.ts";

const BLOCK_BYTES = 16;

/** Initialization vector of zeros, which ISO 32000-2 uses by default. */
export const ZERO_VECTOR = new Uint8Array(BLOCK_BYTES);

/**
 * Encrypts or decrypts with RC4; both are the same operation. RC4 is used with /V 1 and 2 and with the crypt filter
 * method V2 (ISO 32000-2, 7.6.3.2). RC4 is implemented here because runtimes need not support it: OpenSSL has retired
 * it.
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

/** Decrypts a single block with AES in ECB mode, as /Perms requires (ISO 32000-2, 7.6.4.4.12, algorithm 13). */
export function decryptBlock(key: Uint8Array, block: Uint8Array): Uint8Array {
  return decryptBlocks(key, ZERO_VECTOR, block);
}

/**
 * Encrypts a string or a stream with AES. The result consists of an initialization vector and the padded data (ISO
 * 32000-2, 7.6.3.1). The vector is a hash of the key and the data. It is therefore unpredictable without the key, and
 * equal input produces equal output.
 */
export function encryptAes(key: Uint8Array, data: Uint8Array): Uint8Array {
  const vector = sha2(256, key, data).subarray(0, BLOCK_BYTES);
  const missing = BLOCK_BYTES - (data.length % BLOCK_BYTES);
  const padding = new Uint8Array(missing).fill(missing);
  return concat([vector, encryptBlocks(key, vector, concat([data, padding]))]);
}

/**
 * Returns whether AES data consist of an initialization vector and whole blocks, and have valid padding. MuPDF rejects
 * other data.
 */
export function isIntactAes(key: Uint8Array, data: Uint8Array): boolean {
  if (data.length < 2 * BLOCK_BYTES || data.length % BLOCK_BYTES > 0) return false;
  const last = decryptBlocks(key, data.subarray(-2 * BLOCK_BYTES, -BLOCK_BYTES), data.subarray(-BLOCK_BYTES));
  return paddingOf(last) > 0;
}

/** Returns the length of the padding at the end of decrypted data. Returns 0 if the padding is invalid. */
function paddingOf(padded: Uint8Array): number {
  const padding = padded.at(-1)!;
  const isValid = padding >= 1 && padding <= BLOCK_BYTES && padded.subarray(-padding).every((byte) => byte === padding);
  return isValid ? padding : 0;
}

/**
 * Decrypts AES data. Real files contain strings without an initialization vector, streams whose /Length includes a
 * trailing line break, and invalid padding. The function therefore decrypts only whole blocks, and removes only valid
 * padding.
 */
export function decryptAes(key: Uint8Array, data: Uint8Array): Uint8Array {
  const blocks = data.subarray(BLOCK_BYTES, data.length - (data.length % BLOCK_BYTES));
  if (blocks.length === 0) return new Uint8Array(0);

  const padded = decryptBlocks(key, data.subarray(0, BLOCK_BYTES), blocks);
  return padded.subarray(0, padded.length - paddingOf(padded));
}

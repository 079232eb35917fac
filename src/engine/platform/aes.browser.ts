/**
 * Implements AES for browsers, whose native AES is asynchronous. The functions have the same interface as the functions
 * of aes.ts.
 */
import { cbc } from "@noble/ciphers/aes.js";

/** Encrypts whole blocks of 16 bytes by AES-CBC without padding, with a key of 16 or 32 bytes. */
export function encryptBlocks(key: Uint8Array, iv: Uint8Array, blocks: Uint8Array): Uint8Array {
  return cbc(key, iv, { disablePadding: true }).encrypt(blocks);
}

/** Decrypts whole blocks of 16 bytes by AES-CBC without padding. This function reverses {@link encryptBlocks}. */
export function decryptBlocks(key: Uint8Array, iv: Uint8Array, blocks: Uint8Array): Uint8Array {
  return cbc(key, iv, { disablePadding: true }).decrypt(blocks);
}

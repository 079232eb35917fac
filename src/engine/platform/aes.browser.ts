/** The twin of aes.ts for browsers, whose own AES is asynchronous. */
import { cbc } from "@noble/ciphers/aes.js";

export function encryptBlocks(key: Uint8Array, iv: Uint8Array, blocks: Uint8Array): Uint8Array {
  return cbc(key, iv, { disablePadding: true }).encrypt(blocks);
}

export function decryptBlocks(key: Uint8Array, iv: Uint8Array, blocks: Uint8Array): Uint8Array {
  return cbc(key, iv, { disablePadding: true }).decrypt(blocks);
}

/** Calls the AES of the runtime's OpenSSL or BoringSSL. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { plain } from "../bytes.ts";

/** Encrypts whole blocks of 16 bytes by AES-CBC without padding, with a key of 16 or 32 bytes. */
export function encryptBlocks(key: Uint8Array, iv: Uint8Array, blocks: Uint8Array): Uint8Array {
  return plain(createCipheriv(aesCbc(key), key, iv).setAutoPadding(false).update(blocks));
}

/** Decrypts whole blocks of 16 bytes by AES-CBC without padding. This function reverses {@link encryptBlocks}. */
export function decryptBlocks(key: Uint8Array, iv: Uint8Array, blocks: Uint8Array): Uint8Array {
  return plain(createDecipheriv(aesCbc(key), key, iv).setAutoPadding(false).update(blocks));
}

function aesCbc(key: Uint8Array): string {
  return `aes-${key.length * 8}-cbc`;
}

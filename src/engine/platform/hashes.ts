/** Hashes by the runtime's own OpenSSL or BoringSSL. */
import { createHash } from "node:crypto";

/** MD5 over several pieces. Broken as a hash; older encryption of PDF is defined with it. */
export function md5(...parts: readonly Uint8Array[]): Uint8Array {
  return digest("md5", parts);
}

/** SHA-2 over several pieces. */
export function sha2(bits: 256 | 384 | 512, ...parts: readonly Uint8Array[]): Uint8Array {
  return digest(`sha${bits}`, parts);
}

function digest(algorithm: string, parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

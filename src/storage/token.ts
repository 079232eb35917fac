import { sha256 } from "../shared/sha256.ts";

/** Returns the SHA-256 of a link's token, in hexadecimal. Only this hash is stored. */
export function tokenHash(token: string): Promise<string> {
  return sha256(token);
}

/** Returns whether `hash` is the hash of `token`. Compares in constant time. */
export async function tokenMatches(token: string, hash: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const [given, kept] = [encoder.encode(await tokenHash(token)), encoder.encode(hash)];
  return given.length === kept.length && crypto.subtle.timingSafeEqual(given, kept);
}

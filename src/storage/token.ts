import { sha256 } from "../sha256.ts";

/** SHA-256 of a link's token, in hexadecimal: all that is kept of it. */
export function tokenHash(token: string): Promise<string> {
  return sha256(token);
}

/** Whether `token` is the one `hash` was made of, in constant time. */
export async function tokenMatches(token: string, hash: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const [given, kept] = [encoder.encode(await tokenHash(token)), encoder.encode(hash)];
  return given.length === kept.length && crypto.subtle.timingSafeEqual(given, kept);
}

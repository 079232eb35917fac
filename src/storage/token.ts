/** SHA-256 of a link's token, in hexadecimal: all that is kept of it. */
export async function tokenHash(token: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token))).toHex();
}

/** Whether `token` is the one `hash` was made of, in constant time. */
export async function tokenMatches(token: string, hash: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const [given, kept] = [encoder.encode(await tokenHash(token)), encoder.encode(hash)];
  return given.length === kept.length && crypto.subtle.timingSafeEqual(given, kept);
}

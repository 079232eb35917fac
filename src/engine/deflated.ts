import { deflate } from "#platform/zlib";
import { encodeLatin1 } from "./bytes.ts";
import { LruCache } from "./lruCache.ts";

const recent = new LruCache<string, Uint8Array>(2 ** 20);

/**
 * Compresses a text in Latin-1 into a zlib stream (RFC 1950), as {@link deflate}, which takes longer than all else of a
 * short text. Meant for what comes again with the next file, as the operators of a mark do.
 * @returns bytes that others have too: they must not be changed
 */
export function deflatedText(text: string, level: 6 | 9): Uint8Array {
  const key = `${level}${text}`;
  const known = recent.get(key);
  if (known) return known;
  const deflated = deflate(encodeLatin1(text), level);
  return recent.put(key, deflated, key.length + deflated.length);
}

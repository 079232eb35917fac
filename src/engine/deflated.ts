import { deflate } from "#platform/zlib";
import { encodeLatin1 } from "./bytes.ts";
import { LruCache } from "./lruCache.ts";

/**
 * Cache of compressed texts. All calls in this process share the cache, because a compressed text depends only on the
 * key.
 */
const cache = new LruCache<string, Uint8Array>(2 ** 20);

/**
 * Compresses a Latin-1 text into a zlib stream (RFC 1950), with an LRU cache. For a short text, creating the compressor
 * takes most of the time. The cache helps with texts that the next file needs again, such as the operators of a mark.
 * @returns shared bytes, which the caller must not change
 */
export function deflatedText(text: string, level: 6 | 9): Uint8Array {
  const key = `${level}${text}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const deflated = deflate(encodeLatin1(text), level);
  return cache.put(key, deflated, key.length + deflated.length);
}

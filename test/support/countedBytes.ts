/**
 * Wraps an array of bytes and counts the bytes that are read. The count distinguishes linear from quadratic work
 * without a clock.
 */
export function countedBytes(bytes: Uint8Array): { bytes: Uint8Array; reads(): number } {
  let reads = 0;
  const proxy = new Proxy(bytes, {
    get(target, key) {
      if (typeof key === "string" && /^\d+$/.test(key)) reads++;
      if (key === "buffer") reads += target.length;
      const value = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      // a native function may read all bytes up to the end; indexOf starts at its second argument
      return (...args: unknown[]) => {
        reads += target.length - (key === "indexOf" ? Number(args[1] ?? 0) : 0);
        return value.apply(target, args);
      };
    },
  });
  return { bytes: proxy, reads: () => reads };
}

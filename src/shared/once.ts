/** Returns a function that calls `make` on its first call, and returns the same value on every call. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

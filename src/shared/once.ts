/** Returns a function that calls `make` once, on first use, and returns that value on every call. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

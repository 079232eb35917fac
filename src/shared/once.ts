/** Returns a function that calls `make` on its first call, and returns the value of this first call every time. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Puts off `make` until its value is first asked for; everybody gets the same. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Only Node and Workers have `setImmediate`, which does not wait for a timer's millisecond. */
declare const setImmediate: ((callback: () => void) => unknown) | undefined;

/** Resolves once other work that is waiting has had its turn. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

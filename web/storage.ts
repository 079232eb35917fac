/** Local storage. If the browser denies access, values are kept in memory until the page closes. */

const inMemory = new Map<string, string>();

/** Returns the stored value of a key, parsed from JSON, or undefined if it is missing or malformed. */
export function recall(key: string): unknown {
  try {
    return JSON.parse(stored(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value as JSON. `undefined` deletes the key. */
export function remember(key: string, value: unknown): void {
  if (value === undefined) inMemory.delete(key);
  else inMemory.set(key, JSON.stringify(value));
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // the browser denies access, or its storage is full
  }
}

function stored(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? inMemory.get(key);
  } catch {
    return inMemory.get(key);
  }
}

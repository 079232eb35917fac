const HOUR_MS = 3_600_000;

/**
 * Returns the group of a time (Unix milliseconds), for keys in R2. A group is the number of hours since 1970 in six
 * digits. Keys that begin with a group sort by time.
 */
export function groupOf(time: number): string {
  return String(Math.floor(time / HOUR_MS)).padStart(6, "0");
}

/** Returns `bytes` random bytes in hexadecimal. */
export function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}

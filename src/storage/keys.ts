const HOUR_MS = 3_600_000;

/** The hour a time (Unix milliseconds) falls in, as keys in R2 have it: hours since 1970, six digits, in order as text. */
export function groupOf(time: number): string {
  return String(Math.floor(time / HOUR_MS)).padStart(6, "0");
}

/** Random bits, in hexadecimal. */
export function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}

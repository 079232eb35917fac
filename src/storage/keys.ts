/** Hours since 1970, six digits: what keys are grouped by. */
export function hourOf(time: Date): string {
  return String(Math.floor(time.getTime() / 3_600_000)).padStart(6, "0");
}

/** Random bits, in hexadecimal. */
export function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}

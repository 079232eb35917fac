/** The highest port number (RFC 9293, 3.1). */
export const MAX_PORT = 65_535;

/** Returns whether a text is a valid port number. */
export function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) <= MAX_PORT;
}

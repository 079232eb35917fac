import { JsonScanner } from "./scanner.ts";

/** Maximum number of values in a JSON text. No valid request or message has more. */
export const MAX_JSON_VALUES = 1000;

/**
 * Returns whether a JSON text has more than {@link MAX_JSON_VALUES} values, at any depth. Call this function before
 * parsing, because parsing millions of small values would need many times the memory of the text.
 * @param json a JSON text, which may be malformed
 */
export function hasTooManyValues(json: string): boolean {
  const scanner = new JsonScanner(json);
  let values = 0;
  for (let token = scanner.next(); token; token = scanner.next()) {
    if ((token === "," || token === "{" || token === "[") && ++values > MAX_JSON_VALUES) return true;
  }
  return false;
}

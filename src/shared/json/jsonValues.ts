import { JsonScanner } from "./scanner.ts";

/** Limit on the values of a JSON text. No valid request or message has this many. */
export const MAX_JSON_VALUES = 1000;

/**
 * Returns whether a JSON text has more than {@link MAX_JSON_VALUES} values, at any depth. Call it before parsing:
 * millions of small values would take many times the memory of the text.
 * @param json may be malformed
 */
export function hasTooManyValues(json: string): boolean {
  const scanner = new JsonScanner(json);
  let values = 0;
  for (let token = scanner.next(); token; token = scanner.next()) {
    if ((token === "," || token === "{" || token === "[") && ++values > MAX_JSON_VALUES) return true;
  }
  return false;
}

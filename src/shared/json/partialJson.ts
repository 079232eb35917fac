import { JsonScanner } from "./scanner.ts";

/**
 * Parses a truncated JSON text up to its last comma, so that only complete members and elements are returned. Returns
 * undefined if no member is complete or the text is malformed.
 */
export function parseBeginning(json: string): unknown {
  const scanner = new JsonScanner(json);
  let end = 0;
  for (let token = scanner.next(); token; token = scanner.next()) {
    if (token === ",") end = scanner.start;
  }
  const complete = json.slice(0, end);
  try {
    return JSON.parse(complete + closingBrackets(complete));
  } catch {
    return undefined;
  }
}

/** Returns the brackets that close all open objects and arrays. */
function closingBrackets(json: string): string {
  const scanner = new JsonScanner(json);
  const closing: string[] = [];
  for (let token = scanner.next(); token; token = scanner.next()) {
    if (token === "{") closing.push("}");
    if (token === "[") closing.push("]");
    if (token === "}" || token === "]") closing.pop();
  }
  return closing.reverse().join("");
}

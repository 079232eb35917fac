import { JsonScanner } from "./scanner.ts";

/**
 * Returns a key that occurs twice in one object of a JSON text. Returns undefined if the keys of every object are
 * unique. A repeated key is dangerous: `JSON.parse` silently uses the last value of the key, and other parsers use the
 * first. One program may then check one value while another program uses the other (RFC 8259, 4; RFC 7493, 2.3). Keys
 * are compared after unescaping.
 * @param json a text that `JSON.parse` accepts
 * @param depth maximum nesting depth, arrays included. Deeper objects are not checked, which limits memory use
 */
export function repeatedKey(json: string, depth: number): string | undefined {
  const scanner = new JsonScanner(json);
  const keysAtLevel: Set<string>[] = []; // the keys of each open object
  let level = 0;
  let latestString = "";
  for (let token = scanner.next(); token; token = scanner.next()) {
    if (token === "{" || token === "[") {
      if (level++ < depth) keysAtLevel[level] = new Set();
    } else if (token === "}" || token === "]") {
      level--;
    } else if (token === '"') {
      latestString = json.slice(scanner.start, scanner.end);
    } else if (token === ":" && level <= depth) {
      const key = JSON.parse(latestString) as string;
      const keys = keysAtLevel[level]!;
      if (keys.has(key)) return key;
      keys.add(key);
    }
  }
  return undefined;
}

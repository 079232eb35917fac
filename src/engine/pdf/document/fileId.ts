import type { Objects } from "../objects/objects.ts";
import { unlessMalformed } from "../syntax/lexer.ts";
import type { Dictionary } from "../syntax/values.ts";

/**
 * Returns the first half of the trailer's /ID (ISO 32000-2, 14.4), on which the key of an encrypted document depends.
 * Returns undefined if the /ID is missing or unreadable.
 * @throws MissingRange if bytes must be fetched first
 */
export function readFileId(objects: Objects, trailer: Dictionary): Uint8Array | undefined {
  return unlessMalformed(() => {
    const id = objects.resolve(trailer.get("ID"));
    const first = Array.isArray(id) ? objects.resolve(id[0]) : undefined;
    return first instanceof Uint8Array ? first : undefined;
  }, undefined);
}

/** Reads the transparency group of a page (ISO 32000-2, 11.6.6). */
import { decodeLatin1 } from "../../bytes.ts";
import { LONGEST_REFERENCE_CHAIN, type Objects } from "../objects/objects.ts";
import { eachEntry, isDictionary, readName, unlessMalformed } from "../syntax/lexer.ts";
import { parseValue, referenceAt } from "../syntax/values.ts";
import { wellFormedText } from "../syntax/wellFormed.ts";
import type { PageGroup } from "./page.ts";
import type { Span } from "./pageAttributes.ts";

/** Maximum length in bytes of a color space that is copied into the group of each page. */
const LONGEST_SPACE = 256;
/**
 * Matches the start of a string. A color space with a string is not copied to another object, because the string may be
 * encrypted.
 */
const STRING = /\(|(?<!<)<(?!<)/;

/**
 * Reads the group at `span` of a page.
 * @returns "retained" if the output has the group unchanged, because the group needs no change or is unreadable
 * @throws MissingRange if bytes must be fetched first
 */
export function readGroup(page: Uint8Array, span: Span, objects: Objects): PageGroup | "retained" {
  const read = (bytes: Uint8Array, at: number) =>
    isDictionary(bytes, at) ? groupAt(bytes, at) : (referenceAt(bytes, at)?.num ?? "retained");
  return unlessMalformed(() => {
    let found = read(page, span.start);
    for (let i = 0; i < LONGEST_REFERENCE_CHAIN && typeof found === "number"; i++)
      found = objects.at(found, read) ?? "retained";
    return typeof found === "number" ? "retained" : found;
  }, "retained");
}

function groupAt(bytes: Uint8Array, at: number): PageGroup | "retained" {
  let entries = "";
  let space = "null";
  let isKnockout = false;
  eachEntry(bytes, at, (key, keyEnd, start) => {
    const name = readName(bytes, key, keyEnd);
    if (name === "K") isKnockout = parseValue(bytes, start) !== false;
    if (name === "I" && parseValue(bytes, start) === true) entries += "/I true";
    if (name === "CS") space = decodeLatin1(wellFormedText(bytes, start));
  });
  const hasColorSpace = space !== "null";
  if ((hasColorSpace && !isKnockout) || space.length > LONGEST_SPACE || STRING.test(space)) return "retained";
  return { entries: hasColorSpace ? `${entries}/CS ${space}` : entries, hasColorSpace };
}

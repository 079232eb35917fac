import { decodeLatin1 } from "../../bytes.ts";
import type { Objects } from "../objects/objects.ts";
import { IN_STREAM } from "../objects/xrefTable.ts";
import { Malformed } from "../syntax/lexer.ts";
import { type Dictionary, Reference } from "../syntax/values.ts";

/** Maximum length of a language tag in bytes. */
const LONGEST = 100;

/**
 * Returns the catalog's /Lang (ISO 32000-2, 14.9.2), which should be a language tag. Returns undefined if the entry is
 * missing or unreadable.
 * @param root the trailer's /Root, the reference to `catalog`
 * @throws EngineError too_complex
 */
export async function readLanguage(
  objects: Objects,
  root: Reference,
  catalog: Dictionary,
): Promise<string | undefined> {
  const entry = catalog.get("Lang");
  try {
    const value = await objects.run(() => objects.resolve(entry));
    if (!(value instanceof Uint8Array)) return undefined;
    const { num, gen } = entry instanceof Reference ? entry : root;
    // Strings in object streams are not encrypted separately, because an object stream is encrypted as a whole (ISO
    // 32000-2, 7.6.2).
    const isEncrypted = objects.cipher && objects.table.kind(objects.table.liveRow(num)) !== IN_STREAM;
    return textOf((isEncrypted ? objects.cipher!.decryptString(num, gen, value) : value).subarray(0, LONGEST));
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** Decodes a text string (ISO 32000-2, 7.9.2.2) whose characters are ASCII. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return decodeLatin1(bytes).replace("\xef\xbb\xbf", "");
}

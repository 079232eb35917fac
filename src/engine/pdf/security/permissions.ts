/** Creates the cipher from the trailer's /Encrypt (ISO 32000-2, 7.6). */
import type { Objects } from "../objects/objects.ts";
import type { Dictionary } from "../syntax/values.ts";
import type { EncryptDictionary } from "./encryptDictionary.ts";
import { type Cipher, openCipher } from "./encryption.ts";

const NO_BYTES = new Uint8Array(0);

/**
 * Returns the cipher of an encrypted document. Returns undefined if /Encrypt is not a dictionary, because readers then
 * ignore it.
 * @throws EngineError `password_required`, `wrong_password`, `modification_not_permitted` or `unsupported_encryption`
 * @throws Malformed if /Encrypt cannot be read
 * @throws MissingRange if bytes must be fetched first
 */
export function openSecurity(
  objects: Objects,
  trailer: Dictionary,
  fileId: Uint8Array = NO_BYTES,
  password?: string,
): Cipher | undefined {
  const encrypt = objects.dictionary(trailer.get("Encrypt"));
  return encrypt && openCipher(readEncrypt(objects, encrypt), fileId, password);
}

function readEncrypt(objects: Objects, dict: Dictionary): EncryptDictionary {
  const get = (key: string, from = dict) => objects.resolve(from.get(key));
  const number = (key: string, from = dict) => optional(get(key, from), "number");
  const name = (key: string, from = dict) => optional(get(key, from), "string");
  const bytes = (key: string) => {
    const value = get(key);
    return value instanceof Uint8Array ? value : undefined;
  };

  const cf: EncryptDictionary["cf"] = {};
  for (const [filter, value] of objects.dictionary(dict.get("CF")) ?? []) {
    if (value === null) continue;
    // also lists entries without a dictionary, because a reference may lead to an object that is not readable yet
    const entry = objects.dictionary(value) ?? new Map();
    cf[filter] = {
      cfm: name("CFM", entry) ?? "None",
      length: number("Length", entry),
      authEvent: name("AuthEvent", entry),
    };
  }
  return {
    filter: name("Filter") ?? "",
    subFilter: name("SubFilter"),
    v: number("V") ?? 0,
    r: number("R") ?? 0,
    length: number("Length"),
    o: bytes("O") ?? NO_BYTES,
    u: bytes("U") ?? NO_BYTES,
    oe: bytes("OE"),
    ue: bytes("UE"),
    p: number("P") ?? 0,
    perms: bytes("Perms"),
    encryptMetadata: get("EncryptMetadata") !== false,
    cf,
    stmF: name("StmF") ?? "Identity",
    strF: name("StrF") ?? "Identity",
  };
}

function optional(value: unknown, type: "number"): number | undefined;
function optional(value: unknown, type: "string"): string | undefined;
function optional(value: unknown, type: "number" | "string"): unknown {
  return typeof value === type ? value : undefined;
}

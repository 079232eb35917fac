/** From the trailer's /Encrypt to a cipher (ISO 32000-2, 7.6). */
import { EngineError } from "../errors.ts";
import { readEncrypt } from "./encryptDictionary.ts";
import { type Cipher, openCipher } from "./encryption.ts";
import type { Objects } from "./objects.ts";
import type { Dictionary } from "./values.ts";

const NO_BYTES = new Uint8Array(0);

/**
 * The cipher of an encrypted document, undefined where it is not encrypted. Throws EngineError password_required,
 * modification_not_permitted and unsupported_encryption.
 */
export function openSecurity(objects: Objects, trailer: Dictionary, password: string | undefined): Cipher | undefined {
  if (!trailer.has("Encrypt")) return undefined;
  const encrypt = objects.resolve(trailer.get("Encrypt"));
  if (encrypt === null) return undefined;
  if (!(encrypt instanceof Map))
    throw new EngineError("unsupported_encryption", "The PDF is encrypted in a way that cannot be read.");
  const id = objects.resolve(trailer.get("ID"));
  const first = Array.isArray(id) ? objects.resolve(id[0]) : undefined;
  return openCipher(readEncrypt(objects, encrypt), first instanceof Uint8Array ? first : NO_BYTES, password);
}

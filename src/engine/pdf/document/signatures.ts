/** Finds digital signatures that marking breaks (ISO 32000-2, 12.7.5.5 and 12.8). */
import { EngineError } from "../../errors.ts";
import type { Objects } from "../objects/objects.ts";
import { Malformed } from "../syntax/lexer.ts";
import { type Dictionary, Reference, type Value } from "../syntax/values.ts";

/** Maximum number of fields that are read. If the source is read by ranges, each field may need a request. */
const MOST_FIELDS = 1000;
const FIELD_KEYS: ReadonlySet<string> = new Set(["FT", "V", "Kids"]);
const NO_KEYS: ReadonlySet<string> = new Set();

/** A form field that has not been read yet, and the entries that the field inherits. */
interface Field {
  readonly value: Value;
  readonly type: Value | undefined;
  readonly signature: Value | undefined;
}

/**
 * Returns whether changing a page breaks a digital signature. This is the case if a signature field has a value, or if
 * a certification restricts changes (ISO 32000-2, 12.8.6). The fields are read only if the form's /SigFlags has the bit
 * SignaturesExist (12.7.3).
 * @throws Malformed if the form or the permissions cannot be read
 */
export async function isSigned(objects: Objects, catalog: Dictionary): Promise<boolean> {
  const { form, flags, permissions } = await objects.run(() => {
    const form = objects.dictionary(catalog.get("AcroForm"));
    const flags = form ? objects.resolve(form.get("SigFlags")) : null;
    return { form, flags, permissions: objects.dictionary(catalog.get("Perms")) };
  });
  if (permissions?.has("DocMDP")) return true;
  if (!form || typeof flags !== "number" || !(flags & 1)) return false;
  try {
    return await hasSignature(objects, form.get("Fields"));
  } catch (error) {
    // A form with an unreadable field counts as signed, because its /SigFlags says that signatures exist.
    if (error instanceof Malformed || error instanceof EngineError) return true;
    throw error;
  }
}

/**
 * Returns whether a signature field of the form has a value. A form with more than MOST_FIELDS fields counts as signed.
 */
async function hasSignature(objects: Objects, fields: Value | undefined): Promise<boolean> {
  const seen = new Set<number>();
  const queue: Field[] = [];
  const add = (kids: Value, type?: Value, signature?: Value) => {
    for (const value of Array.isArray(kids) ? kids : []) {
      if (queue.length > MOST_FIELDS) return;
      if (value instanceof Reference && seen.has(value.num)) continue;
      if (value instanceof Reference) seen.add(value.num);
      queue.push({ value, type, signature });
    }
  };
  add(await objects.run(() => objects.resolve(fields)));
  for (const [index, { value, ...inherited }] of queue.entries()) {
    if (index === MOST_FIELDS) return true;
    const found = await objects.run(() => {
      const field = objects.dictionary(value, FIELD_KEYS);
      const type = field?.get("FT") ?? inherited.type;
      const signature = field?.get("V") ?? inherited.signature;
      const isSignature = field !== undefined && objects.resolve(type) === "Sig";
      const isSigned = isSignature && objects.dictionary(signature, NO_KEYS) !== undefined;
      return { type, signature, isSigned, kids: objects.resolve(field?.get("Kids")) };
    });
    if (found.isSigned) return true;
    add(found.kids, found.type, found.signature);
    await objects.source.meter.yieldIfDue();
  }
  return false;
}

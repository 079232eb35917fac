/** The Encrypt dictionary of the standard security handler (ISO 32000-2, 7.6.2, 7.6.4.2 and 7.6.6; tables 20, 21 and 25). */
import type { Objects } from "./objects.ts";
import type { Dictionary } from "./values.ts";

/** What the dictionary says. */
export interface EncryptDictionary {
  filter: string;
  subFilter?: string | undefined;
  v: number;
  r: number;
  /** In bits; `undefined` where the entry is missing. */
  length: number | undefined;
  o: Uint8Array;
  u: Uint8Array;
  oe?: Uint8Array | undefined;
  ue?: Uint8Array | undefined;
  p: number;
  perms?: Uint8Array | undefined;
  encryptMetadata: boolean;
  cf: Record<string, { cfm: string; length?: number | undefined; authEvent?: string | undefined }>;
  stmF: string;
  strF: string;
}

const NO_BYTES = new Uint8Array(0);

/** Reads the dictionary; what is missing in it or of another type counts as not there. @throws Malformed */
export function readEncrypt(objects: Objects, dict: Dictionary): EncryptDictionary {
  const get = (key: string, from = dict) => objects.resolve(from.get(key));
  const number = (key: string, from = dict) => optional(get(key, from), "number");
  const name = (key: string, from = dict) => optional(get(key, from), "string");
  const bytes = (key: string) => {
    const value = get(key);
    return value instanceof Uint8Array ? value : undefined;
  };

  const cf: EncryptDictionary["cf"] = {};
  for (const [filter, value] of objects.dictionary(dict.get("CF")) ?? []) {
    const entry = objects.dictionary(value);
    if (entry)
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

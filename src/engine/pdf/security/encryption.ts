import { md5 } from "#platform/hashes";
import { encodeLatin1 } from "../../bytes.ts";
import { EngineError } from "../../errors.ts";
import type { EncryptDictionary } from "./encryptDictionary.ts";
import { type Access, authenticate } from "./fileKey.ts";
import { decryptAes, decryptBlock, encryptAes, isIntactAes, rc4 } from "./symmetric.ts";

/**
 * Encrypts and decrypts the strings and streams of one open file (ISO 32000-2, 7.6.3). Callers must not pass data that
 * are never encrypted (7.6.2): strings in object streams, cross-reference streams, the Encrypt dictionary, /ID, and a
 * signature's /Contents. If `encryptMetadata` is false, callers pass the crypt filter "Identity" for the metadata
 * stream.
 */
export interface Cipher {
  /** Whether the permissions of the password allow new annotations. */
  readonly permitsAnnotations: boolean;
  decryptString(num: number, gen: number, data: Uint8Array): Uint8Array;
  /**
   * Decrypts the data of a stream.
   * @param cryptFilter the /Name in the parameters of the stream's own Crypt filter, if it has one (ISO 32000-2,
   * 7.4.10)
   * @throws EngineError `unsupported_encryption`, `password_required` or `wrong_password` for a crypt filter that
   * cannot be applied
   */
  decryptStream(num: number, gen: number, data: Uint8Array, cryptFilter?: string): Uint8Array;
  /** Returns whether all readers can decrypt the data of a stream. */
  isIntact(num: number, gen: number, data: Uint8Array): boolean;
  encryptString(num: number, gen: number, data: Uint8Array): Uint8Array;
  encryptStream(num: number, gen: number, data: Uint8Array): Uint8Array;
}

/**
 * Returns the cipher of a file that is encrypted with the standard security handler (ISO 32000-2, 7.6.4). The file's
 * permissions must allow changes to its pages. Tries the empty password first, then `password`, each as owner password
 * and as user password. The owner may change everything. The user may change the content if bit 4 of /P is set, in
 * every revision (7.6.4.2, table 22). The bits that revision 3 added do not concern page content.
 * @param id the first half of the trailer's /ID; empty if /ID is missing
 * @throws EngineError `unsupported_encryption`, `password_required`, `wrong_password` or `modification_not_permitted`
 */
export function openCipher(encrypt: EncryptDictionary, id: Uint8Array, password: string | undefined): Cipher {
  rejectUnsupported(encrypt);
  const dict = encrypt.v < 4 ? { ...encrypt, ...RC4_THROUGHOUT } : encrypt;
  const access = bestAccess(dict, id, password);
  if (access && encrypt.v === 4) rejectOtherLengths(encrypt, access.fileKey.length);

  const apply = (cryptFilter: string): Method => {
    const method = methodOf(dict, cryptFilter);
    if (!method) return IDENTITY;
    if (!access) throw passwordRequired(password);
    return method(access.fileKey);
  };
  const method = apply(dict.stmF); // Strings have the same method as streams; see isUniform.

  const permits = (bit: number) => access?.authority === "owner" || (permissions(dict, access) & bit) !== 0;
  if (!permits(MODIFY)) throw modificationNotPermitted(password);
  return {
    permitsAnnotations: permits(ANNOTATE),
    decryptString: method.decrypt,
    isIntact: method.isIntact,
    encryptString: method.encrypt,
    encryptStream: method.encrypt,
    decryptStream: (num, gen, data, cryptFilter) =>
      (cryptFilter === undefined ? method : apply(cryptFilter)).decrypt(num, gen, data),
  };
}

/** Bit 4 of /P, "modify the contents of the document" (ISO 32000-2, table 22). */
const MODIFY = 0b1000;
/** Bit 6 of /P, "add or modify text annotations" (ISO 32000-2, table 22). */
const ANNOTATE = 0b10_0000;

/** Crypt filters that describe the encryption of files with /V below 4. Such a file does not define crypt filters. */
const RC4_THROUGHOUT = { cf: { StdCF: { cfm: "V2" } }, stmF: "StdCF", strF: "StdCF" };

/**
 * Rejects a security handler, a /V, an /R or crypt filters that the engine does not support (ISO 32000-2, tables 20 and
 * 21). The values 2 to 4 of /R differ only in how the key is derived, so /R need not match /V.
 * @throws EngineError `unsupported_encryption`
 */
function rejectUnsupported({ filter, v, r, oe, ue, cf, stmF, strF }: EncryptDictionary): void {
  if (filter !== "Standard") {
    throw unsupported(`is for the security handler ${filter}, not for passwords`);
  }
  const isLegacy = (v === 1 || v === 2 || v === 4) && (r === 2 || r === 3 || r === 4);
  const isAes256 = v === 5 && (r === 5 || r === 6);
  if (!isLegacy && !isAes256) throw unsupported(`has the version ${v} and the revision ${r}`);
  if (isAes256 && !(oe && ue)) throw unsupported("lacks OE or UE, which hold its key");
  if (v >= 4 && Object.keys(cf).length === 0) throw unsupported("lacks the crypt filters that its version has");
  if (v >= 4 && !isUniform({ cf, stmF, strF }))
    throw unsupported("has crypt filters that PDF readers interpret differently");
}

/**
 * Returns whether one crypt filter applies to all strings and streams, or no filter applies to any of them. In other
 * files, Poppler and MuPDF do not decrypt streams as the dictionary states, and lose the mark.
 */
function isUniform({ cf, stmF, strF }: Pick<EncryptDictionary, "cf" | "stmF" | "strF">): boolean {
  if (stmF !== strF || Object.hasOwn(cf, "Identity")) return false;
  // A crypt filter that the dictionary does not define is rejected later.
  if (stmF === "Identity" || !Object.hasOwn(cf, stmF)) return true;
  return Object.keys(cf).length === 1 && cf[stmF]?.cfm !== "None";
}

/**
 * Rejects key lengths that readers interpret differently. AES-128 must have 16 bytes, and RC4 the declared number of
 * bytes.
 * @param keyBytes length in bytes of the key that the password opened
 * @throws EngineError `unsupported_encryption`
 */
function rejectOtherLengths({ cf, stmF, length }: EncryptDictionary, keyBytes: number): void {
  const filter = Object.hasOwn(cf, stmF) ? cf[stmF] : undefined;
  if (!filter) return;
  const declared = filter.length ?? length ?? keyBytes;
  const bytes = declared < 40 ? declared : declared / 8;
  if (bytes !== keyBytes || (filter.cfm === "AESV2" && keyBytes !== 16))
    throw unsupported("declares a key length that PDF readers interpret differently");
}

/**
 * Returns owner access if the empty password or `password` is the owner password. Otherwise returns user access, or
 * undefined if both passwords are wrong.
 */
function bestAccess(dict: EncryptDictionary, id: Uint8Array, password: string | undefined): Access | undefined {
  const byEmpty = authenticate(dict, id, "");
  if (byEmpty?.authority === "owner" || !password) return byEmpty;

  const byPassword = authenticate(dict, id, password);
  return byPassword?.authority === "owner" ? byPassword : (byEmpty ?? byPassword);
}

/**
 * Returns the permissions in /P. /Perms contains a copy of /P that is encrypted with the file key (ISO 32000-2,
 * 7.6.4.4.12, algorithm 13). If the copy is intact, it takes precedence, because anyone can edit /P.
 */
function permissions(dict: EncryptDictionary, access: Access | undefined): number {
  if (dict.v !== 5 || !access || !dict.perms || dict.perms.length < 16) return dict.p;

  const perms = decryptBlock(access.fileKey, dict.perms.subarray(0, 16));
  const isIntact = String.fromCharCode(...perms.subarray(9, 12)) === "adb";
  return isIntact ? new DataView(perms.buffer, perms.byteOffset).getInt32(0, true) : dict.p;
}

/** The method of a crypt filter. It encrypts and decrypts the bytes of one object. */
interface Method {
  isIntact(num: number, gen: number, data: Uint8Array): boolean;
  decrypt(num: number, gen: number, data: Uint8Array): Uint8Array;
  encrypt(num: number, gen: number, data: Uint8Array): Uint8Array;
}

const IDENTITY: Method = {
  isIntact: () => true,
  decrypt: (_num, _gen, data) => data,
  encrypt: (_num, _gen, data) => data,
};

/**
 * Returns the method of a crypt filter (ISO 32000-2, 7.6.6, tables 25 and 26). Returns undefined if the filter leaves
 * data unchanged.
 * @throws EngineError `unsupported_encryption`
 */
function methodOf(dict: EncryptDictionary, cryptFilter: string): ((fileKey: Uint8Array) => Method) | undefined {
  if (cryptFilter === "Identity") return undefined;

  const cfm = Object.hasOwn(dict.cf, cryptFilter) ? dict.cf[cryptFilter]?.cfm : undefined;
  if (cfm === undefined) throw unsupported(`lacks its crypt filter ${cryptFilter}`);
  if (cfm === "V2" && dict.v < 5) return rc4Method;
  if (cfm === "AESV2" && dict.v < 5) return aes128Method;
  if (cfm === "AESV3" && dict.v === 5) return aes256Method;
  throw unsupported(`has the version ${dict.v} and the crypt filter method ${cfm}`);
}

/**
 * Returns RC4 with a separate key for each object. The key of an object is 5 bytes longer than the file key, but at
 * most 16 bytes long (ISO 32000-2, 7.6.3.2, algorithm 1).
 */
function rc4Method(fileKey: Uint8Array): Method {
  const apply = (num: number, gen: number, data: Uint8Array) =>
    rc4(md5(fileKey, objectId(num, gen)).subarray(0, fileKey.length + 5), data);
  return { isIntact: () => true, decrypt: apply, encrypt: apply };
}

/** Returns AES with a separate key for each object (ISO 32000-2, 7.6.3.2, Algorithm 1). */
function aes128Method(fileKey: Uint8Array): Method {
  const salt = encodeLatin1("sAlT");
  const key = (num: number, gen: number) => md5(fileKey, objectId(num, gen), salt);
  return {
    isIntact: (num, gen, data) => isIntactAes(key(num, gen), data),
    decrypt: (num, gen, data) => decryptAes(key(num, gen), data),
    encrypt: (num, gen, data) => encryptAes(key(num, gen), data),
  };
}

/** Returns AES with the file key for all objects (ISO 32000-2, 7.6.3.3, Algorithm 1.A). */
function aes256Method(fileKey: Uint8Array): Method {
  return {
    isIntact: (_num, _gen, data) => isIntactAes(fileKey, data),
    decrypt: (_num, _gen, data) => decryptAes(fileKey, data),
    encrypt: (_num, _gen, data) => encryptAes(fileKey, data),
  };
}

/**
 * Returns three bytes of the object number and two bytes of the generation. Each number begins with its least
 * significant byte.
 */
function objectId(num: number, gen: number): Uint8Array {
  return Uint8Array.of(num, num >> 8, num >> 16, gen, gen >> 8);
}

/** @param what rest of the sentence that begins with "The PDF's encryption" in the error message */
function unsupported(what: string): EngineError {
  return new EngineError("unsupported_encryption", `The PDF's encryption ${what}. Save the PDF without encryption.`);
}

function passwordRequired(password: string | undefined): EngineError {
  return password
    ? new EngineError(
        "wrong_password",
        "The password does not open the PDF. Send its user or owner password as `password`.",
      )
    : new EngineError("password_required", "The PDF needs a password. Send its user or owner password as `password`.");
}

function modificationNotPermitted(password: string | undefined): EngineError {
  return new EngineError(
    "modification_not_permitted",
    password
      ? "The PDF's permissions forbid changes, and the password is not the owner password. Send the owner password as `password`."
      : "The PDF's permissions forbid changes. Send the owner password as `password`.",
  );
}

import { md5 } from "#platform/hashes";
import { encodeLatin1 } from "../bytes.ts";
import { EngineError } from "../errors.ts";
import type { EncryptDictionary } from "./encryptDictionary.ts";
import { type Access, authenticate } from "./fileKey.ts";
import { decryptAes, decryptBlock, encryptAes, rc4 } from "./symmetric.ts";

/**
 * Encryption of one open file (ISO 32000-2, 7.6.3). What stays clear is the caller's to know (7.6.2): strings inside
 * object streams, cross-reference streams, the Encrypt dictionary, ID, a signature's Contents; and the metadata stream
 * where `encryptMetadata` is false, for which to pass the crypt filter "Identity".
 */
export interface Cipher {
  decryptString(num: number, gen: number, data: Uint8Array): Uint8Array;
  /** `cryptFilter` is the Name in the parameters of the stream's own Crypt filter, if it has one (7.4.10). */
  decryptStream(num: number, gen: number, data: Uint8Array, cryptFilter?: string): Uint8Array;
  encryptString(num: number, gen: number, data: Uint8Array): Uint8Array;
  encryptStream(num: number, gen: number, data: Uint8Array): Uint8Array;
}

/**
 * Opens a file encrypted with the standard security handler (ISO 32000-2, 7.6.4), in order to change its pages. The
 * empty password comes first, then `password`, each as the owner's and as the user's.
 *
 * The owner may do anything. For the user, P decides (7.6.4.2, Table 22): bit 4 stands for page content in every
 * revision, since the bits revision 3 added only split forms, extraction, assembly and printing off from older ones.
 *
 * @param id the first element of the trailer's ID; empty if there is none
 * @throws EngineError `unsupported_encryption`, `password_required` or `modification_not_permitted`
 */
export function openCipher(encrypt: EncryptDictionary, id: Uint8Array, password: string | undefined): Cipher {
  refuseUnsupported(encrypt);
  const dict = encrypt.v < 4 ? { ...encrypt, ...RC4_THROUGHOUT } : encrypt;
  const access = bestAccess(dict, id, password);

  const apply = (cryptFilter: string): Method => {
    const method = methodOf(dict, cryptFilter);
    if (!method) return IDENTITY;
    if (!access) throw passwordRequired(password);
    return method(access.fileKey);
  };
  const strings = apply(dict.strF);
  const streams = apply(dict.stmF);

  if (access?.authority !== "owner" && !permitsModification(dict, access)) {
    throw modificationNotPermitted(password);
  }
  return {
    decryptString: strings.decrypt,
    encryptString: strings.encrypt,
    encryptStream: streams.encrypt,
    decryptStream: (num, gen, data, cryptFilter) =>
      (cryptFilter === undefined ? streams : apply(cryptFilter)).decrypt(num, gen, data),
  };
}

/** What files older than crypt filters (V below 4) do, in terms of crypt filters. */
const RC4_THROUGHOUT = { cf: { StdCF: { cfm: "V2" } }, stmF: "StdCF", strF: "StdCF" };

/** V, R and the handler of ISO 32000-2, Tables 20 and 21. R 2 to 4 differ in the key only, so that V need not match. */
function refuseUnsupported({ filter, v, r, oe, ue }: EncryptDictionary): void {
  if (filter !== "Standard") {
    throw unsupported(`is for the security handler ${filter}, not for passwords`);
  }
  const isLegacy = (v === 1 || v === 2 || v === 4) && (r === 2 || r === 3 || r === 4);
  const isAes256 = v === 5 && (r === 5 || r === 6);
  if (!isLegacy && !isAes256) throw unsupported(`has the version ${v} and the revision ${r}`);
  if (isAes256 && !(oe && ue)) throw unsupported("lacks OE or UE, which hold its key");
}

/** Owner's access if either password gives it, or else the user's. */
function bestAccess(dict: EncryptDictionary, id: Uint8Array, password: string | undefined): Access | undefined {
  const byEmpty = authenticate(dict, id, "");
  if (byEmpty?.authority === "owner" || !password) return byEmpty;

  const byPassword = authenticate(dict, id, password);
  return byPassword?.authority === "owner" ? byPassword : (byEmpty ?? byPassword);
}

/**
 * Bit 4 of P, "modify the contents of the document" (ISO 32000-2, Table 22). Perms holds a copy of P that is encrypted
 * with the file key; where it is intact (7.6.4.4.12, Algorithm 13) it counts, as P can be edited by anyone.
 */
function permitsModification(dict: EncryptDictionary, access: Access | undefined): boolean {
  return (permissions(dict, access) & 0b1000) !== 0;
}

function permissions(dict: EncryptDictionary, access: Access | undefined): number {
  if (dict.v !== 5 || !access || !dict.perms || dict.perms.length < 16) return dict.p;

  const perms = decryptBlock(access.fileKey, dict.perms.subarray(0, 16));
  const isIntact = String.fromCharCode(...perms.subarray(9, 12)) === "adb";
  return isIntact ? new DataView(perms.buffer, perms.byteOffset).getInt32(0, true) : dict.p;
}

/** What a crypt filter does with the bytes of one object. */
interface Method {
  decrypt(num: number, gen: number, data: Uint8Array): Uint8Array;
  encrypt(num: number, gen: number, data: Uint8Array): Uint8Array;
}

const IDENTITY: Method = {
  decrypt: (_num, _gen, data) => data,
  encrypt: (_num, _gen, data) => data,
};

/** A crypt filter's method by its name, or nothing if it leaves data alone: ISO 32000-2, 7.6.6, Tables 25 and 26. */
function methodOf(dict: EncryptDictionary, cryptFilter: string): ((fileKey: Uint8Array) => Method) | undefined {
  if (cryptFilter === "Identity") return undefined;

  const cfm = Object.hasOwn(dict.cf, cryptFilter) ? dict.cf[cryptFilter]?.cfm : undefined;
  if (cfm === undefined) throw unsupported(`lacks its crypt filter ${cryptFilter}`);
  if (cfm === "None") return undefined;
  if (cfm === "V2" && dict.v < 5) return rc4Method;
  if (cfm === "AESV2" && dict.v < 5) return aes128Method;
  if (cfm === "AESV3" && dict.v === 5) return aes256Method;
  throw unsupported(`has the version ${dict.v} and the crypt filter method ${cfm}`);
}

/** ISO 32000-2, 7.6.3.2, Algorithm 1 with RC4: an object's key is 5 bytes longer than the file's, up to 16. */
function rc4Method(fileKey: Uint8Array): Method {
  const apply = (num: number, gen: number, data: Uint8Array) =>
    rc4(md5(fileKey, objectId(num, gen)).subarray(0, fileKey.length + 5), data);
  return { decrypt: apply, encrypt: apply };
}

/** ISO 32000-2, 7.6.3.2, Algorithm 1 with AES. */
function aes128Method(fileKey: Uint8Array): Method {
  const salt = encodeLatin1("sAlT");
  const key = (num: number, gen: number) => md5(fileKey, objectId(num, gen), salt);
  return {
    decrypt: (num, gen, data) => decryptAes(key(num, gen), data),
    encrypt: (num, gen, data) => encryptAes(key(num, gen), data),
  };
}

/** ISO 32000-2, 7.6.3.3, Algorithm 1.A: the file's key is every object's key. */
function aes256Method(fileKey: Uint8Array): Method {
  return {
    decrypt: (_num, _gen, data) => decryptAes(fileKey, data),
    encrypt: (_num, _gen, data) => encryptAes(fileKey, data),
  };
}

/** Three bytes of the object's number and two of its generation, the low ones first. */
function objectId(num: number, gen: number): Uint8Array {
  return Uint8Array.of(num, num >> 8, num >> 16, gen, gen >> 8);
}

function unsupported(what: string): EngineError {
  return new EngineError(
    "unsupported_encryption",
    `The PDF's encryption ${what}. Save the PDF without encryption and send that.`,
  );
}

function passwordRequired(password: string | undefined): EngineError {
  return new EngineError(
    "password_required",
    password
      ? "The PDF is encrypted. The password is neither its user nor its owner password."
      : "The PDF is encrypted and does not open without a password. Send the password in `password`.",
  );
}

function modificationNotPermitted(password: string | undefined): EngineError {
  return new EngineError(
    "modification_not_permitted",
    password
      ? "The PDF's permissions forbid changes, and the password is not its owner password. Send that as `password`."
      : "The PDF's permissions forbid changes. Send the owner password as `password`.",
  );
}

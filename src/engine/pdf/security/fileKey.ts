import { decryptBlocks, encryptBlocks } from "#platform/aes";
import { md5, sha2 } from "#platform/hashes";
import { concat } from "../../bytes.ts";
import type { EncryptDictionary } from "./encryptDictionary.ts";
import { rc4, ZERO_VECTOR } from "./symmetric.ts";

/**
 * The file key, and whether the password is the owner password (ISO 32000-2, 7.6.4.1). /P restricts users, not owners.
 */
export interface Access {
  fileKey: Uint8Array;
  authority: "owner" | "user";
}

/**
 * Checks a password and computes the file key with it. Revisions up to 4 use algorithms 6 and 7 (ISO 32000-2, 7.6.4.4.5
 * and 7.6.4.4.6). Later revisions use algorithm 2.A (7.6.4.3.3). A password that is both user and owner password grants
 * owner access.
 * @returns undefined if the password is wrong
 */
export function authenticate(dict: EncryptDictionary, id: Uint8Array, password: string): Access | undefined {
  for (const bytes of encodings(password, dict.r)) {
    const access = dict.r >= 5 ? openAes256(dict, bytes) : openLegacy(dict, id, bytes);
    if (access) return access;
  }
  return undefined;
}

/**
 * Returns the possible byte strings of a password, most likely first. From revision 5 on, the standard requires the
 * SASLprep form in UTF-8, cut to 127 bytes (ISO 32000-2, 7.6.4.3.3). NFKC of current Unicode approximates SASLprep.
 * Many writers omit SASLprep, so the unchanged password is tried next. Up to revision 4, the standard requires
 * PDFDocEncoding (7.6.4.3.2), but many writers use UTF-8.
 */
function encodings(password: string, revision: number): Uint8Array[] {
  const utf8 = (text: string) => new TextEncoder().encode(text).subarray(0, 127);
  if (/^[ -~]*$/.test(password)) return [utf8(password)];

  return revision < 5
    ? [...pdfDocEncoding(password), utf8(password)]
    : [utf8(password.normalize("NFKC")), utf8(password)];
}

/** PDFDocEncoding codes that differ from Latin-1 (ISO 32000-2, D.3). */
const PDF_DOC_CODES = new Map(
  [
    { first: 0x18, characters: "˘ˇˆ˙˝˛˚˜" },
    { first: 0x80, characters: "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž" },
    { first: 0xa0, characters: "€" },
  ].flatMap(({ first, characters }) => Array.from(characters, (character, i) => [character, first + i] as const)),
);

/**
 * Returns the password in PDFDocEncoding as the only element of a list. Returns an empty list if the encoding lacks a
 * character of the password.
 */
function pdfDocEncoding(password: string): Uint8Array[] {
  const codes = Array.from(password, (character) => PDF_DOC_CODES.get(character) ?? character.codePointAt(0)!);
  return codes.every((code) => code <= 0xff) ? [Uint8Array.from(codes)] : [];
}

const PADDING = Uint8Array.of(
  ...[0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08],
  ...[0x2e, 0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a],
);

/** Opens an encryption of revisions 2 to 4. Tries the possible key lengths until the password fits a length. */
function openLegacy(dict: EncryptDictionary, id: Uint8Array, password: Uint8Array): Access | undefined {
  for (const keyBytes of keyLengths(dict)) {
    const asOwner = userKey(dict, id, userPassword(dict, password, keyBytes), keyBytes);
    if (asOwner) return { fileKey: asOwner, authority: "owner" };

    const asUser = userKey(dict, id, password, keyBytes);
    if (asUser) return { fileKey: asUser, authority: "user" };
  }
  return undefined;
}

/**
 * Returns the possible key lengths, from 5 to 16 bytes. The dictionary's /Length is in bits. Some writers state a crypt
 * filter's /Length in bits, and others state it in bytes (ISO 32000-2, tables 20 and 25). Some writers omit /Length or
 * write a wrong value.
 */
function keyLengths(dict: EncryptDictionary): Set<number> {
  if (dict.r === 2) return new Set([5]);

  const declared = [dict.length, ...Object.values(dict.cf).map((filter) => filter.length)];
  const bytes = declared.map((length = 40) => (length < 40 ? length : length / 8));
  return new Set([...bytes, 16, 5].filter((n) => Number.isInteger(n) && n >= 5 && n <= 16));
}

/** Returns the file key if `password` is the user password (ISO 32000-2, 7.6.4.4.5, Algorithm 6). */
function userKey(
  dict: EncryptDictionary,
  id: Uint8Array,
  password: Uint8Array,
  keyBytes: number,
): Uint8Array | undefined {
  const key = legacyFileKey(dict, id, password, keyBytes);
  const expected = dict.r === 2 ? rc4(key, PADDING) : rc4Rounds(key, md5(PADDING, id), REVISION_3_ROUNDS);
  return equal(expected, fit(dict.u, expected.length)) ? key : undefined;
}

/** Computes the file key for revisions 2 to 4 (ISO 32000-2, 7.6.4.3.2, algorithm 2). */
function legacyFileKey(dict: EncryptDictionary, id: Uint8Array, password: Uint8Array, keyBytes: number): Uint8Array {
  const permissions = new Uint8Array(4);
  new DataView(permissions.buffer).setInt32(0, dict.p, true);
  const metadata = new Uint8Array(dict.r >= 4 && !dict.encryptMetadata ? 4 : 0).fill(0xff);

  const digest = md5(padded(password), fit(dict.o, 32), permissions, id, metadata);
  return strengthened(dict.r, digest, keyBytes);
}

/** Returns the user password by decrypting it with the owner password (ISO 32000-2, 7.6.4.4.6, algorithm 7). */
function userPassword(dict: EncryptDictionary, ownerPassword: Uint8Array, keyBytes: number): Uint8Array {
  const key = strengthened(dict.r, md5(padded(ownerPassword)), keyBytes);
  const rounds = dict.r === 2 ? [0] : REVISION_3_ROUNDS.toReversed();
  return rc4Rounds(key, fit(dict.o, 32), rounds);
}

function padded(password: Uint8Array): Uint8Array {
  return fit(concat([password, PADDING]), PADDING.length);
}

/**
 * Applies the 50 additional MD5 rounds of revision 3 and later. Each round hashes only as many bytes as the key has.
 */
function strengthened(revision: number, digest: Uint8Array, keyBytes: number): Uint8Array {
  let key = digest.subarray(0, keyBytes);
  if (revision === 2) return key;

  for (let round = 0; round < 50; round++) key = md5(key).subarray(0, keyBytes);
  return key;
}

const REVISION_3_ROUNDS = Array.from({ length: 20 }, (_, round) => round);

/** Applies RC4 once per round. In each round, every byte of the key is XORed with the number of the round. */
function rc4Rounds(key: Uint8Array, data: Uint8Array, rounds: number[]): Uint8Array {
  let result = data;
  for (const round of rounds) {
    const roundKey = key.map((byte) => byte ^ round);
    result = rc4(roundKey, result);
  }
  return result;
}

/**
 * Opens an encryption of revision 5 or 6 (ISO 32000-2, 7.6.4.3.3, Algorithm 2.A). /O and /U each consist of a hash of
 * 32 bytes, the salt of that hash, and the salt for the key that decrypts /OE or /UE. The hashes in /O also cover the
 * whole /U.
 */
function openAes256(dict: EncryptDictionary, password: Uint8Array): Access | undefined {
  const u = fit(dict.u, 48);
  const hash = dict.r === 5 ? simpleHash : hardenedHash;
  const open = (entry: Uint8Array, wrappedKey: Uint8Array | undefined, userEntry: Uint8Array) => {
    const validation = hash(password, entry.subarray(32, 40), userEntry);
    if (!wrappedKey || !equal(validation, entry.subarray(0, 32))) return undefined;
    return decryptBlocks(hash(password, entry.subarray(40, 48), userEntry), ZERO_VECTOR, fit(wrappedKey, 32));
  };

  const asOwner = open(fit(dict.o, 48), dict.oe, u);
  if (asOwner) return { fileKey: asOwner, authority: "owner" };

  const asUser = open(u, dict.ue, new Uint8Array(0));
  return asUser && { fileKey: asUser, authority: "user" };
}

/** Returns the hash of revision 5, which is a single SHA-256 (Adobe's Supplement to ISO 32000, extension level 3). */
function simpleHash(password: Uint8Array, salt: Uint8Array, userEntry: Uint8Array): Uint8Array {
  return sha2(256, password, salt, userEntry);
}

/** Returns the hash of revision 6 (ISO 32000-2, 7.6.4.3.4, algorithm 2.B). */
function hardenedHash(password: Uint8Array, salt: Uint8Array, userEntry: Uint8Array): Uint8Array {
  let key = sha2(256, password, salt, userEntry);
  for (let round = 0, lastByte = 0; round < 64 || lastByte > round - 32; round++) {
    const repeated = concat(Array<Uint8Array>(64).fill(concat([password, key, userEntry])));
    const encrypted = encryptBlocks(key.subarray(0, 16), key.subarray(16, 32), repeated);

    // A 16-byte number and the sum of its bytes have the same remainder modulo 3, because 256 modulo 3 is 1.
    const remainder = encrypted.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = sha2(remainder === 0 ? 256 : remainder === 1 ? 384 : 512, encrypted);
    lastByte = encrypted.at(-1)!;
  }
  return key.subarray(0, 32);
}

/** Cuts or zero-pads a string to `length` bytes. /O and /U of real files are sometimes too long or too short. */
function fit(bytes: Uint8Array, length: number): Uint8Array {
  const fitted = new Uint8Array(length);
  fitted.set(bytes.subarray(0, length));
  return fitted;
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

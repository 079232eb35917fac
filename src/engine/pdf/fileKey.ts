import { decryptBlocks, encryptBlocks } from "#platform/aes";
import { md5, sha2 } from "#platform/hashes";
import { concat } from "../bytes.ts";
import type { EncryptDictionary } from "./encryptDictionary.ts";
import { rc4, ZERO_VECTOR } from "./symmetric.ts";

/** What a password opens: the key of the file, and whether P binds its holder (ISO 32000-2, 7.6.4.1). */
export interface Access {
  fileKey: Uint8Array;
  authority: "owner" | "user";
}

/**
 * Tests a password and computes the file encryption key with it: ISO 32000-2, 7.6.4.4.5 and 7.6.4.4.6 (Algorithms 6 and
 * 7) up to revision 4, 7.6.4.3.3 (Algorithm 2.A) from 5 on. A password that is both the owner's and the user's, as it
 * is in files made with only one, opens the file as owner.
 */
export function authenticate(dict: EncryptDictionary, id: Uint8Array, password: string): Access | undefined {
  for (const bytes of encodings(password, dict.r)) {
    const access = dict.r >= 5 ? openAes256(dict, bytes) : openLegacy(dict, id, bytes);
    if (access) return access;
  }
  return undefined;
}

/**
 * The bytes a password may stand for. Revision 5 and later: UTF-8 of its SASLprep form, cut to 127 bytes
 * (ISO 32000-2, 7.6.4.3.3). SASLprep is approximated by NFKC, of today's Unicode rather than of 3.2; as many writers
 * leave it out, the password as it was typed is next. Up to revision 4: PDFDocEncoding (7.6.4.3.2), then UTF-8, which
 * many writers take instead.
 */
function encodings(password: string, revision: number): Uint8Array[] {
  const utf8 = (text: string) => new TextEncoder().encode(text).subarray(0, 127);
  if (/^[ -~]*$/.test(password)) return [utf8(password)];

  return revision < 5
    ? [...pdfDocEncoding(password), utf8(password)]
    : [utf8(password.normalize("NFKC")), utf8(password)];
}

/** Where PDFDocEncoding is not Latin-1 (ISO 32000-2, D.3). */
const PDF_DOC_CODES = new Map(
  [
    { first: 0x18, characters: "˘ˇˆ˙˝˛˚˜" },
    { first: 0x80, characters: "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž" },
    { first: 0xa0, characters: "€" },
  ].flatMap(({ first, characters }) => Array.from(characters, (character, i) => [character, first + i] as const)),
);

/** The password in PDFDocEncoding, or nothing if that lacks one of its characters. */
function pdfDocEncoding(password: string): Uint8Array[] {
  const codes = Array.from(password, (character) => PDF_DOC_CODES.get(character) ?? character.codePointAt(0)!);
  return codes.every((code) => code <= 0xff) ? [Uint8Array.from(codes)] : [];
}

const PADDING = Uint8Array.of(
  ...[0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08],
  ...[0x2e, 0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a],
);

/** Revisions 2 to 4 with any key length the dictionary may mean: the right one is the one the password fits. */
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
 * Length is in bits, in the dictionary and, for writers' want of agreement, in bits or bytes in a crypt filter
 * (ISO 32000-2, Tables 20 and 25); some writers leave it out or get it wrong. All say 5 to 16 bytes.
 */
function keyLengths(dict: EncryptDictionary): Set<number> {
  if (dict.r === 2) return new Set([5]);

  const declared = [dict.length, ...Object.values(dict.cf).map((filter) => filter.length)];
  const bytes = declared.map((length = 40) => (length < 40 ? length : length / 8));
  return new Set([...bytes, 16, 5].filter((n) => Number.isInteger(n) && n >= 5 && n <= 16));
}

/** The file encryption key, if this is the user password: ISO 32000-2, 7.6.4.4.5, Algorithm 6. */
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

/** ISO 32000-2, 7.6.4.3.2, Algorithm 2. */
function legacyFileKey(dict: EncryptDictionary, id: Uint8Array, password: Uint8Array, keyBytes: number): Uint8Array {
  const permissions = new Uint8Array(4);
  new DataView(permissions.buffer).setInt32(0, dict.p, true);
  const metadata = new Uint8Array(dict.r >= 4 && !dict.encryptMetadata ? 4 : 0).fill(0xff);

  const digest = md5(padded(password), fit(dict.o, 32), permissions, id, metadata);
  return strengthened(dict.r, digest, keyBytes);
}

/** The user password which the owner password opens: ISO 32000-2, 7.6.4.4.6, Algorithm 7. */
function userPassword(dict: EncryptDictionary, ownerPassword: Uint8Array, keyBytes: number): Uint8Array {
  const key = strengthened(dict.r, md5(padded(ownerPassword)), keyBytes);
  const rounds = dict.r === 2 ? [0] : REVISION_3_ROUNDS.toReversed();
  return rc4Rounds(key, fit(dict.o, 32), rounds);
}

function padded(password: Uint8Array): Uint8Array {
  return fit(concat([password, PADDING]), PADDING.length);
}

/** The 50 further rounds of MD5 that revision 3 brought, over the bytes the key will have. */
function strengthened(revision: number, digest: Uint8Array, keyBytes: number): Uint8Array {
  let key = digest.subarray(0, keyBytes);
  if (revision === 2) return key;

  for (let round = 0; round < 50; round++) key = md5(key).subarray(0, keyBytes);
  return key;
}

const REVISION_3_ROUNDS = Array.from({ length: 20 }, (_, round) => round);

/** One pass of RC4 for each round, every byte of the key combined with the round's number. */
function rc4Rounds(key: Uint8Array, data: Uint8Array, rounds: number[]): Uint8Array {
  let result = data;
  for (const round of rounds) {
    const roundKey = key.map((byte) => byte ^ round);
    result = rc4(roundKey, result);
  }
  return result;
}

/**
 * ISO 32000-2, 7.6.4.3.3, Algorithm 2.A. O and U are each a hash of 32 bytes, the salt it was made with and the salt
 * for the key that opens OE or UE; the owner's hashes also cover all of U.
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

/** Revision 5, Adobe's Supplement to ISO 32000, extension level 3: one SHA-256. */
function simpleHash(password: Uint8Array, salt: Uint8Array, userEntry: Uint8Array): Uint8Array {
  return sha2(256, password, salt, userEntry);
}

/** Revision 6: ISO 32000-2, 7.6.4.3.4, Algorithm 2.B. */
function hardenedHash(password: Uint8Array, salt: Uint8Array, userEntry: Uint8Array): Uint8Array {
  let key = sha2(256, password, salt, userEntry);
  for (let round = 0, lastByte = 0; round < 64 || lastByte > round - 32; round++) {
    const repeated = concat(Array<Uint8Array>(64).fill(concat([password, key, userEntry])));
    const encrypted = encryptBlocks(key.subarray(0, 16), key.subarray(16, 32), repeated);

    // 256 is 1 modulo 3: the remainder of a number of 16 bytes is the remainder of their sum.
    const remainder = encrypted.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = sha2(remainder === 0 ? 256 : remainder === 1 ? 384 : 512, encrypted);
    lastByte = encrypted.at(-1)!;
  }
  return key.subarray(0, 32);
}

/** Exactly so many bytes: O and U are found longer than they should be, and shorter, which zeros make up for. */
function fit(bytes: Uint8Array, length: number): Uint8Array {
  const fitted = new Uint8Array(length);
  fitted.set(bytes.subarray(0, length));
  return fitted;
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

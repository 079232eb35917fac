import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/engine/index.ts";
import type { EncryptDictionary } from "../../../../src/engine/pdf/security/encryptDictionary.ts";
import { openCipher } from "../../../../src/engine/pdf/security/encryption.ts";
import { rc4 } from "../../../../src/engine/pdf/security/symmetric.ts";
import { encryptDictionary, bytesOfHex as hex, type Vector, VECTORS as vectors } from "./encryptedFile.ts";

const named = (name: string): Vector => vectors.find((vector) => vector.name === name)!;
const hexOf = (data: Uint8Array) => Buffer.from(data).toString("hex");
const ascii = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (text: string) => new TextEncoder().encode(text);

function open(vector: Vector, password?: string, changes?: Partial<EncryptDictionary>) {
  return openCipher(encryptDictionary(vector, changes), hex(vector.id), password);
}

function expectPlain(vector: Vector, password?: string, changes?: Partial<EncryptDictionary>) {
  const cipher = open(vector, password, changes);
  const { string, stream } = vector;
  const plainString = cipher.decryptString(string.num, string.gen, hex(string.encrypted));
  const plainStream = cipher.decryptStream(stream.num, stream.gen, hex(stream.encrypted));
  expect(ascii(plainString)).toBe(string.plain);
  expect(ascii(plainStream)).toBe(stream.plain);
}

function problemOf(act: () => unknown): { code: string; detail: string } {
  try {
    act();
  } catch (error) {
    if (error instanceof EngineError) return { code: error.code, detail: error.message };
    throw error;
  }
  throw new Error("No problem was thrown");
}

const AES_256 = named("AES of 256 bits, revision 6");
const AES_128 = named("AES of 128 bits, revision 4");
const RC4_128 = named("RC4 of 128 bits, revision 3");
const RC4_40 = named("RC4 of 40 bits, revision 2");
const FILTERED_RC4 = named("RC4 in a crypt filter, revision 4");

const forbidding = vectors.filter((vector) => vector.name.startsWith("no modification, revision"));
const withPassword = vectors.filter(({ name, user }) => user !== "" && !name.startsWith("no modification"));
const withoutPassword = vectors.filter(({ name }) => name.startsWith("an empty user password"));

describe("a file that another program encrypted", () => {
  it.each(withPassword)("opens an encrypted file with its user password: $name", (vector) => {
    expectPlain(vector, vector.user);
  });

  it.each(vectors)("opens an encrypted file with its owner password: $name", (vector) => {
    expectPlain(vector, vector.owner);
  });

  it.each(withoutPassword)("opens an encrypted file without a password: $name", (vector) => {
    expectPlain(vector);
  });

  it.each(withoutPassword)(
    "opens an encrypted file with an empty user password even if the given password is wrong: $name",
    (vector) => {
      expectPlain(vector, "something else");
    },
  );

  it("opens an encrypted file with a password that matches only after Unicode normalization (SASLprep)", () => {
    expectPlain(AES_256, "ｕｓｅｒ");
  });

  it.each(withPassword)("asks for the password if an encrypted file is opened without one: $name", (vector) => {
    const missing = {
      code: "password_required",
      detail: expect.stringContaining("The PDF needs a password. Send its user or owner password as `password`."),
    };
    expect(problemOf(() => open(vector))).toEqual(missing);
    expect(problemOf(() => open(vector, ""))).toEqual(missing);
  });

  it.each(withPassword)("rejects a wrong password for an encrypted file: $name", (vector) => {
    expect(problemOf(() => open(vector, "wrong"))).toEqual({
      code: "wrong_password",
      detail: expect.stringContaining("The password does not open the PDF. Send its user or owner password"),
    });
  });
});

describe("permissions", () => {
  it.each(forbidding)("rejects a file whose permissions forbid changes if no password is sent: $name", (vector) => {
    expect(problemOf(() => open(vector))).toEqual({
      code: "modification_not_permitted",
      detail: "The PDF's permissions forbid changes. Send the owner password as `password`.",
    });
  });

  it.each(forbidding)(
    "rejects a file whose permissions forbid changes if the password is not the owner password: $name",
    (vector) => {
      expect(problemOf(() => open(vector, "wrong"))).toEqual({
        code: "modification_not_permitted",
        detail: expect.stringContaining("the password is not the owner password"),
      });
    },
  );

  it.each(["no modification with a user password, revision 3", "no modification with a user password, revision 6"])(
    "requires the owner password for a file whose permissions forbid changes: %s",
    (name) => {
      const vector = named(name);
      expect(problemOf(() => open(vector, "user")).code).toBe("modification_not_permitted");
      expect(problemOf(() => open(vector)).code).toBe("password_required");
      expectPlain(vector, "owner");
    },
  );

  it("rejects a file whose permissions allow only form filling", () => {
    const vector = named("only form filling, revision 6");
    expect(problemOf(() => open(vector)).code).toBe("modification_not_permitted");
  });

  it("ignores the permissions of a file whose owner password is empty", () => {
    expectPlain(named("no modification, both passwords empty, revision 3"));
  });

  it("ignores the permissions of a file whose user and owner passwords are equal", () => {
    expectPlain(named("no modification, both passwords the same, revision 6"), "same");
  });

  it("reads the permissions from the encrypted /Perms, not from the unprotected /P", () => {
    const vector = named("no modification, revision 6");
    expect(problemOf(() => open(vector, undefined, { p: -4 })).code).toBe("modification_not_permitted");
  });

  it.each([
    { state: "missing", perms: undefined },
    { state: "broken", perms: new Uint8Array(16) },
    { state: "cut off", perms: new Uint8Array(3) },
  ])("reads the permissions from /P if the encrypted /Perms is $state", ({ perms }) => {
    const vector = named("an empty user password, revision 6");
    expectPlain(vector, undefined, { perms });
    expect(problemOf(() => open(vector, undefined, { perms, p: -12 })).code).toBe("modification_not_permitted");
  });

  it("accepts permissions written as an unsigned number", () => {
    expectPlain(RC4_128, "user", { p: 2 ** 32 + RC4_128.dict.p });
  });
});

describe("an irregular encryption dictionary", () => {
  const aes128 = { cfm: "AESV2" };

  it.each<{ what: string; vector: Vector; changes: Partial<EncryptDictionary> }>([
    { what: "a /Length in bytes", vector: RC4_128, changes: { length: 16 } },
    { what: "a wrong /Length", vector: RC4_128, changes: { length: 40 } },
    { what: "an impossible /Length", vector: RC4_128, changes: { length: -1.5 } },
    { what: "no /Length for a key of 128 bits", vector: RC4_128, changes: { length: undefined } },
    { what: "no /Length for a key of 40 bits", vector: RC4_40, changes: { length: undefined } },
    { what: "/V 1 with a larger /Length", vector: RC4_40, changes: { length: 128 } },
    { what: "/V 2 with revision 2", vector: RC4_40, changes: { v: 2 } },
    {
      what: "/StmF and /StrF although /V is below 4",
      vector: RC4_128,
      changes: { stmF: "Identity", strF: "Identity" },
    },
    {
      what: "a crypt filter whose /Length is in bits",
      vector: AES_128,
      changes: { cf: { StdCF: { ...aes128, length: 128 } } },
    },
    {
      what: "a crypt filter whose /Length is in bytes",
      vector: AES_128,
      changes: { cf: { StdCF: { ...aes128, length: 16 } } },
    },
    {
      what: "no /Length in the dictionary and its crypt filter",
      vector: AES_128,
      changes: { length: undefined, cf: { StdCF: aes128 } },
    },
    { what: "a /Length of 256 for AES of 128 bits", vector: AES_128, changes: { length: 256 } },
    { what: "a /Length of 128 for AES of 256 bits", vector: AES_256, changes: { length: 128 } },
    { what: "padded /O and /U", vector: AES_128, changes: longer(AES_128) },
    { what: "padded /O, /U, /OE, /UE and /Perms", vector: AES_256, changes: longer(AES_256) },
    {
      what: "a /U that contains only the compared bytes",
      vector: AES_128,
      changes: { u: hex(AES_128.dict.u).slice(0, 16) },
    },
  ])("accepts an encryption dictionary with $what", ({ vector, changes }) => {
    expectPlain(vector, "user", changes);
    expectPlain(vector, "owner", changes);
  });

  function longer({ dict }: Vector): Partial<EncryptDictionary> {
    const pad = (text: string | undefined) => (text === undefined ? undefined : hex(text.padEnd(254, "0")));
    return {
      o: pad(dict.o)!,
      u: pad(dict.u)!,
      oe: pad(dict.oe),
      ue: pad(dict.ue),
      perms: pad(dict.perms),
    };
  }

  it.each<{ what: string; changes: Partial<EncryptDictionary>; says: string }>([
    {
      what: "another handler",
      changes: { filter: "Adobe.PubSec" },
      says: "the security handler Adobe.PubSec",
    },
    {
      what: "an unknown version",
      changes: { v: 6, r: 7 },
      says: "the version 6 and the revision 7",
    },
    {
      what: "an unpublished version",
      changes: { v: 3, r: 3 },
      says: "the version 3 and the revision 3",
    },
    { what: "an unknown revision", changes: { r: 7 }, says: "the version 5 and the revision 7" },
    {
      what: "a revision that does not belong to the version",
      changes: { v: 4 },
      says: "the version 4 and the revision 6",
    },
    { what: "no UE", changes: { ue: undefined }, says: "lacks OE or UE" },
    {
      what: "an unknown method",
      changes: { cf: { StdCF: { cfm: "AESV4" } } },
      says: "the crypt filter method AESV4",
    },
    {
      what: "another version's method",
      changes: { cf: { StdCF: { cfm: "AESV2" } } },
      says: "the crypt filter method AESV2",
    },
    {
      what: "a missing crypt filter",
      changes: { stmF: "Other", strF: "Other" },
      says: "lacks its crypt filter Other",
    },
    {
      what: "a crypt filter named like a property of objects",
      changes: { stmF: "constructor", strF: "constructor" },
      says: "lacks its crypt filter constructor",
    },
    {
      what: "version 5 without crypt filters",
      changes: { cf: {}, strF: "Identity", stmF: "Identity" },
      says: "lacks the crypt filters that its version has",
    },
  ])("rejects an encryption dictionary with $what", ({ changes, says }) => {
    expect(problemOf(() => open(AES_256, "user", changes))).toEqual({
      code: "unsupported_encryption",
      detail: expect.stringContaining(says),
    });
  });
});

describe("crypt filters", () => {
  const secret = bytes("as it is");
  const method = (vector: Vector) => vector.dict.cf.StdCF!;

  it.each<[string, Vector, Partial<EncryptDictionary>]>([
    ["other filters for strings", FILTERED_RC4, { strF: "Identity" }],
    ["other filters for streams", AES_256, { stmF: "Identity" }],
    ["two filters", AES_128, { cf: { StdCF: method(AES_128), Old: { cfm: "V2", length: 16 } } }],
    ["a filter without a method", AES_128, { cf: { StdCF: { cfm: "None" } } }],
    ["a filter named Identity", AES_128, { cf: { Identity: method(AES_128) }, stmF: "Identity", strF: "Identity" }],
    ["a key that is too short for AES", AES_128, { cf: { StdCF: { cfm: "AESV2", length: 5 } } }],
    ["a length of the filter that is not the key's", FILTERED_RC4, { cf: { StdCF: { cfm: "V2", length: 5 } } }],
    ["a length that is not the key's", AES_128, { length: 40, cf: { StdCF: { cfm: "AESV2" } } }],
  ])(
    "rejects an encryption dictionary with crypt filters that readers interpret differently: %s",
    (_, vector, changes) => {
      expect(problemOf(() => open(vector, "user", changes))).toEqual({
        code: "unsupported_encryption",
        detail: expect.stringContaining("that PDF readers interpret differently"),
      });
    },
  );

  it.each([RC4_128, AES_128, AES_256])(
    "a stream's own crypt filter takes precedence over the default crypt filter: $name",
    (vector) => {
      expect(open(vector, "user").decryptStream(5, 0, secret, "Identity")).toEqual(secret);
    },
  );

  it("rejects a stream whose crypt filter is not in the encryption dictionary", () => {
    const cipher = open(AES_256, "user");
    expect(problemOf(() => cipher.decryptStream(4, 0, secret, "Missing"))).toEqual({
      code: "unsupported_encryption",
      detail: expect.stringContaining("lacks its crypt filter Missing"),
    });
  });

  it("opens a file that encrypts only attachments without a password, but needs the password to read an attachment", () => {
    const cipher = open(AES_256, undefined, { stmF: "Identity", strF: "Identity" });

    expect(cipher.encryptStream(4, 0, secret)).toEqual(secret);
    expect(problemOf(() => cipher.decryptStream(4, 0, secret, "StdCF")).code).toBe("password_required");
  });
});

describe("encryption", () => {
  const ciphers = [RC4_40, RC4_128, FILTERED_RC4, AES_128, AES_256];
  const lengths = [0, 1, 15, 16, 17, 5_000];

  it.each(ciphers)("decrypting encrypted data returns the original data: $name", (vector) => {
    const cipher = open(vector, "user");
    for (const length of lengths) {
      const plain = Uint8Array.from({ length }, (_, i) => i * 7);
      const string = cipher.encryptString(70_000, 3, plain);
      const stream = cipher.encryptStream(70_000, 3, plain);

      expect(cipher.decryptString(70_000, 3, string)).toEqual(plain);
      expect(cipher.decryptStream(70_000, 3, stream)).toEqual(plain);
    }
  });

  it.each([RC4_128, FILTERED_RC4])(
    "encrypts data to the same bytes as the program that wrote the test file: $name",
    (vector) => {
      const { num, gen, plain, encrypted } = vector.stream;
      expect(open(vector, "user").encryptStream(num, gen, bytes(plain))).toEqual(hex(encrypted));
    },
  );

  it.each([RC4_40, RC4_128, AES_128])("encrypts each object with a different key: $name", (vector) => {
    const cipher = open(vector, "user");
    const written = cipher.encryptStream(4, 0, bytes("the same words"));

    expect(cipher.decryptStream(5, 0, written)).not.toEqual(bytes("the same words"));
    expect(cipher.decryptStream(4, 1, written)).not.toEqual(bytes("the same words"));
  });

  it.each([AES_128, AES_256])("the AES initialization vector depends on every byte of the data: $name", (vector) => {
    const cipher = open(vector, "user");
    const vectorOf = (data: Uint8Array) => hexOf(cipher.encryptStream(4, 0, data).subarray(0, 16));

    const zeros = new Uint8Array(20);
    expect(cipher.encryptStream(4, 0, zeros)).toHaveLength(48);
    expect(vectorOf(zeros)).toBe(vectorOf(zeros.slice()));
    const others = zeros.keys().map((at) => vectorOf(zeros.with(at, 1)));
    expect(new Set([vectorOf(zeros), ...others]).size).toBe(21);
  });
});

describe("damaged AES data", () => {
  const cipher = open(AES_256, "user");
  const { num, gen, encrypted, plain } = AES_256.stream;
  const data = hex(encrypted);

  it("decrypts AES data shorter than two blocks to empty data", () => {
    for (const length of [0, 1, 15, 16, 31]) {
      expect(cipher.decryptStream(num, gen, data.subarray(0, length))).toEqual(new Uint8Array(0));
    }
  });

  it("treats AES data as intact only with an initialization vector, whole blocks and valid padding", () => {
    const damaged = [data.subarray(0, -1), data.subarray(0, 16), new Uint8Array(), data.with(-1, data.at(-1)! ^ 1)];
    expect(cipher.isIntact(num, gen, data)).toBe(true);
    for (const one of damaged) expect(cipher.isIntact(num, gen, one), hexOf(one)).toBe(false);
  });

  it("ignores a line break after encrypted AES data", () => {
    const followed = new Uint8Array([...data, 13, 10]);
    expect(ascii(cipher.decryptStream(num, gen, followed))).toBe(plain);
  });

  it("decrypts all remaining blocks if the last block of AES data is missing", () => {
    const read = cipher.decryptStream(num, gen, data.subarray(0, -16));
    expect(read).toEqual(bytes(plain).subarray(0, data.length - 32));
  });

  it.each([
    { what: "padding bytes with different values", end: "\x02" },
    { what: "a padding length above the block size", end: " ".repeat(32) },
    { what: "a padding length of zero", end: "\0".repeat(48) },
  ])("keeps the last decrypted bytes of AES data if they are not valid padding: $what", ({ end }) => {
    const unpadded = bytes(end.padStart(48, "."));
    const blocks = cipher.encryptStream(num, gen, unpadded).subarray(0, -16);
    expect(cipher.decryptStream(num, gen, blocks)).toEqual(unpadded);
  });
});

describe("RC4", () => {
  /** Expected values from RFC 6229, section 2: the first 16 bytes of each key stream. */
  it.each([
    ["0102030405", "b2396305f03dc027ccc3524a0a1118a8"],
    ["01020304050607", "293f02d47f37c9b633f2af5285feb46b"],
    ["0102030405060708090a0b0c0d0e0f10", "9ac7cc9a609d1ef7b2932899cde41b97"],
  ])("generates the RC4 key stream of RFC 6229 for the key %s", (key, keyStream) => {
    expect(rc4(hex(key), new Uint8Array(16))).toEqual(hex(keyStream));
  });
});

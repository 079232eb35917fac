import {
  AccountRole,
  type Address,
  getAddressDecoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
} from "@solana/kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeTransaction, isSolanaAddress } from "../../../src/payments/wire/solanaTransaction.ts";
import { MEMO, transactionOf, transferOf } from "./solana.ts";

const bytes = (text: string) => Uint8Array.fromBase64(text);

/** Generates one of only a few accounts, so that several instructions refer to the same account. */
const account = fc
  .integer({ min: 10, max: 20 })
  .map((byte) => getAddressDecoder().decode(new Uint8Array(32).fill(byte)));
const role = fc.constantFrom(AccountRole.READONLY, AccountRole.WRITABLE, AccountRole.READONLY_SIGNER);
const instruction: fc.Arbitrary<Instruction> = fc.record({
  programAddress: fc
    .integer({ min: 30, max: 35 })
    .map((byte) => getAddressDecoder().decode(new Uint8Array(32).fill(byte))),
  accounts: fc.array(fc.record({ address: account, role }), { maxLength: 5 }),
  data: fc.uint8Array({ maxLength: 150 }),
});

describe("decodeTransaction", () => {
  test("the decoder reads the same fields from legacy and version 0 Solana transactions as @solana/kit", () => {
    const instructions = fc.array(instruction, { minLength: 1, maxLength: 4 });
    const version = fc.constantFrom(0 as const, "legacy" as const);
    fc.assert(
      fc.property(instructions, version, (instructions, version) => {
        const text = transactionOf({ instructions, version });
        if (bytes(text).length > 1232) return;
        const decoded = decodeTransaction(text);
        const { messageBytes, signatures } = getTransactionDecoder().decode(bytes(text));
        const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
        if (message.version === 1) throw new Error("not asked for");
        expect(decoded.accounts).toEqual(message.staticAccounts);
        expect(decoded.blockhash).toBe(message.lifetimeToken);
        expect(decoded.signatures.map((signature) => [...signature])).toEqual(
          Object.values(signatures).map((signature) => [...(signature ?? new Uint8Array(64))]),
        );
        expect(decoded.instructions).toEqual(
          message.instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
            program: message.staticAccounts[programAddressIndex],
            accounts: accountIndices,
            data: new Uint8Array(data),
          })),
        );
      }),
    );
  });

  test("a Solana transaction is identified by its message, not by its signatures", async () => {
    const [one, other] = [3, 4].map((byte) => transactionOf({ signature: new Uint8Array(64).fill(byte) }));
    const { messageBytes } = getTransactionDecoder().decode(bytes(one!));
    const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(messageBytes));
    expect(decodeTransaction(one!).messageHash).toBe(new Uint8Array(digest).toHex());
    expect(decodeTransaction(other!).messageHash).toBe(decodeTransaction(one!).messageHash);
    const legacy = transactionOf({ version: "legacy" });
    expect(decodeTransaction(legacy).messageHash).not.toBe(decodeTransaction(one!).messageHash);
  });
});

describe("decodeTransaction on malformed input", () => {
  const good = bytes(transactionOf());
  const text = (changed: Iterable<number>) => new Uint8Array(changed).toBase64();
  const changed = (change: (bytes: number[]) => void) => {
    const list = [...good];
    change(list);
    return text(list);
  };
  const V0 = 1 + 2 * 64;

  test.each<[string, string, RegExp]>([
    ["text that is not base64", "%%%", /base64/],
    ["an empty text", "", /ends early/],
    ["only zeros", text(new Uint8Array(200)), /early|signer|longer/],
    ["more bytes than a packet", text(new Uint8Array(1300)), /1232/],
    ["megabytes of text", "A".repeat(5_000_000), /1232/],
    ["a trailing byte", text([...good, 0]), /longer than its message/],
    ["a transaction of version 1", changed((list) => list.splice(V0, 1, 0x81)), /version/],
    ["address lookup tables", changed((list) => list.splice(-1, 1, 1, ...new Array(34).fill(0))), /lookup/],
    ["a length that is not in its shortest form", changed((list) => list.splice(0, 1, 0x82, 0x00)), /shortest/],
    ["a length of four bytes", changed((list) => list.splice(0, 1, 0x82, 0x80, 0x80, 0x00)), /shortest/],
    ["a length over 65535", changed((list) => list.splice(0, 1, 0xff, 0xff, 0x7f)), /shortest/],
    ["more signatures than signers", changed((list) => list.splice(0, 1, 3, ...new Array(64).fill(0))), /each signer/],
    ["more signers than accounts", changed((list) => list.splice(V0 + 1, 1, 200)), /each signer/],
    ["a program without an account", changed((list) => list.splice(-(MEMO.data!.length + 4), 1, 99)), /account/],
  ])("the decoder rejects a Solana transaction with %s", (_, transaction, reason) => {
    expect(() => decodeTransaction(transaction)).toThrow(reason);
    expect(() => decodeTransaction(transaction)).toThrow(RangeError);
  });

  test("the decoder rejects a Solana transaction that is truncated at any byte", () => {
    for (let length = 0; length < good.length; length++)
      expect(() => decodeTransaction(text(good.subarray(0, length)))).toThrow(RangeError);
  });

  test("the decoder of Solana transactions accepts arbitrary bytes or throws a RangeError", () => {
    const damaged = fc
      .tuple(fc.nat(good.length - 1), fc.uint8Array({ minLength: 1, maxLength: 4 }))
      .map(([at, put]) => {
        const copy = new Uint8Array(good);
        copy.set(put.subarray(0, good.length - at), at);
        return text(copy);
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 400 }).map(text), fc.string()), (transaction) => {
        try {
          const { signatures, accounts } = decodeTransaction(transaction);
          expect(signatures.length).toBeLessThanOrEqual(accounts.length);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

test.each<[string, boolean]>([
  [transferOf().programAddress, true],
  ["11111111111111111111111111111111" as Address, true],
  ["1111111111111111111111111111111", false],
  ["0x00000000000000000000000000000000000000aa", false],
  ["TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5D0", false],
  ["TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DAA", false],
  ["", false],
  [" 11111111111111111111111111111111", false],
])("isSolanaAddress decides whether %j is a Solana address: %s", (given, expected) => {
  expect(isSolanaAddress(given)).toBe(expected);
});

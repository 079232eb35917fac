/** Reads Solana transactions as they go over the wire: legacy and version 0, without address lookup tables. */

import { createHash } from "node:crypto";
import base58 from "bs58";

/** A transaction, as far as payments look into it. */
export interface SolanaTransaction {
  /** One for each signer, 64 bytes; zeros where it has not signed. */
  signatures: Uint8Array[];
  /**
   * SHA-256 of the message, which is what the signers sign: the transaction's identity. The chain takes a message once,
   * whatever its signatures are.
   */
  messageHash: string;
  /** Base58. The signers come first, and the first of them pays the fee. */
  accounts: string[];
  /** Base58. The chain takes the transaction while this is one of the last 150 blocks' hashes. */
  blockhash: string;
  instructions: { program: string; accounts: number[]; data: Uint8Array }[];
}

/** What the network carries at most. */
const MAX_BYTES = 1232;
const ADDRESS_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Set in the first byte of a message with a version; a legacy one begins with the number of its signers. */
const VERSIONED = 0x80;

/**
 * Decodes a transaction. Only what the chain itself would take is read: to the last byte, and each number in its shortest
 * form, so that no two encodings are one payment.
 * @param text base64
 * @throws RangeError saying what is wrong
 */
export function decodeTransaction(text: string): SolanaTransaction {
  if (text.length > Math.ceil(MAX_BYTES / 3) * 4) throw new RangeError(`is longer than ${MAX_BYTES} bytes`);
  const reader = new Reader(bytesOf(text));
  const signatures = reader.list(() => reader.take(SIGNATURE_BYTES));
  const message = reader.rest;

  const first = reader.byte();
  if (first > VERSIONED) throw new RangeError("has a version other than legacy and 0");
  const signers = first === VERSIONED ? reader.byte() : first;
  reader.take(2); // how many of the accounts are read-only
  const accounts = reader.list(() => base58.encode(reader.take(ADDRESS_BYTES)));
  const blockhash = base58.encode(reader.take(ADDRESS_BYTES));
  const instructions = reader.list(() => {
    const program = accounts[reader.byte()];
    const used = reader.list(() => reader.byte());
    const data = reader.take(reader.length());
    if (program === undefined || used.some((index) => index >= accounts.length))
      throw new RangeError("names an account that it does not have");
    return { program, accounts: used, data };
  });
  if (first === VERSIONED && reader.length() > 0) throw new RangeError("has address lookup tables");

  if (reader.rest.length > 0) throw new RangeError("is longer than its message");
  if (signers === 0 || signers > accounts.length || signers !== signatures.length)
    throw new RangeError("has not a signature for each signer");
  return {
    signatures,
    messageHash: createHash("sha256").update(message).digest("hex"),
    accounts,
    blockhash,
    instructions,
  };
}

/** Returns whether a text is an address on Solana. */
export function isSolanaAddress(text: string): boolean {
  return text.length <= 44 && base58.decodeUnsafe(text)?.length === ADDRESS_BYTES;
}

function bytesOf(text: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    throw new RangeError("is not base64");
  }
}

class Reader {
  /** What has not been read. */
  rest: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.rest = bytes;
  }

  take(length: number): Uint8Array {
    if (length > this.rest.length) throw new RangeError("ends early");
    const taken = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length);
    return taken;
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  /** A compact-u16: seven bits a byte, the lowest first. */
  length(): number {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if ((byte === 0 && shift > 0) || value > 0xffff) break;
        return value;
      }
    }
    throw new RangeError("has a length that is not in its shortest form");
  }

  list<T>(item: () => T): T[] {
    return Array.from({ length: this.length() }, item);
  }
}

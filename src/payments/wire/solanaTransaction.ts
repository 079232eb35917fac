/** Decodes Solana transactions from their wire format: legacy and version 0, without address lookup tables. */

import { createHash } from "node:crypto";
import base58 from "bs58";

/** The parts of a transaction that payments need. */
export interface SolanaTransaction {
  /** One signature of 64 bytes per signer. A missing signature is all zeros. */
  signatures: Uint8Array[];
  /**
   * SHA-256 of the message that the signers sign. The hash identifies the transaction, because the chain accepts a
   * message only once, even with other valid signatures.
   */
  messageHash: string;
  /** Accounts in base58. The signers come first. The first signer pays the fee. */
  accounts: string[];
  /**
   * A recent blockhash in base58. The chain accepts the transaction only while this is the hash of one of the last 150
   * blocks.
   */
  blockhash: string;
  instructions: { program: string; accounts: number[]; data: Uint8Array }[];
}

/** Maximum size of a transaction on the network, in bytes. */
const MAX_BYTES = 1232;
const ADDRESS_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Flag in the first byte of a versioned message. A legacy message starts with its number of signers. */
const VERSIONED = 0x80;

/**
 * Decodes a transaction as strictly as the chain does: without trailing bytes, and with each number in its shortest
 * form. Therefore each payment has only one encoding.
 * @param text base64
 * @throws RangeError with the fault as a predicate, such as "ends early"
 */
export function decodeTransaction(text: string): SolanaTransaction {
  if (text.length > Math.ceil(MAX_BYTES / 3) * 4) throw new RangeError(`is longer than ${MAX_BYTES} bytes`);
  const reader = new Reader(bytesOf(text));
  const signatures = reader.list(() => reader.take(SIGNATURE_BYTES));
  const message = reader.rest;

  const first = reader.byte();
  if (first > VERSIONED) throw new RangeError("has a version other than legacy and 0");
  const signers = first === VERSIONED ? reader.byte() : first;
  reader.take(2); // skips two bytes: the numbers of read-only accounts
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
    throw new RangeError("must have one signature for each signer");
  return {
    signatures,
    messageHash: createHash("sha256").update(message).digest("hex"),
    accounts,
    blockhash,
    instructions,
  };
}

/** Returns whether a text is a Solana address. */
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
  /** The bytes that have not been read yet. */
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

  /** Reads a length in the format compact-u16: seven bits per byte, lowest bits first. */
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

import { decodeTransaction } from "./solanaTransaction.ts";

/** What a payment's transaction does, for the scheme "exact" on Solana. Addresses are base58. */
export interface SolanaTransfer {
  /** Who signs for the tokens. */
  payer: string;
  /** Of the payer, 64 bytes in hexadecimal. */
  signature: string;
  /** The payer's token account. */
  source: string;
  mint: string;
  /** Atomic units. */
  amount: string;
  /** Who pays the fee: the facilitator, which adds its signature. */
  feePayer: string;
  /** See {@link decodeTransaction}. */
  messageHash: string;
  blockhash: string;
}

const SYSTEM_PROGRAM = "11111111111111111111111111111111";
const TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
/** The instruction's first byte, before the amount (8 bytes, little-endian) and the decimals (1 byte). */
const TRANSFER_CHECKED = 12;

/**
 * Reads the one transfer of a payment's transaction. Whether the signatures are good, the destination belongs to the
 * recipient and the other instructions are harmless is for the facilitator to say, which simulates the transaction.
 * @param transaction base64
 * @throws RangeError saying what is wrong
 */
export function readTransfer(transaction: string): SolanaTransfer {
  const { signatures, messageHash, accounts, blockhash, instructions } = decodeTransaction(transaction);
  // a durable nonce, advanced by the System program, would let the transaction wait for ever
  if (instructions.some(({ program }) => program === SYSTEM_PROGRAM))
    throw new RangeError("calls the System program: use a recent blockhash, and no durable nonce");

  const [transfer, second] = instructions.filter(({ program }) => program === TOKEN_PROGRAM);
  if (!transfer || second || transfer.data[0] !== TRANSFER_CHECKED || transfer.data.length !== 10)
    throw new RangeError("must call the Token program once, with TransferChecked");
  const [source, mint, , authority, ...multisig] = transfer.accounts;
  const signature = authority === undefined ? undefined : signatures[authority];
  if (authority === undefined || source === undefined || mint === undefined || !signature || multisig.length > 0)
    throw new RangeError("must be signed by the owner of the tokens");
  if (authority === 0) throw new RangeError("must not take tokens of who pays the fee");

  const { buffer, byteOffset } = transfer.data;
  const addressAt = (index: number) => accounts[index] ?? "";
  return {
    payer: addressAt(authority),
    signature: signature.toHex(),
    source: addressAt(source),
    mint: addressAt(mint),
    amount: String(new DataView(buffer, byteOffset).getBigUint64(1, true)),
    feePayer: addressAt(0),
    messageHash,
    blockhash,
  };
}

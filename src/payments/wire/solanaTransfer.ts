import { decodeTransaction } from "./solanaTransaction.ts";

/** The transfer in the transaction of a payment with the scheme "exact" on Solana. Addresses are base58. */
export interface SolanaTransfer {
  /** The owner of the tokens, who signs the transfer. */
  payer: string;
  /** The payer's signature, 64 bytes in hexadecimal. */
  signature: string;
  /** The payer's token account. */
  source: string;
  mint: string;
  /** Amount in atomic units of the token. */
  amount: string;
  /** The account that pays the fee. The account belongs to the facilitator, which adds the missing signature. */
  feePayer: string;
  /** Hash of the transaction's message, see `SolanaTransaction.messageHash`. */
  messageHash: string;
  blockhash: string;
}

const SYSTEM_PROGRAM = "11111111111111111111111111111111";
const TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
/**
 * First byte of the instruction TransferChecked. The amount (8 bytes, little-endian) and the decimals (1 byte) follow.
 */
const TRANSFER_CHECKED = 12;

/**
 * Returns the only transfer in a payment's transaction. The signatures, the destination and the other instructions are
 * not checked here, because the facilitator simulates the transaction.
 * @param transaction base64
 * @throws RangeError with the fault as a predicate, such as "must be signed by the owner of the tokens"
 */
export function readTransfer(transaction: string): SolanaTransfer {
  const { signatures, messageHash, accounts, blockhash, instructions } = decodeTransaction(transaction);
  // A durable nonce, advanced by the System program, would keep the transaction valid forever.
  if (instructions.some(({ program }) => program === SYSTEM_PROGRAM))
    throw new RangeError("calls the System program: use a recent blockhash instead of a durable nonce");

  const [transfer, second] = instructions.filter(({ program }) => program === TOKEN_PROGRAM);
  if (!transfer || second || transfer.data[0] !== TRANSFER_CHECKED || transfer.data.length !== 10)
    throw new RangeError("must call the Token program once, with TransferChecked");
  const [source, mint, , authority, ...multisig] = transfer.accounts;
  const signature = authority === undefined ? undefined : signatures[authority];
  if (authority === undefined || source === undefined || mint === undefined || !signature || multisig.length > 0)
    throw new RangeError("must be signed by the owner of the tokens");
  if (authority === 0) throw new RangeError("must not transfer tokens of the fee payer");

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

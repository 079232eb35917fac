import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  type Instruction,
  pipe,
  type SignatureBytes,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from "@solana/kit";
import { NETWORKS } from "../../../src/payments/wire/networks.ts";
import { offerOf } from "../../../src/payments/wire/offer.ts";
import { parsePrice } from "../../../src/payments/wire/price.ts";

export const SOLANA = NETWORKS["solana-devnet"];

/** Returns an address of 32 equal bytes, whose private key is unknown. */
const at = (byte: number) => getBase58Decoder().decode(new Uint8Array(32).fill(byte)) as Address;
export const [FEE_PAYER, OTHER_FEE_PAYER, PAYER, SOURCE, SELLER] = [1, 2, 3, 4, 5].map(at) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
const DESTINATION = at(6);
export const BLOCKHASH = at(7) as string;
const TOKEN_PROGRAM = address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
const [READONLY, WRITABLE, SIGNER] = [AccountRole.READONLY, AccountRole.WRITABLE, AccountRole.READONLY_SIGNER];

/** A Solana offer for tests, with a facilitator that has two accounts. */
export const SOLANA_OFFER = offerOf(
  { url: "https://overprint.example.com/v1/watermark/text", description: "", outputSchema: {}, bazaar: {} },
  {
    price: parsePrice("0.05")!,
    payTo: "0x00000000000000000000000000000000000000aa",
    payToSolana: SELLER,
    networks: [{ ...SOLANA, feePayers: { 1: [FEE_PAYER, OTHER_FEE_PAYER], 2: [FEE_PAYER, OTHER_FEE_PAYER] } }],
    maxTimeoutSeconds: 300,
  },
);

/** Creates the instruction TransferChecked, with which a Solana transaction pays. */
export function transferOf({
  mint = SOLANA.asset,
  amount = 50_000n,
  authority = PAYER,
  program = TOKEN_PROGRAM as Address,
  data = transferData(amount),
  more = [] as Address[],
} = {}): Instruction {
  return {
    programAddress: program,
    accounts: [
      { address: SOURCE, role: WRITABLE },
      { address: address(mint), role: READONLY },
      { address: DESTINATION, role: WRITABLE },
      { address: authority, role: SIGNER },
      ...more.map((address) => ({ address, role: SIGNER })),
    ],
    data,
  };
}

function transferData(amount: bigint): Uint8Array {
  const data = new Uint8Array(10);
  data[0] = 12;
  new DataView(data.buffer).setBigUint64(1, amount, true);
  data[9] = 6;
  return data;
}

/** An instruction that moves no money. */
export const MEMO: Instruction = {
  programAddress: address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"),
  data: new TextEncoder().encode("0123456789abcdef"),
};

/**
 * Returns a transaction in base64, encoded by `@solana/kit`. The fee payer's signature is missing, and those of the
 * other signers are fake.
 */
export function transactionOf({
  instructions = [transferOf(), MEMO] as Instruction[],
  version = 0 as 0 | "legacy",
  feePayer = FEE_PAYER,
  blockhash = BLOCKHASH,
  signature = new Uint8Array(64).fill(9),
} = {}): string {
  const message = pipe(
    createTransactionMessage({ version }),
    (m) => setTransactionMessageFeePayer(feePayer, m),
    (m) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n }, m),
    (m) => appendTransactionMessageInstructions(instructions, m),
  );
  const transaction = compileTransaction(message);
  const signed = Object.keys(transaction.signatures).map((signer, index) => [signer, index === 0 ? null : signature]);
  const signatures = Object.fromEntries(signed) as Record<Address, SignatureBytes | null>;
  return getBase64EncodedWireTransaction({ ...transaction, signatures });
}

/** Creates a Solana payment with this transaction in the format of x402 version `version`. */
export function solanaPayment(transaction: string, version: 1 | 2 = 2, feePayer = FEE_PAYER): object {
  return version === 1
    ? { x402Version: 1, scheme: "exact", network: SOLANA.name, payload: { transaction } }
    : { x402Version: 2, accepted: { ...SOLANA_OFFER.v2[0], extra: { feePayer } }, payload: { transaction } };
}

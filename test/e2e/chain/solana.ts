import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Address,
  address,
  generateKeyPairSigner,
  getAddressEncoder,
  getBase58Decoder,
  getProgramDerivedAddress,
  getTransactionDecoder,
  lamports,
  type Transaction,
} from "@solana/kit";
import { x402Facilitator } from "@x402/core/facilitator";
import { decodeTransactionFromPayload, getTokenPayerFromTransaction, toFacilitatorSvmSigner } from "@x402/svm";
import { ExactSvmScheme } from "@x402/svm/exact/facilitator";
import { ExactSvmSchemeV1 } from "@x402/svm/exact/v1/facilitator";
import { FailedTransactionMetadata, LiteSVM } from "litesvm";
import { NETWORKS } from "../../../src/payments/wire/networks.ts";
import { serveFacilitator } from "./facilitator.ts";

const { caip2, asset, decimals } = NETWORKS["solana-devnet"];
const MINT = address(asset);
const TOKEN_PROGRAM = address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
const ASSOCIATED_TOKEN_PROGRAM = address("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");

/** Transaction that the chain has executed. */
interface Executed {
  signature: string;
  /** Encoded transaction in base64. */
  wire: string;
  transaction: Transaction;
  err: object | null;
  blockTime: number;
}

/**
 * Starts Solana's virtual machine in this process, with the real SPL programs. A JSON-RPC server offers the methods
 * that clients, facilitators and services use. The chain identifies as devnet and has a mint at devnet's USDC address.
 * The chain executes and confirms each transaction immediately. A blockhash is valid until `expireBlockhash` is called.
 */
export async function startSolana() {
  const svm = new LiteSVM();
  setAccount(MINT, mintData());
  const executed: Executed[] = [];

  function setAccount(at: Address, data: Uint8Array): void {
    svm.setAccount({
      address: at,
      data,
      executable: false,
      lamports: lamports(svm.minimumBalanceForRentExemption(BigInt(data.length))),
      programAddress: TOKEN_PROGRAM,
      space: BigInt(data.length),
    });
  }

  /**
   * Executes a transaction. Silently drops a transaction that fails before its execution, like a node without preflight
   * checks.
   */
  function send(wire: string): string {
    const transaction = getTransactionDecoder().decode(Buffer.from(wire, "base64")) as Transaction;
    const [signed] = Object.values(transaction.signatures);
    if (!signed) throw new Error("the fee payer has not signed");
    const signature = getBase58Decoder().decode(signed);
    const outcome = svm.sendTransaction(transaction);
    const failed = outcome instanceof FailedTransactionMetadata;
    const error = failed ? outcome.err() : null;
    const blockTime = Math.floor(Date.now() / 1000);
    // If the transaction failed before its execution, `err()` returns a plain number.
    if (typeof error !== "number") executed.unshift({ signature, wire, transaction, err: error && {}, blockTime });
    return signature;
  }

  const interposed = new Map<Address, () => Promise<void>>();
  const context = { slot: 1 };
  const methods: Record<string, (...params: never[]) => unknown> = {
    getLatestBlockhash: () => ({
      context,
      value: { blockhash: svm.latestBlockhash(), lastValidBlockHeight: 150 },
    }),
    isBlockhashValid: (blockhash: string) => ({ context, value: blockhash === svm.latestBlockhash() }),
    getAccountInfo(at: Address) {
      const account = svm.getAccount(at);
      if (!account.exists) return { context, value: null };
      const { data, executable, lamports: has, programAddress: owner, space } = account;
      const base64 = [Buffer.from(data).toString("base64"), "base64"];
      return {
        context,
        value: { data: base64, executable, lamports: Number(has), owner, rentEpoch: 0, space: Number(space) },
      };
    },
    simulateTransaction(wire: string) {
      const transaction = getTransactionDecoder().decode(Buffer.from(wire, "base64")) as Transaction;
      const outcome = svm.withSigverify(false).simulateTransaction(transaction);
      svm.withSigverify(true);
      const err = outcome instanceof FailedTransactionMetadata ? outcome.toString() : null;
      return { context, value: { err, logs: [], accounts: null, unitsConsumed: 0, returnData: null } };
    },
    async sendTransaction(wire: string) {
      for (const [account, happens] of interposed)
        if (Buffer.from(wire, "base64").includes(bytesOf(account)) && interposed.delete(account)) await happens();
      return send(wire);
    },
    getSignatureStatuses: (signatures: string[]) => ({
      context,
      value: signatures.map((wanted) => {
        const found = executed.find(({ signature }) => signature === wanted);
        return found ? { slot: 1, confirmations: 1, err: found.err, confirmationStatus: "confirmed" } : null;
      }),
    }),
    getSignaturesForAddress: (account: Address) =>
      executed
        .filter(({ transaction }) => Buffer.from(transaction.messageBytes).includes(bytesOf(account)))
        .map(({ signature, err, blockTime }) => ({ signature, err, blockTime, slot: 1, memo: null })),
    getBlockTime: () => Math.floor(Date.now() / 1000),
    getTransaction(wanted: string) {
      const found = executed.find(({ signature }) => signature === wanted);
      return found ? { slot: 1, transaction: [found.wire, "base64"], meta: { err: found.err } } : null;
    },
  };

  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
      id: number;
      method: string;
      params?: never[];
    };
    const answer = { jsonrpc: "2.0", id };
    response.setHeader("Content-Type", "application/json");
    try {
      const result = await methods[method]!(...(params ?? []));
      response.end(JSON.stringify({ ...answer, result }));
    } catch (error) {
      response.end(JSON.stringify({ ...answer, error: { code: -32000, message: String(error) } }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  async function setBalance(owner: Address, amount: bigint): Promise<void> {
    setAccount(await tokenAccountOf(owner), tokenAccountData(owner, amount));
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Creates a wallet that owns `amount` units of the token, and no SOL for fees. */
    async walletWith(amount: bigint) {
      const wallet = await generateKeyPairSigner();
      await setBalance(wallet.address, amount);
      return wallet;
    },
    /** Sets the token balance of a wallet, and creates its token account if necessary. */
    setBalance,
    /** Returns the token balance of a wallet in atomic units. */
    async balanceOf(owner: string): Promise<bigint> {
      const account = svm.getAccount(await tokenAccountOf(address(owner)));
      return account.exists ? Buffer.from(account.data).readBigUInt64LE(64) : 0n;
    },
    /** Creates an account that has SOL to pay fees. */
    async newFeePayer() {
      const account = await generateKeyPairSigner();
      svm.airdrop(account.address, lamports(1_000_000_000n));
      return account;
    },
    lamportsOf: (owner: string) => svm.getBalance(address(owner)) ?? 0n,
    /** Returns whether the chain has executed this transaction without an error. */
    hasSucceeded: (wanted: string) => executed.some(({ signature, err }) => signature === wanted && err === null),
    /** Runs a callback when the account's next transaction arrives, after its simulation and before its execution. */
    interpose(account: Address, happens: () => Promise<void>): void {
      interposed.set(account, happens);
    },
    expireBlockhash: () => svm.expireBlockhash(),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Solana = Awaited<ReturnType<typeof startSolana>>;

/** Starts a server with the official facilitator code. A new account on this chain pays the fees. */
export async function startSolanaFacilitator(chain: Solana) {
  const account = await chain.newFeePayer();
  const signer = toFacilitatorSvmSigner(account, { defaultRpcUrl: chain.url });
  const facilitator = new x402Facilitator()
    .register(caip2, new ExactSvmScheme(signer))
    .registerV1("solana-devnet" as never, new ExactSvmSchemeV1(signer));
  const payerOf = ({ payload }: { payload: object }) =>
    getTokenPayerFromTransaction(decodeTransactionFromPayload(payload as { transaction: string }));
  return { account, ...(await serveFacilitator(facilitator, payerOf)) };
}

/** Returns the address of a wallet's associated token account. */
async function tokenAccountOf(owner: Address): Promise<Address> {
  const seeds = [owner, TOKEN_PROGRAM, MINT].map(bytesOf);
  const [account] = await getProgramDerivedAddress({ programAddress: ASSOCIATED_TOKEN_PROGRAM, seeds });
  return account;
}

/** Returns the account data of a mint without a mint authority, in the format of the Token program. */
function mintData(): Uint8Array {
  const data = new Uint8Array(82);
  data[44] = decimals;
  data[45] = 1; // This byte marks the mint as initialized.
  return data;
}

/** Returns the account data of a token account, in the format of the Token program. */
function tokenAccountData(owner: Address, amount: bigint): Uint8Array {
  const data = new Uint8Array(165);
  data.set(bytesOf(MINT), 0);
  data.set(bytesOf(owner), 32);
  new DataView(data.buffer).setBigUint64(64, amount, true);
  data[108] = 1; // This byte marks the account as initialized.
  return data;
}

function bytesOf(account: Address): Buffer {
  return Buffer.from(getAddressEncoder().encode(account) as Uint8Array);
}

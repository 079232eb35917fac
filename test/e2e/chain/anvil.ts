import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import {
  createTestClient,
  defineChain,
  type Hex,
  http,
  type LocalAccount,
  parseEther,
  parseSignature,
  publicActions,
  walletActions,
} from "viem";
import { generatePrivateKey, nonceManager, privateKeyToAccount } from "viem/accounts";
import { NETWORKS } from "../../../src/payments/wire/networks.ts";
import { compiled } from "./contracts.ts";

const { chainId, asset, domain } = NETWORKS["base-sepolia"];

/**
 * Starts a local chain with the chain ID of base-sepolia and a test token at the address of USDC. Without
 * `blockSeconds`, the chain mines a block for each transaction immediately.
 */
export async function startChain({ blockSeconds }: { blockSeconds?: number } = {}) {
  const pace = blockSeconds === undefined ? [] : ["--block-time", String(blockSeconds)];
  const anvil = spawn(anvilBinary(), ["--chain-id", String(chainId), "--port", "0", "--host", "127.0.0.1", ...pace], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => anvil.once("exit", () => resolve()));
  const stop = async () => {
    anvil.kill("SIGTERM");
    await ended;
  };

  const address = await new Promise<string>((resolve, reject) => {
    let printed = "";
    anvil.stdout.on("data", (chunk: Buffer) => {
      printed += chunk;
      const listening = /Listening on (127\.0\.0\.1:\d+)/.exec(printed);
      if (listening) resolve(listening[1]!);
    });
    anvil.once("exit", () => reject(new Error(`anvil did not start:\n${printed}`)));
  });

  const { abi, bytecode } = (await compiled("Token")).Token!;
  const url = `http://${address}`;
  const chain = defineChain({
    id: chainId,
    name: "local base-sepolia",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const client = createTestClient({ mode: "anvil", chain, transport: http(url), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions);
  await client.setCode({ address: asset, bytecode });
  const minter = await newSigner();
  /** Calls a function of the token contract and waits for the transaction's receipt. */
  async function call(functionName: string, args: unknown[]): Promise<void> {
    const hash = await client.writeContract({ account: minter, address: asset, abi, functionName, args });
    await client.waitForTransactionReceipt({ hash });
  }

  /** Creates an account with Ether. The account's nonce manager allows several transactions at once. */
  async function newSigner() {
    const account = privateKeyToAccount(generatePrivateKey(), { nonceManager });
    await client.setBalance({ address: account.address, value: parseEther("100") });
    return account;
  }

  return {
    client,
    url,
    stop,
    newSigner,
    /** Creates an account that owns `value` units of the token and no Ether. */
    async payerWith(value: bigint) {
      const account = privateKeyToAccount(generatePrivateKey());
      await call("mint", [account.address, value]);
      return account;
    },
    /** Removes tokens from an account's balance. */
    burn: (owner: string, value: bigint) => call("burn", [owner, value]),
    /** Cancels a payer's authorization, with the payer's signature. */
    async cancel(payer: LocalAccount, nonce: Hex): Promise<void> {
      const signature = await payer.signTypedData({
        domain: { ...domain, chainId, verifyingContract: asset },
        types: {
          CancelAuthorization: [
            { name: "authorizer", type: "address" },
            { name: "nonce", type: "bytes32" },
          ],
        },
        primaryType: "CancelAuthorization",
        message: { authorizer: payer.address, nonce },
      });
      const { r, s, yParity } = parseSignature(signature);
      await call("cancelAuthorization", [payer.address, nonce, 27 + yParity, r, s]);
    },
    /**
     * Submits a payer's authorization, even an invalid one, and waits for the receipt.
     * @param sender account that pays the fee, by default a new one
     */
    async send({ authorization, signature }: SignedTransfer, sender?: LocalAccount) {
      const { from, to, value, validAfter, validBefore, nonce } = authorization;
      const { r, s, yParity } = parseSignature(signature);
      const args = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, 27 + yParity, r, s];
      const account = sender ?? (await newSigner());
      const functionName = "transferWithAuthorization";
      const hash = await client.writeContract({ account, address: asset, abi, functionName, args, gas: 200_000n });
      return client.waitForTransactionReceipt({ hash });
    },
    /** Adds tokens to an account's balance. */
    mint: (owner: string, value: bigint) => call("mint", [owner, value]),
    /**
     * Replaces the newest block with an empty block, and resets the nonce of the account whose transactions were
     * removed.
     */
    async reorganize({ address }: LocalAccount): Promise<void> {
      await client.request({ method: "anvil_reorg", params: [1, []] } as never);
      nonceManager.reset({ address, chainId });
    },
    /** Returns the token balance of an address in atomic units. */
    async balanceOf(owner: string): Promise<bigint> {
      return (await client.readContract({ address: asset, abi, functionName: "balanceOf", args: [owner] })) as bigint;
    },
  };
}

/** Signed payment authorization of a payer (EIP-3009). */
export interface SignedTransfer {
  authorization: Record<"from" | "to" | "value" | "validAfter" | "validBefore" | "nonce", string>;
  signature: Hex;
}

export type Chain = Awaited<ReturnType<typeof startChain>>;

function anvilBinary(): string {
  const require = createRequire(createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json"));
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const suffix = process.platform === "win32" ? ".exe" : "";
  return require.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil${suffix}`);
}

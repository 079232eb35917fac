/** Signs payments. The page loads this module, with viem and x402, only when the visitor is about to pay. */
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { x402Client, x402HTTPClient } from "@x402/fetch";
import {
  type Address,
  type Chain,
  createPublicClient,
  createWalletClient,
  custom,
  erc20Abi,
  type Hex,
  UserRejectedRequestError,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { CHAINS } from "./chains.ts";
import { Stopped } from "./stopped.ts";
import type { Wallet } from "./wallets.ts";

/** Payment terms of a call (x402 version 2, "PaymentRequired"). */
export type Terms = ReturnType<x402HTTPClient["getPaymentRequiredResponse"]>;
type Offer = Terms["accepts"][number];

type Signer = ConstructorParameters<typeof ExactEvmScheme>[0];

/** A wallet or key that can pay. */
export interface Payer {
  /**
   * Signs a payment and returns the header that contains it.
   * @param show displays what the visitor must do meanwhile
   * @throws Stopped if the payment was not signed
   */
  sign(terms: Terms, show: (words: string) => void): Promise<Record<string, string>>;
}

/**
 * Requests the payment terms of a call. Sends no body, because the answer to this request contains only the terms.
 * @throws Response if the status of the answer is not 402
 */
export async function termsOf(path: string): Promise<Terms> {
  const response = await fetch(path, { method: "POST" });
  if (response.status !== 402) throw response;
  // the header contains the terms; the body is read because an unread body keeps the connection open
  const body: unknown = await response.json();
  return new x402HTTPClient(new x402Client()).getPaymentRequiredResponse((name) => response.headers.get(name), body);
}

/** Returns a payer that signs with a private key. Only a page in development contains such a key. */
export function keyPayer(key: Hex): Payer {
  return { sign: (terms) => signedBy(privateKeyToAccount(key), terms, terms.accepts.find(isEvm)) };
}

/** Returns a payer that signs with a wallet of the browser. */
export function walletPayer({ info, provider }: Wallet): Payer {
  const transport = custom(provider, { retryCount: 0 });
  const wallet = createWalletClient({ transport });
  const reader = createPublicClient({ transport });

  async function sign(terms: Terms, show: (words: string) => void): Promise<Record<string, string>> {
    const offers = terms.accepts.filter(isEvm);
    if (offers.length === 0)
      throw new Stopped("This deployment accepts no payments on networks that browser wallets support.");
    show(`${info.name} asks you which account to pay with.`);
    const [account] = await wallet.requestAddresses();
    const current = await wallet.getChainId();
    const offer = offers.find((offered) => chainIdOf(offered) === current) ?? offers[0]!;
    if (chainIdOf(offer) !== current) {
      show(`${info.name} asks you to switch to ${nameOf(offer)}.`);
      await switchTo(offer);
    }
    await checkBalance(account!, offer, offers);
    show(`Confirm the payment in ${info.name}: you sign a message on ${nameOf(offer)}. There is no network fee.`);
    const signTypedData = (message: object) => wallet.signTypedData({ account: account!, ...message } as never);
    return signedBy({ address: account!, signTypedData }, terms, offer);
  }

  /**
   * Switches the wallet to the offer's chain, and adds the chain if the wallet does not know it (EIP-3326, EIP-3085).
   */
  async function switchTo(offer: Offer): Promise<void> {
    const id = chainIdOf(offer);
    try {
      await wallet.switchChain({ id });
    } catch (error) {
      if (codeOf(error) !== UNKNOWN_CHAIN) throw error;
      const chain = chainWith(id);
      if (!chain)
        throw new Stopped(
          `${info.name} does not know ${nameOf(offer)}. Add this network in the wallet, and try again.`,
        );
      await wallet.addChain({ chain });
      // a failure is ignored, because many wallets already switch when they add a chain
      await wallet.switchChain({ id }).catch(() => undefined);
    }
    if ((await wallet.getChainId()) !== id)
      throw new Stopped(`${info.name} is still on another network. Switch it to ${nameOf(offer)}, and try again.`);
  }

  /**
   * Checks the balance through the wallet's own node, so that the page contacts no third party. Ignores a node that
   * does not answer.
   */
  async function checkBalance(account: Address, offer: Offer, offers: Offer[]): Promise<void> {
    const asset = offer.asset as Address;
    const balance = await reader
      .readContract({ address: asset, abi: erc20Abi, functionName: "balanceOf", args: [account] })
      .catch(() => undefined);
    if (balance === undefined || balance >= BigInt(offer.amount)) return;
    const elsewhere = offers.filter((other) => other !== offer).map(nameOf);
    throw new Stopped(
      [
        `The account ${account.slice(0, 6)}…${account.slice(-4)} does not have enough USDC on ${nameOf(offer)}.`,
        "Add USDC, or choose another account in the wallet, and try again.",
        ...(elsewhere.length > 0
          ? [`You can also switch the wallet to another network: ${elsewhere.join(", ")}.`]
          : []),
      ].join(" "),
    );
  }

  return {
    sign: (terms, show) =>
      sign(terms, show).catch((error: unknown) => {
        throw error instanceof Stopped ? error : new Stopped(explain(error, info.name));
      }),
  };
}

/** An error code of EIP-1193, and two codes that wallets use by convention. */
const [REFUSED, UNKNOWN_CHAIN, ALREADY_ASKING] = [UserRejectedRequestError.code, 4902, -32002];

function explain(error: unknown, wallet: string): string {
  switch (codeOf(error)) {
    case REFUSED:
      return `You declined in ${wallet}. Nothing was signed or charged.`;
    case ALREADY_ASKING:
      return `${wallet} is already waiting for your answer. Open it, and try again.`;
    default:
      return `${wallet} could not sign the payment: ${(error as { shortMessage?: string }).shortMessage ?? String(error)}`;
  }
}

/** Returns the code of an error. If the error has no code, returns the code of its nearest cause that has one. */
function codeOf(error: unknown): number | undefined {
  for (let at = error; at instanceof Object; at = (at as { cause?: unknown }).cause) {
    const { code, data } = at as { code?: unknown; data?: { originalError?: { code?: unknown } } };
    const codes = [data?.originalError?.code, code].filter((found) => typeof found === "number");
    if (codes.length > 0) return codes[0];
  }
  return undefined;
}

async function signedBy(signer: Signer, terms: Terms, offer: Offer | undefined): Promise<Record<string, string>> {
  const client = x402Client.fromConfig({
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(signer) }],
    // x402 needs no spending limit here: the page shows the price, and the wallet shows the amount before signing
    spendControls: false,
  });
  const payment = await client.createPaymentPayload({ ...terms, accepts: offer ? [offer] : [] });
  return new x402HTTPClient(client).encodePaymentSignatureHeader(payment);
}

function isEvm({ network }: Offer): boolean {
  return network.startsWith("eip155:");
}

function chainIdOf({ network }: Offer): number {
  return Number(network.replace("eip155:", ""));
}

function nameOf(offer: Offer): string {
  const id = chainIdOf(offer);
  return chainWith(id)?.name ?? `network ${id}`;
}

/** Returns the network of the service that has this chain id, or undefined. */
function chainWith(id: number): Chain | undefined {
  return Object.values(CHAINS).find((chain) => chain.id === id);
}

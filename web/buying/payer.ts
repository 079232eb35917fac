/** Signing payments: loaded, with viem and x402, when somebody is about to pay. */
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
import {
  arbitrum,
  arbitrumSepolia,
  avalanche,
  avalancheFuji,
  base,
  baseSepolia,
  monad,
  polygon,
  polygonAmoy,
} from "viem/chains";
import { Stopped } from "./stopped.ts";
import type { Wallet } from "./wallets.ts";

/** The chains of the service by default, as a wallet has to know them to add one. */
const CHAINS: readonly Chain[] = [
  ...[base, baseSepolia, polygon, polygonAmoy, arbitrum],
  ...[arbitrumSepolia, avalanche, avalancheFuji, monad],
];

/** What a call asks for (x402 version 2, "PaymentRequired"). */
export type Terms = ReturnType<x402HTTPClient["getPaymentRequiredResponse"]>;
type Offer = Terms["accepts"][number];

type Signer = ConstructorParameters<typeof ExactEvmScheme>[0];

/** Somebody who can pay. */
export interface Payer {
  /**
   * Signs a payment, and returns the header that carries it.
   * @param tell is told what the reader should do meanwhile
   * @throws Stopped if it was not signed
   */
  sign(terms: Terms, tell: (words: string) => void): Promise<Record<string, string>>;
}

/**
 * Asks for the terms of a call. It has no body, so that nothing is uploaded in vain.
 * @throws Response if it is not sold
 */
export async function termsOf(path: string): Promise<Terms> {
  const response = await fetch(path, { method: "POST" });
  if (response.status !== 402) throw response;
  const body: unknown = await response.json(); // the terms are in the header, but one that is not read stays open
  return new x402HTTPClient(new x402Client()).getPaymentRequiredResponse((name) => response.headers.get(name), body);
}

/** Pays with a private key: in development only, where the page is given one. */
export function keyPayer(key: Hex): Payer {
  return { sign: (terms) => signedBy(privateKeyToAccount(key), terms, terms.accepts.find(isEvm)) };
}

/** Pays with a wallet of the browser. */
export function walletPayer({ info, provider }: Wallet): Payer {
  const transport = custom(provider, { retryCount: 0 });
  const wallet = createWalletClient({ transport });
  const reader = createPublicClient({ transport });

  async function sign(terms: Terms, tell: (words: string) => void): Promise<Record<string, string>> {
    const offers = terms.accepts.filter(isEvm);
    if (offers.length === 0) throw new Stopped("This deployment takes no payments on chains that such wallets have.");
    tell(`${info.name} asks you which account may pay.`);
    const [account] = await wallet.requestAddresses();
    const current = await wallet.getChainId();
    const offer = offers.find((offered) => chainIdOf(offered) === current) ?? offers[0]!;
    if (chainIdOf(offer) !== current) {
      tell(`${info.name} asks you to switch to ${nameOf(offer)}.`);
      await switchTo(offer);
    }
    await checkBalance(account!, offer, offers);
    tell(`Confirm the payment in ${info.name}: a signature, on ${nameOf(offer)}. It costs no fee.`);
    const signTypedData = (message: object) => wallet.signTypedData({ account: account!, ...message } as never);
    return signedBy({ address: account!, signTypedData }, terms, offer);
  }

  /** Has the wallet change to the offer's chain, which it may have to be told of (EIP-3326, EIP-3085). */
  async function switchTo(offer: Offer): Promise<void> {
    const id = chainIdOf(offer);
    try {
      await wallet.switchChain({ id });
    } catch (error) {
      if (codeOf(error) !== UNKNOWN_CHAIN) throw error;
      const chain = CHAINS.find((known) => known.id === id);
      if (!chain) throw new Stopped(`${info.name} does not know ${nameOf(offer)}. Add it there, and try again.`);
      await wallet.addChain({ chain });
      await wallet.switchChain({ id }).catch(() => undefined); // many have switched by now
    }
    if ((await wallet.getChainId()) !== id)
      throw new Stopped(`${info.name} is on another chain still. Switch it to ${nameOf(offer)}, and try again.`);
  }

  /** Asks the wallet's own node, so that nothing leaves the page. One that has no answer is no reason to stop. */
  async function checkBalance(account: Address, offer: Offer, offers: Offer[]): Promise<void> {
    const asset = offer.asset as Address;
    const balance = await reader
      .readContract({ address: asset, abi: erc20Abi, functionName: "balanceOf", args: [account] })
      .catch(() => undefined);
    if (balance === undefined || balance >= BigInt(offer.amount)) return;
    const elsewhere = offers.filter((other) => other !== offer).map(nameOf);
    throw new Stopped(
      [
        `There is not enough USDC on ${nameOf(offer)} in ${account.slice(0, 6)}…${account.slice(-4)}.`,
        "Add some, or choose another account in the wallet, and try again.",
        ...(elsewhere.length > 0 ? [`Switched to another chain, it pays there: ${elsewhere.join(", ")}.`] : []),
      ].join(" "),
    );
  }

  return {
    sign: (terms, tell) =>
      sign(terms, tell).catch((error: unknown) => {
        throw error instanceof Stopped ? error : new Stopped(explain(error, info.name));
      }),
  };
}

/** EIP-1193 and what wallets have agreed on beyond it. */
const [REFUSED, UNKNOWN_CHAIN, ALREADY_ASKING] = [UserRejectedRequestError.code, 4902, -32002];

function explain(error: unknown, wallet: string): string {
  switch (codeOf(error)) {
    case REFUSED:
      return `You declined in ${wallet}. Nothing was signed, and nothing charged.`;
    case ALREADY_ASKING:
      return `${wallet} is waiting for an answer already. Open it, and try again.`;
    default:
      return `${wallet} could not sign: ${(error as { shortMessage?: string }).shortMessage ?? String(error)}`;
  }
}

/** The code in an error, or in what caused it. */
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
    spendControls: false, // the price is on the page, and whoever signs sees it
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
  return CHAINS.find((chain) => chain.id === id)?.name ?? `the chain ${id}`;
}

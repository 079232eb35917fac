/** Signs payments for the terms of a deployment, with the official x402 client. */
import type { SchemeNetworkClient } from "@x402/core/types";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { x402Client, x402HTTPClient } from "@x402/fetch";
import { type OfferedWay, payableNetwork, payableNetworks } from "../../src/payments/wire/payableOffer.ts";
import { type Price, parsePrice } from "../../src/payments/wire/price.ts";
import { OverprintError } from "./errors.ts";
import { errorIn, send } from "./http.ts";
import type { SignedPayment } from "./paidCall.ts";
import { expiryOf, type Payload, type Terms, termsIn } from "./terms.ts";

/** An account that signs payments, such as a local account of viem, or a wallet in a browser. */
export interface Account {
  readonly address: `0x${string}`;
  signTypedData(message: {
    domain: Record<string, unknown>;
    types: Record<string, unknown>;
    primaryType: string;
    message: Record<string, unknown>;
  }): Promise<`0x${string}`>;
}

/**
 * A payment channel: a `BatchSettlementEvmScheme` of `@x402/evm/batch-settlement/client`. The type lists only the members
 * that distinguish it, because the types of x402 need the types of Node.js.
 */
export interface Channel {
  readonly scheme: "batch-settlement";
  createPaymentPayload(...given: never[]): Promise<unknown>;
}

/** How an account pays. */
export interface PaymentOptions {
  /** The account that pays with USDC. */
  account: Account;
  /** Maximum price of a call in USDC. Default: `0.10`. */
  maxPrice?: string | undefined;
  /** Pays only on this network: a name such as `base`, or a CAIP-2 id. Default: the first that the deployment offers. */
  network?: string | undefined;
  /** A payment channel. All calls pay through the channel. A deposit is at most five times `maxPrice`. */
  channel?: Channel | undefined;
}

/** Default limit of the price in USDC: twice the default price of a call. */
const MAX_PRICE = "0.10";
/** Time limit in seconds of the answer with the price. */
const PRICE_SECONDS = 30;

/** Signs payments within the limits of its options. */
export class Wallet {
  readonly address: string;
  readonly isChannel: boolean;
  readonly #price: Price;
  readonly #network: string | undefined;
  readonly #scheme: string;
  readonly #client: x402Client;
  readonly #http: x402HTTPClient;

  /** @throws OverprintError `invalid_argument` */
  constructor({ account, maxPrice = MAX_PRICE, network, channel }: PaymentOptions) {
    if (!isAccount(account))
      throw new OverprintError(
        "invalid_argument",
        "`account` must be an account that signs, such as privateKeyToAccount(key) of viem.",
      );
    const price = parsePrice(maxPrice);
    if (!price) throw new OverprintError("invalid_argument", "`maxPrice` must be an amount of USDC, such as 0.05.");
    const scheme = (channel as SchemeNetworkClient | undefined) ?? new ExactEvmScheme(account);
    this.address = account.address;
    this.isChannel = channel !== undefined;
    this.#price = price;
    this.#network = network;
    this.#scheme = scheme.scheme;
    const allowedAssets = payableNetworks().map(({ caip2, asset }) => ({
      ...{ network: caip2, asset },
      maxAmountPerPayment: price.millionths,
    }));
    this.#client = x402Client.fromConfig({
      schemes: [{ network: "eip155:*", client: scheme }],
      spendControls: { maxAmountPerPayment: `$${maxPrice}`, allowedAssets }, // also limits the deposits of a channel
    });
    this.#http = new x402HTTPClient(this.#client);
  }

  /**
   * Asks for the price of a call, and signs a payment.
   * @throws OverprintError if nothing is for sale, or if the account cannot or may not pay
   */
  async pay(endpoint: URL): Promise<SignedPayment> {
    const answer = await send(endpoint, { method: "POST" }, PRICE_SECONDS);
    if (answer.ok) throw new OverprintError("not_x402", `${endpoint.href} asks for no payment. Check \`url\`.`);
    if (answer.status !== 402) throw await errorIn(answer);
    return this.#sign(this.#chosen(await termsIn(answer)));
  }

  /**
   * Reduces the terms to the first way to pay that this wallet supports.
   * @throws OverprintError `not_payable`
   */
  #chosen(terms: Terms): Terms {
    const wanted = this.#network;
    const ways = terms.accepts.filter((way) => {
      const network = payableNetwork(way as OfferedWay, way.amount, this.#scheme);
      return network && (wanted === undefined || wanted === network.name || wanted === network.caip2);
    });
    const accepted = ways.find(({ amount }) => BigInt(amount) <= BigInt(this.#price.millionths));
    if (accepted) return { ...terms, accepts: [accepted] };
    const { label } = this.#price;
    const offered = terms.accepts.map(({ scheme, network }) => `${scheme} on ${network}`).join(", ") || "nothing";
    throw new OverprintError(
      "not_payable",
      ways.length > 0
        ? `The price is ${Number(ways[0]!.amount) / 1e6} USDC, more than \`maxPrice\`, which is ${label}.`
        : `The deployment accepts ${offered}. This client pays with USDC (${this.#scheme}) on ${wanted ?? "EVM networks"}.`,
    );
  }

  async #sign(terms: Terms): Promise<SignedPayment> {
    const payload = await this.#client.createPaymentPayload(terms).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause ?? "the account gave no reason");
      throw new OverprintError("not_signed", `The payment could not be signed: ${reason}`, { cause });
    });
    return {
      headers: this.#http.encodePaymentSignatureHeader(payload),
      network: payload.accepted.network,
      expiresAt: expiryOf(payload),
      received: async (answer) => {
        const isCorrected = await this.#isCorrected(payload, answer);
        return isCorrected ? this.#sign(terms) : undefined;
      },
    };
  }

  /** Updates the state of the channel. The official client throws if an answer charges more than the price. */
  async #isCorrected(payload: Payload, answer: Response): Promise<boolean> {
    try {
      const header = (name: string) => answer.headers.get(name);
      return (await this.#http.processPaymentResult(payload, header, answer.status)).recovered;
    } catch (cause) {
      if (answer.ok) return false; // the call is paid, so its result must be returned
      const { message } = cause as Error;
      throw new OverprintError("channel_wrong", `The channel's state in the answer is wrong: ${message}`, { cause });
    }
  }
}

/** Returns whether a value can sign. A program without types may pass a private key, or nothing. */
function isAccount(account: Partial<Account> | undefined): boolean {
  const { address, signTypedData } = Object(account) as Partial<Account>;
  return /^0x[0-9a-f]{40}$/i.test(address ?? "") && typeof signTypedData === "function";
}

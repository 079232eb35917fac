/** Asks for the price of a call, asks the payer to accept it, and signs the payment. */
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/client";
import { x402Client, x402HTTPClient } from "@x402/fetch";
import type { PrivateKeyAccount } from "viem/accounts";
import { formatUnits } from "viem/utils";
import type { SignedPayment } from "../packages/client/paidCall.ts";
import { expiryOf, type Terms, termsIn } from "../packages/client/terms.ts";
import { type EvmNetwork, TEST_NETWORKS } from "../src/payments/wire/networks.ts";
import { type OfferedWay, payableNetwork } from "../src/payments/wire/payableOffer.ts";
import { parsePrice } from "../src/payments/wire/price.ts";
import { ask, refusalIn } from "./deployment.ts";
import { Failure, failureOf } from "./failure.ts";
import type { Io } from "./io.ts";
import { MAX_DEPOSIT, MAX_PRICE, networkName, type PaymentChoice } from "./payment.ts";
import { counted, warn } from "./say.ts";

/**
 * A way to pay that this program supports: USDC, authorized by a signature (EIP-3009), for one call or through a
 * payment channel.
 */
export interface Offer {
  network: EvmNetwork;
  /** Price in millionths of a USDC. */
  amount: bigint;
  payTo: string;
  /** The payment terms with this way to pay only. */
  terms: Terms;
}

/**
 * Asks for the price of a call and returns the first supported way to pay.
 * @param version the version of x402 whose terms are read
 * @param body the body of the unpaid request
 * @throws Failure if nothing is for sale, or if this program supports no offered way to pay
 */
export async function askPrice(
  endpoint: URL,
  version: 1 | 2,
  { network: wanted, channel = false }: PaymentChoice,
  body?: object,
): Promise<Offer> {
  const headers = { "Content-Type": "application/json" };
  const answer = await ask(endpoint, { method: "POST", ...(body && { headers, body: JSON.stringify(body) }) });
  if (answer.status !== 402) {
    const { code, message } = answer.ok
      ? new Failure("not_sold", "the deployment asks for no payment")
      : await refusalIn(answer);
    throw new Failure(code, `nothing is for sale at ${endpoint}: ${message}`);
  }
  const terms = await termsIn(answer, version).catch((error) => {
    throw failureOf(error);
  });
  const offers = terms.accepts.flatMap((way) => offerOf(way as Way, terms, channel ? "batch-settlement" : "exact"));
  const chosen = offers.find(({ network }) => !wanted || network.name === wanted || network.caip2 === wanted);
  if (chosen) return chosen;
  if (channel)
    throw new Failure(
      "not_payable",
      `${endpoint.origin} offers no payment channel${wanted ? ` on ${wanted}` : ""} that this program can use: buy without --channel`,
    );
  const offered = terms.accepts.map(({ network }) => networkName(network)).join(", ") || "nothing";
  throw new Failure(
    "not_payable",
    wanted && offers.length > 0
      ? `${endpoint.origin} accepts no payment on ${wanted}; it accepts ${offered}`
      : `${endpoint.origin} accepts no payment that this program can make, which is USDC on EVM chains, valid for at most an hour; it accepts ${offered}`,
  );
}

/** A way to pay with its price and recipient, in either version of x402. */
interface Way extends OfferedWay {
  amount?: string;
  maxAmountRequired?: string;
  payTo: string;
}

/**
 * Converts a way to pay to an offer. Returns an empty list if this program does not support the way to pay. The two
 * versions of x402 have different fields for the amount, so the version of the terms decides which field is read.
 */
function offerOf(way: Way, terms: Terms, scheme: "exact" | "batch-settlement"): Offer[] {
  const amount = (terms.x402Version === 1 ? way.maxAmountRequired : way.amount) ?? "";
  const network = payableNetwork(way, amount, scheme);
  if (!network) return [];
  return [{ network, amount: BigInt(amount), payTo: String(way.payTo), terms: { ...terms, accepts: [way] } as Terms }];
}

/** Formats a price for people: `0.05 USDC`. */
export function priceOf({ amount, network }: Offer): string {
  return moneyOf(amount, network);
}

/** Formats an amount of a network's token for people: `0.5 USDC`. */
export function moneyOf(amount: bigint, { decimals }: EvmNetwork): string {
  return `${formatUnits(amount, decimals)} USDC`;
}

/** The extent of a purchase: the deposit into a channel, and the number of files. */
export interface Extent {
  /** Amount that the payment deposits into a channel, in atomic units. Undefined without a channel. */
  deposit?: bigint | undefined;
  /** Number of files of a series. Undefined without a series. */
  files?: number | undefined;
}

/**
 * Shows the payment to the user.
 * @throws Failure if the price, the total or the deposit exceeds its limit
 */
export function announce(offer: Offer, payer: string, choice: PaymentChoice, { deposit, files }: Extent, io: Io): void {
  const { network, amount, payTo } = offer;
  const { maxPrice = MAX_PRICE, maxDeposit = MAX_DEPOSIT, maxTotal } = choice;
  const money = (value: bigint) => moneyOf(value, network);
  const refuseAbove = (limit: string, value: bigint, flag: string, what: string) => {
    if (value > BigInt(parsePrice(limit)!.millionths))
      throw new Failure("too_expensive", `the ${what} of ${money(value)} is more than ${flag} ${limit}`);
  };
  refuseAbove(maxPrice, amount, "--max-price", "price");
  const total = amount * BigInt(files ?? 1);
  if (maxTotal !== undefined) refuseAbove(maxTotal, total, "--max-total", "total price");
  if (deposit !== undefined) refuseAbove(maxDeposit, deposit, "--max-deposit", "deposit");
  const price = files === undefined ? money(amount) : `${money(total)} for ${counted(files, "file")}`;
  const place = `${network.name}${TEST_NETWORKS.has(network.name) ? " (a test network)" : ""}`;
  const how =
    deposit === undefined ? "" : deposit > 0n ? `, with a deposit of ${money(deposit)}` : ", from the channel";
  warn(`${price} on ${place}${how}, from ${payer} to ${payTo}`, io);
}

/**
 * Asks the user to confirm a payment of real money. `--yes`, or `--max-total` for a series, confirms it in advance.
 * @param canAsk whether a person can answer the question
 * @throws Failure if the payment was not confirmed
 */
export async function confirm(
  { network }: Offer,
  { yes, maxTotal }: PaymentChoice,
  canAsk: boolean,
  io: Io,
): Promise<void> {
  if (TEST_NETWORKS.has(network.name) || yes || maxTotal !== undefined) return;
  const isTerminal = io.stdin.isTTY && io.stderr.isTTY;
  if (!canAsk || !isTerminal)
    throw new Failure("not_agreed", `${network.name} is a main network, with real money: add --yes to pay there`);
  const answer = await askPerson("This is real money. Pay? [y/N] ", io);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure("not_agreed", "nothing was signed or charged");
}

/** Asks the person at the terminal a question. Returns the answer, or an empty text if the input ends. */
async function askPerson(question: string, { stdin, stderr }: Io): Promise<string> {
  // turns off terminal mode, in which readline would swallow Ctrl-C
  const prompt = createInterface({ input: stdin, output: stderr, terminal: false });
  const closed = once(prompt, "close").then(() => "");
  const answer = await Promise.race([prompt.question(question), closed]);
  prompt.close();
  return answer;
}

/** Signs a payment for one call. */
export async function sign(offer: Offer, account: PrivateKeyAccount): Promise<SignedPayment> {
  const { terms, network } = offer;
  const client = x402Client.fromConfig({
    schemes: [
      { network: network.caip2, client: new ExactEvmScheme(account) },
      { network: network.name as `${string}:${string}`, client: new ExactEvmSchemeV1(account), x402Version: 1 },
    ],
    spendControls: false, // sets no limit here, because announce() has checked the price
  });
  const payment = await client.createPaymentPayload(terms).catch((error: Error) => {
    throw new Failure("not_signed", `the payment could not be signed: ${error.message}`);
  });
  return {
    headers: new x402HTTPClient(client).encodePaymentSignatureHeader(payment),
    network: network.caip2,
    expiresAt: expiryOf(payment),
    received: async () => undefined,
  };
}

/** The flags that choose the payer, the price limit and the network. */
import type { Command } from "commander";
import { NETWORKS } from "../src/payments/wire/networks.ts";
import { payableNetworks } from "../src/payments/wire/payableOffer.ts";
import { parsePrice } from "../src/payments/wire/price.ts";
import { misuse } from "./failure.ts";
import { valueOption } from "./fields.ts";

/** Default address of `npm run dev`. */
export const LOCAL = "http://127.0.0.1:8787";

/** Default price limit in USDC: twice the default price of a call. */
export const MAX_PRICE = "0.10";

/** Default limit in USDC of a deposit into a channel: twice the default minimum of a deployment. */
export const MAX_DEPOSIT = "1.00";

/** Values of the payment flags. */
export interface PaymentChoice {
  keyFile?: string | undefined;
  maxPrice?: string | undefined;
  network?: string | undefined;
  yes?: boolean | undefined;
  /** Whether to pay through a payment channel. */
  channel?: boolean | undefined;
  maxDeposit?: string | undefined;
  /** Maximum total price of a series for which no confirmation is needed. */
  maxTotal?: string | undefined;
}

/** Adds the payment flags to a command. */
export function addPaymentOptions(command: Command): void {
  addPayerOptions(command);
  command
    .optionsGroup("Paying:")
    .addOption(valueOption(command, "--max-price <usdc>", `Never pay more than this. Default: ${MAX_PRICE}.`))
    .option("-y, --yes", "Pay on a main network, with real money, without a confirmation prompt.")
    .optionsGroup("Options:");
}

/** Adds the flags that choose the payer's key and the network to a command. */
export function addPayerOptions(command: Command): void {
  const key =
    "File with the private key that pays: 0x and 64 hexadecimal digits, readable only by you. Default: PRIVATE_KEY in the environment; on this machine the development key, which holds no money.";
  command
    .optionsGroup("Paying:")
    .addOption(valueOption(command, "--key-file <file>", key))
    .addOption(
      valueOption(command, "--network <name>", "Pay on this network. Default: the first that the deployment offers."),
    )
    .optionsGroup("Options:");
}

/** Adds the flags of purchases through a payment channel. */
export function addChannelOptions(command: Command): void {
  const limit = `Never deposit more than this into the channel at once. Default: ${MAX_DEPOSIT}.`;
  command
    .optionsGroup("Paying:")
    .option("--channel", "Pay through a payment channel: one deposit, then many calls without a transaction.")
    .addOption(valueOption(command, "--max-deposit <usdc>", limit))
    .optionsGroup("Options:");
}

/** Adds the flag that limits the price of a series. */
export function addTotalOption(command: Command): void {
  const limit = "With --each: pay up to this for the whole series, without a confirmation prompt.";
  command
    .optionsGroup("Paying:")
    .addOption(valueOption(command, "--max-total <usdc>", limit))
    .optionsGroup("Options:");
}

/**
 * Checks the payment flags before any request is sent.
 * @throws Failure
 */
export function checkPayment({ maxPrice = MAX_PRICE, network, channel, maxDeposit, maxTotal }: PaymentChoice): void {
  if (maxTotal !== undefined && !parsePrice(maxTotal))
    throw misuse("--max-total must be an amount of USDC, such as 5.00");
  if (!parsePrice(maxPrice)) throw misuse("--max-price must be an amount of USDC, such as 0.05");
  if (!parsePrice(maxDeposit ?? MAX_DEPOSIT)) throw misuse("--max-deposit must be an amount of USDC, such as 0.50");
  if (maxDeposit !== undefined && !channel) throw misuse("--max-deposit needs --channel");
  if (network !== undefined && !payableNetworks().some(({ name, caip2 }) => network === name || network === caip2))
    throw misuse(
      `--network must be one of ${payableNetworks()
        .map(({ name }) => name)
        .join(", ")}`,
    );
}

/** Returns the short name of a network with a CAIP-2 id. Returns unknown ids unchanged. */
export function networkName(network: string): string {
  return Object.values(NETWORKS).find(({ caip2 }) => caip2 === network)?.name ?? network;
}

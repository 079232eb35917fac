/** The flags that say who pays, how much, and where. */
import type { Command } from "commander";
import { type EvmNetwork, isSolana, NETWORKS } from "../src/payments/wire/networks.ts";
import { parsePrice } from "../src/payments/wire/price.ts";
import { misuse } from "./failure.ts";
import { valueOption } from "./fields.ts";

/** Where `overprint dev` listens. */
export const LOCAL = "http://127.0.0.1:8787";

/** Twice what a call costs by default. */
export const MAX_PRICE = "0.10";

/** What was said of paying. */
export interface PaymentChoice {
  keyFile?: string | undefined;
  maxPrice?: string | undefined;
  network?: string | undefined;
  yes?: boolean | undefined;
}

/** Adds the flags that say who pays, and how much at most. */
export function addPaymentOptions(command: Command): void {
  const key =
    "A file with the private key that pays: 0x and 64 hexadecimal digits, for nobody else to read. Default: PRIVATE_KEY in the environment; on this machine the development key, which is worth nothing.";
  command
    .optionsGroup("Paying:")
    .addOption(valueOption(command, "--key-file <file>", key))
    .addOption(valueOption(command, "--max-price <usdc>", `Pay no more than this. Default: ${MAX_PRICE}.`))
    .addOption(valueOption(command, "--network <name>", "Pay on this network. Default: the first that is offered."))
    .option("-y, --yes", "Pay on a main network, with real money, without being asked.")
    .optionsGroup("Options:");
}

/**
 * Checks what can be told of a {@link PaymentChoice} before anything is asked.
 * @throws Failure
 */
export function checkPayment({ maxPrice = MAX_PRICE, network }: PaymentChoice): void {
  if (!parsePrice(maxPrice)) throw misuse("--max-price must be an amount of USDC, such as 0.05");
  if (network !== undefined && !payable().some(({ name, caip2 }) => network === name || network === caip2))
    throw misuse(
      `--network must be one of ${payable()
        .map(({ name }) => name)
        .join(", ")}`,
    );
}

/** Returns the networks that this program pays on. */
export function payable(): EvmNetwork[] {
  return Object.values(NETWORKS).filter((network) => !isSolana(network)) as EvmNetwork[];
}

/** Returns the name of a network that an answer names by its CAIP-2 id. */
export function networkName(network: string): string {
  return Object.values(NETWORKS).find(({ caip2 }) => caip2 === network)?.name ?? network;
}

import type { Command } from "commander";
import type { BuyOptions } from "./checkout.ts";
import { addFieldOptions, valueOption } from "./fields.ts";
import type { Io } from "./io.ts";
import { addOutputOptions } from "./output.ts";
import { addPaymentOptions, LOCAL } from "./payment.ts";

const EXAMPLES = `
Examples:
  overprint buy contract.pdf --text DRAFT
  overprint buy contract.pdf --url https://pdf.example.com --key-file key.txt --text DRAFT -o draft.pdf
  overprint buy https://example.com/contract.pdf --image logo.png --scale 0.2 --json`;

/** Adds `overprint buy`: a call of a deployment, paid. */
export function addBuy(program: Command, io: Io): void {
  const command = program
    .command("buy")
    .summary("have a deployment mark a PDF, and pay it")
    .description(
      "Has a deployment lay a text or an image over every page of a PDF, pays for it, and downloads the result.",
    )
    .argument(
      "<file>",
      "a PDF; - for the standard input; or what the deployment reads itself: a URL, an upload:… handle",
    );
  const url = `The deployment. Default: ${LOCAL}, where \`overprint dev\` listens.`;
  command.addOption(valueOption(command, "--url <address>", url));
  addPaymentOptions(command);
  const key = "Ask again for a purchase whose answer was lost: under one key it is charged once.";
  command.addOption(valueOption(command, "--idempotency-key <key>", key));
  addFieldOptions(command);
  addOutputOptions(command);
  command
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, options: BuyOptions) => (await import("./checkout.ts")).buy(file, options, io)); // its packages take their time
}

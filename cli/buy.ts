import type { Command } from "commander";
import type { BuyOptions } from "./checkout.ts";
import { addFieldOptions, valueOption } from "./fields.ts";
import type { Io } from "./io.ts";
import { addOutputOptions } from "./output.ts";
import { addChannelOptions, addPaymentOptions, addTotalOption, LOCAL } from "./payment.ts";
import { addSeriesOption } from "./series.ts";

const EXAMPLES = `
Examples:
  overprint buy contract.pdf --text DRAFT
  overprint buy contract.pdf --url https://pdf.example.com --key-file key.txt --text DRAFT -o draft.pdf
  overprint buy contract.pdf --url https://pdf.example.com --key-file key.txt --channel --text DRAFT
  overprint buy contract.pdf --each names.csv --text 'Copy for {name}' -o 'copies/{name}.pdf' --max-total 5.00
  overprint buy https://example.com/contract.pdf --image logo.png --scale 0.2 --json`;

/** Adds `overprint buy`: a paid call to a deployment. */
export function addBuy(program: Command, io: Io): void {
  const command = program
    .command("buy")
    .summary("buy a watermarked PDF from a deployment")
    .description("Sends a PDF to a deployment, pays for a text or image on every page, and downloads the result.")
    .argument(
      "<file>",
      "a PDF; - for standard input; or a source that the deployment reads itself: a URL or an upload handle (upload:…)",
    );
  const url = `Address of the deployment. Default: ${LOCAL}, where \`npm run dev\` of a clone listens.`;
  command.addOption(valueOption(command, "--url <address>", url));
  addPaymentOptions(command);
  addChannelOptions(command);
  addTotalOption(command);
  const key = "Retry a purchase whose answer was lost, or continue a series. Calls with the same key are charged once.";
  command.addOption(valueOption(command, "--idempotency-key <key>", key));
  addFieldOptions(command);
  addOutputOptions(command);
  addSeriesOption(command);
  command.addHelpText("after", EXAMPLES).action(async (file: string, options: BuyOptions) => {
    // loads the scripts on demand, because they import packages that load slowly
    if (options.each === undefined) await (await import("./checkout.ts")).buy(file, options, io);
    else await (await import("./buySeries.ts")).buySeries(file, options, io);
  });
}

import { Argument, type Command } from "commander";
import { valueOption } from "./fields.ts";
import type { Io } from "./io.ts";
import type { ManageOptions } from "./manageChannel.ts";
import { addPayerOptions, LOCAL } from "./payment.ts";

const EXAMPLES = `
Examples:
  overprint channel status --url https://pdf.example.com --key-file key.txt
  overprint channel refund --url https://pdf.example.com --key-file key.txt`;

/** Adds `overprint channel`: shows or closes the payer's channel at a deployment. */
export function addChannel(program: Command, io: Io): void {
  const command = program
    .command("channel")
    .summary("show or close your payment channel at a deployment")
    .description(
      "Shows what is left in the payment channel that `overprint buy --channel` has opened, or asks the deployment to return it.",
    )
    .addArgument(new Argument("<action>", "what to do").choices(["status", "refund"]));
  const url = `Address of the deployment. Default: ${LOCAL}, where \`npm run dev\` of a clone listens.`;
  command.addOption(valueOption(command, "--url <address>", url));
  addPayerOptions(command);
  command
    .option("--json", "Print one JSON object on stdout, and nothing else.")
    .addHelpText("after", EXAMPLES)
    .action(async (action: "status" | "refund", options: ManageOptions) =>
      (await import("./manageChannel.ts")).manageChannel(action, options, io),
    ); // loads manageChannel.ts on demand, because it imports packages that load slowly
}

import type { Command } from "commander";
import { UPLOADS_PATH } from "../packages/client/upload.ts";
import { UPLOADS } from "../src/settings/limits.ts";
import { readAddress } from "./deployment.ts";
import type { Io } from "./io.ts";
import { addPaymentOptions, checkPayment, type PaymentChoice } from "./payment.ts";
import { printJson, say } from "./say.ts";

const EXAMPLES = `
Examples:
  overprint pay http://127.0.0.1:8787/v1/watermark/text
  curl https://pdf.example.com/v1/watermark/text -F file=@contract.pdf -F text=DRAFT \\
    -H "X-PAYMENT: $(overprint pay https://pdf.example.com/v1/watermark/text --key-file key.txt)"

Anyone who has the header can use it once. No money moves until then.`;

/** Adds `overprint pay`: signs a payment for a call that the user makes. */
export function addPay(program: Command, io: Io): void {
  const command = program
    .command("pay")
    .summary("sign a payment for a call that you make yourself")
    .description(
      "Signs a payment for one call and prints it as the value of the header X-PAYMENT (x402 version 1). For /v1/uploads, the payment admits a large upload and then pays for the call that uses it.",
    )
    .argument("<url>", "URL of the call, such as https://pdf.example.com/v1/watermark/text");
  addPaymentOptions(command);
  command
    .option("--json", "Print one JSON object on stdout, and nothing else.")
    .addHelpText("after", EXAMPLES)
    .action((address, options) => pay(address, options, io));
}

async function pay(address: string, options: PaymentChoice & { json?: boolean }, io: Io): Promise<void> {
  const endpoint = readAddress("the address", address);
  checkPayment(options);
  const [{ accountFor }, { announce, askPrice, confirm, priceOf, sign }] = await Promise.all([
    import("./key.ts"),
    import("./offers.ts"),
  ]);
  const account = accountFor(endpoint, options.keyFile, io);
  // asks for the price of a large upload, because small uploads are free
  const body = endpoint.pathname === UPLOADS_PATH ? { size: UPLOADS.freeBytes + 1 } : undefined;
  const offer = await askPrice(endpoint, 1, options, body);
  announce(offer, account.address, options, {}, io);
  await confirm(offer, options, true, io);
  const [[header, value] = []] = Object.entries((await sign(offer, account)).headers);
  const { network, payTo } = offer;
  if (options.json)
    printJson({ header, value, price: priceOf(offer), network: network.name, from: account.address, to: payTo }, io);
  else say(value!, io.stdout);
}

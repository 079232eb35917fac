import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { startWorker } from "../scripts/lib/worker.ts";
import { Failure } from "./failure.ts";
import { addFieldOptions, checkFields } from "./fields.ts";
import { findFile } from "./input.ts";
import { whenStopped } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { findTargets } from "./output.ts";
import { ROOT } from "./root.ts";
import { printJson, say, warn } from "./say.ts";

/** Folder for results, in the current directory. */
const FOLDER = "out";
const SAMPLE = join(ROOT, "examples/contract.pdf");

const EXAMPLES = `
Examples:
  overprint demo
  overprint demo contract.pdf --text DRAFT --position top-right --opacity 0.5
  overprint demo contract.pdf --image logo.png --position bottom-right --scale 0.2`;

/** Adds `overprint demo`: a complete paid call on this machine. */
export function addDemo(program: Command, io: Io): void {
  const command = program
    .command("demo")
    .summary("try a paid call on this machine")
    .description(
      `Starts the Worker on this machine, buys a watermarked PDF with the development key, and writes the result to ${FOLDER}/. In a terminal, the Worker runs until you press Ctrl-C.`,
    )
    .argument("[file]", "a PDF, or - for standard input; by default a sample contract");
  addFieldOptions(command);
  command
    .option("--json", "Print one JSON object on stdout, and nothing else.")
    .addHelpText("after", EXAMPLES)
    .action((name, options) => demo(name, options, io));
}

async function demo(
  name = SAMPLE,
  options: { text?: string; image?: string; filename?: string; json?: boolean },
  io: Io,
): Promise<void> {
  const marked = options.image ?? options.text;
  const checked = checkFields({ ...options, ...(marked === undefined && { text: "CONFIDENTIAL" }) });
  const source = await findFile(name, "demo");
  const [{ orderFor, summaryOf, printPurchase }, { purchase }, { download }, { developer }] = await Promise.all([
    import("./checkout.ts"),
    import("./purchase.ts"),
    import("./download.ts"),
    import("./key.ts"),
  ]);
  const order = await orderFor(name, source, checked, io);
  await mkdir(FOLDER, { recursive: true });
  const filename = options.filename ?? freeName(source.stem);
  const [[target] = []] = await findTargets([source], [{ output: `${FOLDER}/`, filename }], io);

  warn("Starting the Worker on this machine …", io);
  const stopping = new AbortController();
  const starting = startWorker({}, { signal: stopping.signal });
  whenStopped(async () => {
    stopping.abort();
    await (await starting.catch(() => undefined))?.stop();
  });
  const worker = await starting.catch(({ message }: Error) => {
    const [first, ...log] = message.split("\n");
    const why = log.find((line) => /error/i.test(line)) ?? "";
    throw new Failure("not_started", `${first} ${why} (run \`npm run dev\` to see the full log)`);
  });
  try {
    const url = new URL(worker.url);
    const bought = await purchase({ ...order, url }, developer(), {}, false, io);
    await download(bought.output, url, target!, io);
    if (options.json) return printJson(summaryOf(bought, target!), io);
    printPurchase(bought, target!, io.stdout);
    say(`Open the result: ${OPENERS[process.platform] ?? "xdg-open"} ${quoted(target!.path)}`, io.stdout);
    if (io.stdin.isTTY && io.stdout.isTTY) {
      say(`The Worker runs at ${worker.url}/, and the link works, until you press Ctrl-C.`, io.stdout);
      return await new Promise((resolve) => whenStopped(() => resolve()));
    }
  } finally {
    await worker.stop();
  }
  say(
    "The Worker has stopped, so the link no longer works. `npm run dev` starts a Worker that keeps running.",
    io.stdout,
  );
}

/** Programs that open a file, by platform. The default is `xdg-open`. */
const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer" };

function quoted(path: string): string {
  return /^[\w./\\-]+$/.test(path) ? path : `"${path}"`;
}

/** Returns a name that no result in the folder has: `contract-watermarked.pdf`, then `contract-watermarked-2.pdf`. */
function freeName(stem: string): string {
  for (let count = 1; ; count++) {
    const name = `${stem}-watermarked${count === 1 ? "" : `-${count}`}.pdf`;
    if (!existsSync(join(FOLDER, name))) return name;
  }
}

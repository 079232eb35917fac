import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Command } from "commander";
import { isPort, MAX_PORT } from "../scripts/lib/port.ts";
import { Failure, misuse } from "./failure.ts";
import { valueOption } from "./fields.ts";
import { whenStopped } from "./interrupt.ts";
import { ROOT } from "./root.ts";

const EXAMPLES = `
Examples:
  overprint dev
  overprint dev --port 9000
  overprint dev -- --var PRICE:0.10`;

const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

/** Adds `overprint dev`: runs the Worker on this machine until it is stopped. */
export function addDev(program: Command): void {
  const command = program
    .command("dev")
    .summary("run the service on this machine")
    .description("Runs the Worker on loopback until you stop it. Payments are verified, but no money moves.")
    .argument("[arguments...]", "arguments for `wrangler dev`, after --");
  command
    .addOption(valueOption(command, "--port <number>", "The port to listen on. Default: 8787."))
    .addHelpText("after", EXAMPLES)
    .action(dev);
}

async function dev(more: string[], { port }: { port?: string }): Promise<void> {
  if (port !== undefined && !isPort(port)) throw misuse(`--port must be a number from 1 to ${MAX_PORT}`);
  const args = [WRANGLER, "dev", ...(port === undefined ? [] : ["--port", port]), ...more];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  whenStopped(() => {
    child.kill("SIGTERM");
    return ended;
  });
  const code = await ended;
  if (code !== 0)
    throw new Failure("not_started", `\`wrangler dev\` ended with exit code ${code}: see its output above`);
}

/** The program `overprint`: its commands, and what becomes of their failures. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { nearest } from "../src/service/request/nearest.ts";
import { addBuy } from "./buy.ts";
import { addDemo } from "./demo.ts";
import { addDev } from "./dev.ts";
import { EXIT, type Failure, failureOf, misuse, reasonOf } from "./failure.ts";
import { handleSignals, isStopping } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { addMark } from "./mark.ts";
import { addPay } from "./pay.ts";
import { ROOT } from "./root.ts";
import { printJson, warn } from "./say.ts";

const HELP_COLUMNS = 100;

const AFTER = `
Exit codes: 0 done; 1 failed; 2 wrong flags, values or files, and nothing was done; 3 paid for, perhaps, and the file is
not here yet; 130 stopped by Ctrl-C. Every failure is one line on stderr.`;

/** Returns the program with all of its commands. */
export function programOf(io: Io): Command {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const program = new Command("overprint")
    .description("Lays a text or an image over every page of a PDF: here, or by a service that is paid per call.")
    .version(version, "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Print this help.")
    .helpCommand("help [command]", "print the help of a command")
    .configureHelp({ helpWidth: Math.min(io.stdout.columns ?? HELP_COLUMNS, HELP_COLUMNS) })
    .configureOutput({ writeOut: (text) => io.stdout.write(text), outputError() {}, writeErr() {} }) // run() prints errors
    .showSuggestionAfterError(false) // run() makes them
    .exitOverride()
    .addHelpText("after", AFTER);
  addMark(program, io);
  addBuy(program, io);
  addPay(program, io);
  addDemo(program, io);
  addDev(program);
  return program;
}

/** Is the process: runs the program with its arguments, until it is stopped, or nobody reads what it says. */
export async function main(): Promise<void> {
  handleSignals();
  process.stderr.on("error", () => process.exit(EXIT.failed)); // nobody is left to tell
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") warn(`overprint: standard output: ${reasonOf(error)}`, process); // else whoever read has had enough
    process.exit(EXIT.failed);
  });
  await run(process.argv.slice(2), process);
}

/** Runs the program with the arguments of a command line, and sets the exit code where it is not 0. */
export async function run(args: string[], io: Io): Promise<void> {
  const program = programOf(io);
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (isStopping()) return;
    if (error instanceof CommanderError && error.exitCode === 0) return; // it has printed its help or version
    const { code, message, exitCode } =
      error instanceof CommanderError ? misuseOf(error, program, args) : failureOf(error);
    warn(`overprint: ${message}`, io);
    if (args.includes("--json")) printJson({ error: { code, message } }, io);
    io.exitCode = exitCode;
  }
}

/** Says in one line what commander finds wrong, and what may have been meant. */
function misuseOf(error: CommanderError, program: Command, [name, asked]: string[]): Failure {
  const { code, message } =
    error.code === "commander.help" // of a command that there is not: commander would print the program's
      ? { code: "commander.unknownCommand", message: asked ? `unknown command '${asked}'` : "a command is missing" }
      : error;
  const command = program.commands.find((known) => known.name() === name) ?? program;
  const known = {
    "commander.unknownOption": command.options.map(({ long }) => long ?? ""),
    "commander.unknownCommand": program.commands.map((other) => other.name()),
  }[code];
  const [, written = ""] = /'(.*)'/.exec(message) ?? [];
  const meant = known && nearest(written, known);
  const words = message.replace(/^error: /, "").replace(/\.$/, "") + (meant ? `: did you mean ${meant}?` : ";");
  return misuse(`${words} \`overprint${command === program ? "" : ` ${command.name()}`} --help\` tells more`);
}
